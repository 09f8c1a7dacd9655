import type { ReviewPlan } from '../../contract/tool.ts';
import { planDialog } from './components/plan-dialog.ts';
import type { Screen } from './screen.ts';

type PlanScreen = Pick<Screen, 'act' | 'dialogs' | 'edit' | 'markdown' | 'notifyIfAway' | 'store'>;

/** Shows a plan in the transcript, and asks what to do with it until it is started or sent back. */
export function reviewPlanOn(screen: PlanScreen): ReviewPlan {
  return async (presented, signal) => {
    screen.notifyIfAway('A plan is ready for your review');
    showPlan(screen, presented);
    for (let plan = presented; ; ) {
      const chosen = await screen.dialogs.ask(planDialog(), signal);
      if (chosen?.type === 'interrupt') screen.act('interrupt');
      if (chosen?.type !== 'chosen') return null;
      if (chosen.name === 'accept') return { type: 'start', mode: 'accept-edits', plan };
      if (chosen.name === 'ask') return { type: 'start', mode: 'default', plan };
      if (chosen.name !== 'edit') return { type: 'revise', feedback: chosen.text, plan };
      const edited = await screen.edit(plan);
      if (edited === null || edited.trim() === '' || edited === plan) continue;
      plan = edited;
      showPlan(screen, plan);
    }
  };
}

/** In full, like an answer: it stays in the scrollback. */
function showPlan({ markdown, store }: PlanScreen, plan: string): void {
  store.dispatch({ type: 'answer', lines: markdown.render(plan), tail: [], characters: 0, done: true });
}
