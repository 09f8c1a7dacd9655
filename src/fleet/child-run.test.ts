import { expect, test } from 'vitest';
import { runLimitHint } from '../contract/shared-budget.ts';
import { reportIn } from './child-run.ts';

const report = (more: object) =>
  JSON.stringify({
    ...{ type: 'result', sessionId: 's', provider: 'p', model: 'm', stopReason: 'done', result: 'Did it.' },
    ...{ turns: 1, usage: { inputTokens: 2, outputTokens: 3 }, costUsd: 0.1, denials: [], ...more },
  });

test('a limit of the task says what to do in a batch', () => {
  const error = { message: 'Limit reached: 1 of 1 turns', hint: `No changes in this run.\n${runLimitHint}` };
  const stderr = `${error.message}\n${error.hint}\n`;
  expect(reportIn({ code: 1, stdout: report({ stopReason: 'budget', error }), stderr })).toMatchObject({
    failure: 'limit',
    reason: 'Limit reached: 1 of 1 turns. Give the task a higher budget in a new batch.',
    warnings: [],
  });
});

test.each([
  ['done', ['One.', 'Two.']],
  ['max_turns', ['One.']],
])('warnings are told, but not why a run ended: %s', (stopReason, warnings) => {
  const ended = { code: 0, stdout: `${report({ stopReason })}\n`, stderr: 'One.\n\nTwo.\n' };
  expect(reportIn(ended)).toMatchObject({ warnings, costUsd: 0.1, tokens: 5, refusals: 0 });
});

test('the output of failed checks is no warning', () => {
  const error = { message: 'a failed with exit code 1. b failed with exit code 1.' };
  const stderr = 'One.\na failed with exit code 1.\nsome output\nb failed with exit code 1.\n';
  const ended = { code: 5, stdout: report({ stopReason: 'check_failed', error }), stderr };
  expect(reportIn(ended)).toMatchObject({ failure: 'check', warnings: ['One.'] });
});
