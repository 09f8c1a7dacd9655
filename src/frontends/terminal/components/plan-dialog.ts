import type { Choices } from '../dialogs/choices.ts';
import type { Dialog } from '../view/dialog.ts';
import { type Chosen, choiceDialog } from './choice-dialog.ts';

type PlanChoice = 'accept' | 'ask' | 'keep' | 'edit';

const choices: Choices<PlanChoice> = {
  list: [
    {
      name: 'accept',
      words: 'Yes, and accept edits and sandboxed commands this session',
      short: 'yes, accept edits',
    },
    { name: 'ask', words: 'Yes, and ask before each edit', short: 'yes, and ask' },
    {
      name: 'keep',
      letter: 'n',
      words: 'No, keep planning',
      short: 'keep planning',
      asks: 'What should change? ',
    },
    { name: 'edit', words: 'Edit the plan in your editor', short: 'edit' },
  ],
  isExplicit: true,
};

/** The question after a plan, which is in the transcript above. */
export function planDialog(): Dialog<Chosen<PlanChoice>> {
  const panel = { title: 'Start this plan?', aside: '', esc: 'to interrupt', body: () => [] };
  return choiceDialog({ choices, panel: () => panel });
}
