import type { ReactNode } from 'react';
import { visibleText } from '../../../lib/text/visible-text.ts';
import { type ConfirmState, openConfirm, pressConfirm } from '../dialogs/confirm.ts';
import { confirmExtent, renderConfirm } from '../dialogs/confirm-view.ts';
import type { DialogKit } from '../dialogs/kit.ts';
import { type Frame, lookOf, rowsOf } from '../dialogs/look.ts';
import { type Outcome, useModel } from '../dialogs/use-model.ts';
import { useTheme } from '../use-theme.ts';
import type { Dialog, DialogProps, Key, Line } from '../view/types.ts';
import { DialogRows } from './dialog-rows.tsx';

/** `body` is what a yes would mean: rows made for the room there is. */
export type Confirmation = { question: string; body(frame: Frame): Line[] };

type Props = DialogProps<boolean> & { confirmation: Confirmation; kit: DialogKit };

/** True only after a plain yes. */
export function confirmDialog(confirmation: Confirmation, kit: DialogKit): Dialog<boolean> {
  return (props) => <ConfirmDialog {...props} confirmation={confirmation} kit={kit} />;
}

/** A body of words. */
export function wordsOf(text: string): Confirmation['body'] {
  const words = visibleText(text).replaceAll('\t', '    ');
  return ({ columns, look }) => (text === '' ? [] : rowsOf(words, columns, look.plain));
}

function ConfirmDialog({ confirmation, kit, columns, rows, onDone }: Props): ReactNode {
  const theme = useTheme();
  const frame = { columns, rows, look: lookOf(theme) };
  const confirmed = { question: confirmation.question, body: confirmation.body(frame) };

  function press(state: ConfirmState, key: Key): Outcome<ConfirmState, boolean> {
    const step = pressConfirm(state, { key, now: kit.now(), extent: confirmExtent(confirmed, frame) });
    return step.type === 'done' ? { type: 'end', result: step.agreed } : step;
  }

  const state = useModel({ open: () => openConfirm(kit.now()), press, onDone });
  return <DialogRows lines={renderConfirm(state, confirmed, frame)} />;
}
