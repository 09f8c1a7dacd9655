import type { ReactNode } from 'react';
import { lookOf } from '../dialogs/look.ts';
import { edited, lineOf, type TextLine } from '../dialogs/text-line.ts';
import { renderText, type TextQuestion } from '../dialogs/text-view.ts';
import { type Outcome, useModel } from '../dialogs/use-model.ts';
import { useTheme } from '../use-theme.ts';
import type { Dialog, DialogProps, Key } from '../view/types.ts';
import { DialogRows } from './dialog-rows.tsx';

type Props = DialogProps<string | null> & { asked: TextQuestion };

/** A line of text; null when it was called off. */
export function textDialog(asked: TextQuestion): Dialog<string | null> {
  return (props) => <TextDialog {...props} asked={asked} />;
}

function TextDialog({ asked, columns, rows, onDone }: Props): ReactNode {
  const theme = useTheme();
  const line = useModel({ open: () => lineOf(asked.text ?? ''), press: pressText, onDone });
  return <DialogRows lines={renderText(line, asked, { columns, rows, look: lookOf(theme) })} />;
}

function pressText(line: TextLine, key: Key): Outcome<TextLine, string | null> {
  if (key.type === 'key') {
    if (key.name === 'return') return { type: 'end', result: line.text };
    if (key.name === 'escape' || (key.ctrl && key.name === 'c')) return { type: 'end', result: null };
  }
  return { type: 'state', state: edited(line, key) ?? line };
}
