import type { PermissionRequest } from '../../../contract/permission.ts';
import type { DialogKit } from '../dialogs/kit.ts';
import { type DialogFrame, modelDialog } from '../dialogs/model.ts';
import { choicesOf, openPermission, type PermissionOutcome, pressPermission } from '../dialogs/permission.ts';
import { isEndSeen, permissionBody, permissionExtent, renderPermission } from '../dialogs/permission-view.ts';
import type { Dialog } from '../view/dialog.ts';
import { displayLines } from '../view/display-lines.ts';

/** The approval prompt before a call. */
export function permissionDialog(request: PermissionRequest, kit: DialogKit): Dialog<PermissionOutcome> {
  const choices = choicesOf(request);
  const bodies = new WeakMap<DialogFrame, ReturnType<typeof permissionBody>>();
  const asked = (frame: DialogFrame) => {
    const body = bodies.get(frame) ?? bodyOf(request, frame);
    bodies.set(frame, body);
    return { request, choices, body };
  };
  // Keys may arrive faster than frames: only what was drawn counts as seen.
  let endSeen = false;
  return modelDialog({
    open: () => openPermission(kit.now()),
    press(state, key, frame) {
      const extent = permissionExtent(state, asked(frame), frame);
      const shown = endSeen ? 'all' : 'part';
      const step = pressPermission(state, { key, now: kit.now(), extent, choices, shown });
      if (step.type === 'done') return { type: 'end', result: step.outcome };
      if (step.type === 'early') kit.onEarlyKey(key);
      return { type: 'state', state: step.state };
    },
    lines(state, frame) {
      endSeen ||= isEndSeen(state, asked(frame), frame);
      return renderPermission(state, asked(frame), frame);
    },
  });
}

function bodyOf(request: PermissionRequest, frame: DialogFrame) {
  const { columns, theme } = frame;
  return permissionBody(request, frame, (display) =>
    displayLines(display, { columns, theme, folded: false }),
  );
}
