import { expect, test } from 'vitest';
import { ruleProblem } from './rule-problem.ts';

const world = { cwd: '/work', home: '/home/me', servers: ['github'], exists: () => false };

test.each<[rule: string, restrictsNothing: boolean, isMisspelt: boolean]>([
  ['Bsh(rm *)', true, true],
  ['Edti', true, true],
  ['Reed(x)', true, true],
  ['wirte', true, true],
  ['mcp__gihtub__list', true, true],
  ['mcp:gihtub:list', true, true],
  ['Frobnicate', true, false],
  ['Edit(!src/**)', true, false],
  ['Bash(command:rm *)', true, false],
  ['EnterPlanMode', false, false],
  ['WebFetch(a.org)', false, false],
  ['Bash(git:* x)', false, false],
])('%s restricts nothing: %s; misspelt: %s', (rule, restrictsNothing, isMisspelt) => {
  for (const verdict of ['deny', 'ask'] as const)
    expect(ruleProblem({ verdict, rule, place: '' }, world)).toMatchObject({
      restrictsNothing,
      isMisspelt,
    });
  expect(ruleProblem({ verdict: 'allow', rule, place: '' }, world)).toMatchObject({
    restrictsNothing: false,
  });
});
