import { expect, test } from 'vitest';
import { leadsToScreen, modeIn } from './early-check.ts';

const place = {
  env: { TERM: 'xterm' } as Record<string, string>,
  stdin: { isTTY: true },
  stdout: { isTTY: true, columns: 80, rows: 24 },
};

test.each([
  [[]],
  [['--model', 'sonnet']],
  [['--mode', 'plan', '--continue']],
  [['why does the test fail?']],
  [['--allow', 'Bash(npm test)', 'fix it now']],
])('%j opens the screen', (args) => {
  expect(leadsToScreen(args, place)).toBe(true);
});

test.each([
  [['sessions']],
  [['models', 'list']],
  [['hello']],
  [['-p', 'a task']],
  [['--print']],
  [['--help']],
  [['--resume']],
  [['--worktree']],
  [['--demo']],
  [['--plain']],
  [['--screen-reader']],
  [['--model=sonnet']],
  [['-psay hello to']],
  [['--some-day']],
  [['']],
])('%j may not open the screen', (args) => {
  expect(leadsToScreen(args, place)).toBe(false);
});

test.each([
  ['input that is no terminal', { stdin: { isTTY: false } }],
  ['output that is no terminal', { stdout: { ...place.stdout, isTTY: false } }],
  ['a terminal that cannot be repainted', { env: { TERM: 'dumb' } }],
  ['a terminal nobody knows', { env: {} }],
  ['a build machine', { env: { TERM: 'xterm', CI: '1' } }],
  ['few columns', { stdout: { ...place.stdout, columns: 10 } }],
  ['few rows', { stdout: { ...place.stdout, rows: 3 } }],
])('nothing is painted early on %s', (_what, change) => {
  expect(leadsToScreen([], { ...place, ...change })).toBe(false);
});

test('the last mode wins', () => {
  expect([modeIn([]), modeIn(['--mode', 'plan', '--mode', 'auto'])]).toEqual([undefined, 'auto']);
});
