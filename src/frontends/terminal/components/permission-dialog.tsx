import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import type { PermissionRequest } from '../../../contract/permission.ts';
import type { DialogKit } from '../dialogs/kit.ts';
import { lookOf } from '../dialogs/look.ts';
import {
  choicesOf,
  openPermission,
  type PermissionOutcome,
  type PermissionState,
  pressPermission,
} from '../dialogs/permission.ts';
import { isEndSeen, permissionBody, permissionExtent, renderPermission } from '../dialogs/permission-view.ts';
import { type Outcome, useModel } from '../dialogs/use-model.ts';
import { useTheme } from '../use-theme.ts';
import { displayLines } from '../view/display-lines.ts';
import type { Dialog, DialogProps, Key } from '../view/types.ts';
import { DialogRows } from './dialog-rows.tsx';

type Props = DialogProps<PermissionOutcome> & { request: PermissionRequest; kit: DialogKit };

/** The question before a call runs. */
export function permissionDialog(request: PermissionRequest, kit: DialogKit): Dialog<PermissionOutcome> {
  return (props) => <PermissionDialog {...props} request={request} kit={kit} />;
}

function PermissionDialog({ request, kit, columns, rows, onDone }: Props): ReactNode {
  const theme = useTheme();
  const frame = { columns, rows, look: lookOf(theme) };
  const body = useMemo(
    () =>
      permissionBody(request, { columns, rows, look: lookOf(theme) }, (display) =>
        displayLines(display, { columns, theme, folded: false }),
      ),
    [request, columns, rows, theme],
  );
  const choices = choicesOf(request);
  const asked = { request, choices, body };
  const endSeen = useRef(false);

  function press(state: PermissionState, key: Key): Outcome<PermissionState, PermissionOutcome> {
    const extent = permissionExtent(state, asked, frame);
    const shown = endSeen.current ? 'all' : 'part';
    const step = pressPermission(state, { key, now: kit.now(), extent, choices, shown });
    if (step.type === 'done') return { type: 'end', result: step.outcome };
    if (step.type === 'early') kit.onEarlyKey(key);
    return { type: 'state', state: step.state };
  }

  const state = useModel({ open: () => openPermission(kit.now()), press, onDone });
  // Keys may come faster than drawings: only what was drawn counts as seen.
  useEffect(() => {
    endSeen.current ||= isEndSeen(state, asked, frame);
  });
  return <DialogRows lines={renderPermission(state, asked, frame)} />;
}
