import type { ReactNode } from 'react';
import type { UserQuestion } from '../../../contract/tool.ts';
import { type AskOutcome, type AskState, openAsk, pressAsk } from '../dialogs/ask.ts';
import { renderAsk } from '../dialogs/ask-view.ts';
import type { DialogKit } from '../dialogs/kit.ts';
import { lookOf } from '../dialogs/look.ts';
import { type Outcome, useModel } from '../dialogs/use-model.ts';
import { useTheme } from '../use-theme.ts';
import type { Dialog, DialogProps, Key } from '../view/types.ts';
import { DialogRows } from './dialog-rows.tsx';

type Props = DialogProps<AskOutcome> & { question: UserQuestion; kit: DialogKit };

/** A question of the model's. */
export function askDialog(question: UserQuestion, kit: DialogKit): Dialog<AskOutcome> {
  return (props) => <AskDialog {...props} question={question} kit={kit} />;
}

function AskDialog({ question, kit, columns, rows, onDone }: Props): ReactNode {
  const theme = useTheme();
  const frame = { columns, rows, look: lookOf(theme) };

  function press(state: AskState, key: Key): Outcome<AskState, AskOutcome> {
    const step = pressAsk(state, { key, now: kit.now(), choices: question.choices });
    if (step.type === 'done') return { type: 'end', result: step.outcome };
    if (step.type === 'early') kit.onEarlyKey(key);
    return { type: 'state', state: step.state };
  }

  const state = useModel({ open: () => openAsk(kit.now()), press, onDone });
  return <DialogRows lines={renderAsk(state, question, frame)} />;
}
