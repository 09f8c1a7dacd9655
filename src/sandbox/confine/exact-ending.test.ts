import { expect, test } from 'vitest';
import { endingOf } from './exact-ending.ts';

const told = { reportsExit: true };

test("a signal is distinguished from an exit code of the same number by bash's message", () => {
  const ended = { code: 143, signal: null };
  expect(endingOf(ended, '[1]+  Terminated              "$0" -c "$1" 2>&3 3>&-\n', told)).toEqual({
    code: null,
    signal: 'SIGTERM',
  });
  expect(endingOf(ended, '[1]+  Exit 143                "$0" -c "$1" 2>&3 3>&-\n', told)).toEqual(ended);
  expect(endingOf({ code: 137, signal: null }, 'bash:     3 Killed   "$0" -c "$1"\n', told)).toEqual({
    code: null,
    signal: 'SIGKILL',
  });
});

test('without a message the code is final, unless the signal came before the shell started', () => {
  expect(endingOf({ code: 143, signal: null }, '', { reportsExit: false })).toEqual({
    code: 143,
    signal: null,
  });
  expect(endingOf({ code: 143, signal: null }, '', told)).toEqual({ code: null, signal: 'SIGTERM' });
  expect(endingOf({ code: 250, signal: null }, '[1]+  Whatever\n', told)).toEqual({
    code: 250,
    signal: null,
  });
  expect(endingOf({ code: null, signal: 'SIGKILL' }, '', told)).toEqual({ code: null, signal: 'SIGKILL' });
});

test('a sandbox that could not be set up is reported', () => {
  expect(endingOf({ code: 1, signal: null }, 'bwrap: Can’t mount proc\n', told)).toEqual({
    code: 1,
    signal: null,
    note: '[Could not set up the sandbox: Can’t mount proc]\n',
  });
});
