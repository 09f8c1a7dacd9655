import { expect, test } from 'vitest';
import { endingOf } from './exact-ending.ts';

const told = { tells: true };

test('a signal is told from an exit code of the same number by what bash says of it', () => {
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

test('where nobody says anything, the code stands as it is, unless the signal came before anybody could', () => {
  expect(endingOf({ code: 143, signal: null }, '', { tells: false })).toEqual({ code: 143, signal: null });
  expect(endingOf({ code: 143, signal: null }, '', told)).toEqual({ code: null, signal: 'SIGTERM' });
  expect(endingOf({ code: 250, signal: null }, '[1]+  Whatever\n', told)).toEqual({
    code: 250,
    signal: null,
  });
  expect(endingOf({ code: null, signal: 'SIGKILL' }, '', told)).toEqual({ code: null, signal: 'SIGKILL' });
});

test('a sandbox that could not be set up says so', () => {
  expect(endingOf({ code: 1, signal: null }, 'bwrap: Can’t mount proc\n', told)).toEqual({
    code: 1,
    signal: null,
    note: '[The sandbox could not be set up: Can’t mount proc]\n',
  });
});
