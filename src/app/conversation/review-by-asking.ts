import type { ChoiceKind, ReviewPlan, ToolContext } from '../../contract/tool.ts';

const ACCEPT = 'Start, and accept edits';
const ASK = 'Start, and ask before each edit';
const KEEP = 'Keep planning';

/** A plan as an ordinary question, for frontends without a dialog for it. Other answers say what to change. */
export function reviewByAsking(ask: ToolContext['ask']): ReviewPlan {
  return async (plan, signal) => {
    const choices = [ACCEPT, ASK, KEEP];
    const kinds: ChoiceKind[] = ['always', 'once', 'no'];
    const question = `${plan.trim()}\n\nStart this plan? Or type what to change.`;
    const answer = (await ask({ question, choices, kinds }, signal))?.trim();
    switch (answer) {
      case undefined:
        return null;
      case ACCEPT:
        return { type: 'start', mode: 'accept-edits', plan };
      case ASK:
        return { type: 'start', mode: 'default', plan };
      case KEEP:
        return { type: 'revise', feedback: '', plan };
      default:
        return { type: 'revise', feedback: answer, plan };
    }
  };
}
