import { describe, expect, test } from 'vitest';
import { broadRules, warnAboutBroadRules } from './broad-rules.ts';

describe.each(broadRules.map((rule) => [rule.opens, rule] as const))('%s', (_opens, { match, examples }) => {
  test.each(examples.hits)('%s is reported', (rule) => expect(match.test(rule)).toBe(true));
  test.each(examples.misses)('%s is not', (rule) => expect(match.test(rule)).toBe(false));
});

test('each broad rule is reported in one sentence, and no other rule is', () => {
  expect(warnAboutBroadRules(['Bash(git log *)', ' Bash(git *)', 'Edit(src/**)', 'Bash'])).toEqual([
    'The rule Bash(git *) allows git -c … and git aliases too, which can run any program.',
    'The rule Bash allows every command except those that are always blocked.',
  ]);
});
