import { describe, expect, test } from 'vitest';
import { bench, use } from '../../test/support/tool-context.ts';
import type { PlanReview } from '../contract/tool.ts';
import { presentPlan, reviewedPlan } from './present-plan.ts';

const PLAN = '1. Read.\n2. Change.';

async function presenting(review: PlanReview | null, { isOn = true } = {}) {
  const { context } = await bench();
  const planning = { isOn: () => isOn, review: async () => review };
  return use(presentPlan, { plan: PLAN }, { ...context, planning });
}

describe('PresentPlan', () => {
  test.each<[string, PlanReview, string, string]>([
    [
      'started, edits accepted',
      { type: 'start', mode: 'accept-edits', plan: PLAN },
      'The user approved the plan, and plan mode is off: edits are accepted. Start now.',
      'Plan approved: edits are accepted',
    ],
    [
      'started, asking',
      { type: 'start', mode: 'default', plan: PLAN },
      'The user approved the plan, and plan mode is off: each change is approved separately. Start now.',
      'Plan approved: each change is approved separately',
    ],
    [
      'sent back with words',
      { type: 'revise', feedback: 'tests first', plan: PLAN },
      'The user wants another plan: tests first\nRevise it and present it again.',
      'Keep planning: tests first',
    ],
    [
      'sent back',
      { type: 'revise', feedback: '', plan: PLAN },
      'The user wants to keep planning. Ask what to change.',
      'Keep planning',
    ],
  ])('%s', async (_, review, output, text) => {
    expect(await presenting(review)).toEqual({ success: true, output, display: { kind: 'text', text } });
    expect(reviewedPlan({ plan: PLAN }, output)).toBe(PLAN);
  });

  test('the version that the user edited counts', async () => {
    const plan = '1. Test.\n\n2. Change.\n';
    const result = await presenting({ type: 'start', mode: 'default', plan });
    const output = result.success ? result.output : '';
    expect(output).toMatch(/^The user approved .*Start now\.\n\nThe user edited the plan\./s);
    expect(reviewedPlan({ plan: PLAN }, output)).toBe(plan);
  });

  test('nothing is decided without a user, without a decision, or outside plan mode', async () => {
    const { context } = await bench();
    const alone = await use(presentPlan, { plan: PLAN }, context);
    expect(alone).toEqual({
      success: false,
      error: 'No user is available to review the plan. Answer with the plan.',
    });
    expect(await presenting(null)).toMatchObject({ success: false });
    expect(await presenting(null, { isOn: false })).toEqual({
      success: false,
      error: 'Plan mode is off, so no approval of a plan is needed. Do the work.',
    });
    expect(reviewedPlan({}, 'x')).toBeNull();
  });
});
