import type { PermissionRequest } from '../../../contract/permission.ts';
import { FOR_OWNERS } from '../../shared/frees-commands.ts';
import type { DialogFrame } from '../dialogs/model.ts';
import { answerFor, choicesOf, type PermissionOutcome } from '../dialogs/permission.ts';
import { type DrawDisplay, permissionPanel } from '../dialogs/permission-view.ts';
import type { Dialog } from '../view/dialog.ts';
import { displayLines } from '../view/display-lines.ts';
import type { Line } from '../view/types.ts';
import { choiceDialog } from './choice-dialog.ts';

export type Answering = {
  /** Gives no answer that outlives the session, or frees other commands. */
  isGuest?: boolean;
  /** Switches to `accept-edits` mode. */
  acceptEdits(): void;
};

/** The approval prompt before a call. */
export function permissionDialog(
  request: PermissionRequest,
  { isGuest = false, acceptEdits }: Answering,
): Dialog<PermissionOutcome> {
  const { list, ...choices } = choicesOf(request);
  const previews = new WeakMap<DialogFrame, DrawDisplay>();
  const dialog = choiceDialog({
    choices: {
      ...choices,
      list: list.filter(({ name }) => !isGuest || !FOR_OWNERS.has(name)),
    },
    panel(frame) {
      const draw = previews.get(frame) ?? drawOnce(frame);
      previews.set(frame, draw);
      return permissionPanel(request, draw);
    },
  });
  return ({ onDone, ...host }) =>
    dialog({
      ...host,
      onDone(chosen) {
        if (chosen.type === 'interrupt') return onDone(chosen);
        if (chosen.name === 'edits') acceptEdits();
        onDone({ type: 'answer', answer: answerFor(chosen.name, chosen.text) });
      },
    });
}

/** A change is highlighted once per size, not with every key. */
function drawOnce({ theme, highlighter }: DialogFrame): DrawDisplay {
  const drawn = new Map<number, Line[]>();
  return (display, columns) => {
    const lines =
      drawn.get(columns) ??
      displayLines(display, { columns, theme, folded: false, ...(highlighter && { highlighter }) });
    drawn.set(columns, lines);
    return lines;
  };
}
