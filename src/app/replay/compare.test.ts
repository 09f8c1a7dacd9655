import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareTexts } from './compare.ts';
import { outwardBecause } from './outward.ts';

describe('two results', () => {
  test.each([
    ['at 2026-01-01T10:00:00Z', 'at 2026-02-03T11:22:33Z', 'Bash x', ['dates and times']],
    ['Wed Nov 18 11:00:00 UTC 2026', 'Thu Nov 19 12:00:01 UTC 2026', 'Bash date', ['dates and times']],
    ['done in 1.2s', 'done in 300 ms', 'Bash x', ['durations']],
    ['pid 12', 'pid 4711', 'Bash x', ['process ids']],
    ['[main 1234567] fix', '[main 89abcde] fix', 'Bash git commit -m fix', ['commit ids']],
    ['b.ts\na.ts', 'a.ts\nb.ts', 'Glob **/*.ts', ['the order of files']],
    ['b.ts:1:x\na.ts:2:x', 'a.ts:2:x\nb.ts:1:x', 'Grep x', ['the order of files']],
    [
      'total 12\ndrwxr-xr-x  3 a a 4096 Jan 31 10:00 .\ndrwxrwxrwt 23 b b 12288 Jan 31 10:00 ..\n-rw-r--r--  1 a a 4 Jan 31 10:00 x',
      'total 8\ndrwxr-xr-x 3 a a 60 Feb  3 11:00 .\ndrwx------ 3 a a 80 Feb  3 11:00 ..\n-rw-r--r-- 1 a a 4 Feb  3 11:00 x',
      'Bash ls -la',
      ['dates and times', 'listings of folders'],
    ],
    ['wrote /tmp/a1', 'wrote /tmp/b2', 'Bash mktemp', ['temporary names']],
  ])('%s and %s are the same, and it is said why', (before, after, about, ignored) => {
    expect(compareTexts(before, after, about)).toEqual({ isSame: true, ignored });
  });

  test.each([
    ['12 passed', '11 passed', 'Bash npm test'],
    ['1234567', '89abcde', 'Bash cat ids'],
    ['done in 1s', 'failed in 1s', 'Bash x'],
    ['b\na', 'a\nb', 'Bash sort x'],
    ['a.ts', 'a.ts\nb.ts', 'Glob **/*.ts'],
    ['-rw-r--r-- 1 a a 4 x', '-rw-r--r-- 1 a a 5 x', 'Bash ls -la'],
  ])('%s and %s differ', (before, after, about) => {
    expect(compareTexts(before, after, about).isSame).toBe(false);
  });

  test('property: a text is the same as itself, and ignores nothing', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(compareTexts(text, text, 'Bash git')).toEqual({ isSame: true, ignored: [] });
      }),
    );
  });
});

describe('a command', () => {
  const because = (target: string) => outwardBecause({ name: 'Bash' }, [{ kind: 'execute', target }]);

  test.each([
    'git push',
    'cd x && git -C y push origin main',
    'curl https://a.example',
    'FOO=1 npm install',
    'make; ssh host ls',
    'echo a | nc host 1',
    '(pip install x)',
    'sudo apt-get -y install x',
    'npx create-x',
  ])('%s reaches other machines', (command) => {
    expect(because(command)).not.toBeNull();
  });

  test.each([
    'git status',
    'git commit -m "push it"',
    'npm test',
    'npm run build',
    'echo curl',
    'go test ./...',
    'ls',
  ])('%s runs again', (command) => {
    expect(because(command)).toBeNull();
  });

  test.each([
    ['WebFetch', [{ kind: 'fetch' as const, target: 'https://a.example' }]],
    ['AskUser', []],
    ['Bash', [{ kind: 'execute' as const, target: 'ls', unconfined: true as const }]],
  ])('%s is answered from the journal if it leaves the machine or asks', (name, accesses) => {
    expect(outwardBecause({ name }, accesses)).not.toBeNull();
  });
});
