import type { UserQuestion } from '../../../contract/tool.ts';
import { type AskOutcome, openAsk, pressAsk } from '../dialogs/ask.ts';
import { renderAsk } from '../dialogs/ask-view.ts';
import type { DialogKit } from '../dialogs/kit.ts';
import { modelDialog } from '../dialogs/model.ts';
import type { Dialog } from '../view/dialog.ts';

/** A question from the model. */
export function askDialog(question: UserQuestion, kit: DialogKit): Dialog<AskOutcome> {
  return modelDialog({
    open: () => openAsk(kit.now()),
    press(state, key) {
      const step = pressAsk(state, { key, now: kit.now(), choices: question.choices });
      if (step.type === 'done') return { type: 'end', result: step.outcome };
      if (step.type === 'early') kit.onEarlyKey(key);
      return { type: 'state', state: step.state };
    },
    lines: (state, frame) => renderAsk(state, question, frame),
  });
}
