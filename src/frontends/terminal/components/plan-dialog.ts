import type { Choice } from '../dialogs/choices.ts';
import type { DialogKit } from '../dialogs/kit.ts';
import type { Dialog } from '../view/dialog.ts';
import { type Chosen, choiceDialog } from './choice-dialog.ts';

type PlanChoice = 'accept' | 'ask' | 'keep' | 'edit' | 'no';

const choices: readonly Choice<PlanChoice>[] = [
  { name: 'accept', key: 'y', words: 'Yes, and accept edits', short: 'yes, accept edits' },
  { name: 'ask', key: 'a', words: 'Yes, and ask before each edit', short: 'yes, and ask' },
  {
    name: 'keep',
    key: 'r',
    words: 'No, keep planning',
    short: 'keep planning',
    asks: 'What should change? ',
  },
  { name: 'edit', key: 'e', words: 'Edit the plan in your editor', short: 'edit' },
  { name: 'no', key: 'n', words: 'No', short: 'no', unlisted: true },
];

/** The question after a plan, which is in the transcript above. */
export function planDialog(kit: DialogKit): Dialog<Chosen<PlanChoice>> {
  const hints = { y: 'start', n: 'keep planning', e: 'edit', esc: 'to interrupt' };
  return choiceDialog(
    { choices, panel: () => ({ title: 'Start this plan?', aside: '', hints, body: () => [] }) },
    kit,
  );
}
