import * as z from 'zod';
import { defineTool, fail, ok, type PlanReview } from '../contract/tool.ts';

/** Precedes the plan in an answer, if the user changed it. */
const EDITED = 'The user edited the plan. This version counts:\n\n';

export const presentPlan = defineTool({
  name: 'PresentPlan',
  aliases: ['exit_plan_mode', 'plan_exit'],
  argumentAliases: { plan: ['plan_text', 'content', 'text'] },
  ignoredArguments: ['allowed_prompts'],
  description:
    'In plan mode, show your finished plan to the user, who starts it or says what to change. ' +
    'Explore first, and do not repeat the plan in your answer.',
  input: () =>
    z.object({
      plan: z
        .string()
        .min(1)
        .describe(
          'The whole plan in Markdown: what changes, in which files, in which order, how to check it',
        ),
    }),

  title: () => 'PresentPlan',
  access: () => [],

  async run({ plan }, { planning, signal }) {
    if (!planning) return fail('No user is available to review the plan. Answer with the plan.');
    if (!planning.isOn()) return fail('Plan mode is off, so no approval of a plan is needed. Do the work.');
    const review = await planning.review(plan, signal);
    if (review === null) return fail('The user has not decided about the plan. Wait for the next prompt.');
    const edited = review.plan === plan ? '' : `\n\n${EDITED}${review.plan}`;
    const { told, shown } = outcomeOf(review);
    return ok(`${told}${edited}`, { display: { kind: 'text', text: shown } });
  },
});

/** The plan as the user left it, from what the call was given and its answer. */
export function reviewedPlan(input: unknown, answer: string): string | null {
  const at = answer.indexOf(EDITED);
  if (at !== -1) return answer.slice(at + EDITED.length);
  const parsed = presentPlan.input.safeParse(input);
  return parsed.success ? (parsed.data as { plan: string }).plan : null;
}

function outcomeOf(review: PlanReview): { told: string; shown: string } {
  if (review.type === 'start') {
    const edits =
      review.mode === 'accept-edits' ? 'edits are accepted' : 'each change is approved separately';
    return {
      told: `The user approved the plan, and plan mode is off: ${edits}. Start now.`,
      shown: `Plan approved: ${edits}`,
    };
  }
  const { feedback } = review;
  return feedback === ''
    ? { told: 'The user wants to keep planning. Ask what to change.', shown: 'Keep planning' }
    : {
        told: `The user wants another plan: ${feedback}\nRevise it and present it again.`,
        shown: `Keep planning: ${feedback}`,
      };
}
