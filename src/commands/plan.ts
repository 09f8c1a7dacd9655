import { lastDone } from '../agent/history.ts';
import type { SlashCommand } from '../contract/command.ts';
import { asTyped, type Message, textOf } from '../contract/message.ts';
import { presentPlan, reviewedPlan } from '../tools/present-plan.ts';

export const plan: SlashCommand = {
  name: 'plan',
  forGuests: true,
  description:
    'Plan without changing files: /plan TASK; /plan show prints the plan, /plan done leaves plan mode',
  async execute(words, { mode, submit, print, sessions }) {
    const task = words.join(' ');
    if (task === 'show') {
      await sessions.ready;
      return print(lastPlan(sessions.session.messages) ?? 'This session has no plan yet.');
    }
    if (task === 'done') {
      if (mode.get() !== 'plan') return print(`You're not in plan mode (current mode: ${mode.get()}).`);
      mode.set('default');
      return print('Plan mode off. Changes need your approval.');
    }
    mode.set('plan');
    print('Plan mode on. No files will be changed. Leave it with /plan done or /mode.');
    if (task !== '') await submit([asTyped(task)]);
  },
};

/** The last plan that the user has seen, as the user left it; null if there is none. */
function lastPlan(history: readonly Message[]): string | null {
  const last = lastDone(history, presentPlan.name);
  return last ? reviewedPlan(last.call.input, textOf(last.answer)) : null;
}
