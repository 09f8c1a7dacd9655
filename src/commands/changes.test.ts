import { expect, test } from 'vitest';
import type { CommandContext } from '../contract/command.ts';
import type { ChangedFile, ChangeScope } from '../contract/review.ts';
import { changes, commentPrompt } from './changes.ts';

const hunk = {
  id: 'one',
  what: 'line 2',
  patch: '@@ -2,1 +2,1 @@\n-const a = 1;\n+const a = 2;\n',
  lines: { oldStart: 2, oldText: 'const a = 1;\n', newStart: 2, newText: 'const a = 2;\n' },
  added: 1,
  removed: 1,
};
const changed: ChangedFile = {
  path: '/p/src/a.ts',
  change: 'changed',
  added: 1,
  removed: 1,
  hunks: [hunk],
  notes: [],
};
const fresh: ChangedFile = {
  path: '/q/new',
  change: 'new',
  added: 40,
  removed: 0,
  hunks: [hunk],
  notes: ['Left alone.'],
};

async function typed(
  line: string,
  files: ChangedFile[],
): Promise<{ printed: string[]; scopes: ChangeScope[] }> {
  const printed: string[] = [];
  const scopes: ChangeScope[] = [];
  const content = [{ type: 'text', text: 'fix it' }];
  const context = {
    cwd: '/p',
    print: (text: string) => printed.push(text),
    sessions: {
      ready: Promise.resolve(),
      session: { messages: [{ role: 'user', content, timestamp: '2026-01-01T00:00:00.000Z' }] },
    },
    files: {
      changes: async (scope: ChangeScope) => {
        scopes.push(scope);
        return { files };
      },
    },
    // Only what the command uses.
  } as unknown as CommandContext;
  await changes.execute(line.split(' ').filter(Boolean), context);
  return { printed, scopes };
}

test('the list has a row per file, what cannot be reverted, and the sum', async () => {
  expect((await typed('', [changed, fresh])).printed).toEqual([
    [
      'Changes in the last run:',
      '  changed src/a.ts  +1 -1',
      '  new     /q/new    +40 -0',
      '          Left alone.',
      '2 files +41 -1',
    ].join('\n'),
  ]);
});

test.each([
  ['', 'run', 'Changes in the last run: none.'],
  ['run', 'run', 'Changes in the last run: none.'],
  ['session', 'session', 'Changes in this session: none.'],
  ['1', { since: '2026-01-01T00:00:00.000Z' }, 'Changes since "fix it": none.'],
])('/changes %s', async (line, scope, text) => {
  expect(await typed(line, [])).toEqual({ printed: [text], scopes: [scope] });
});

test('an unknown word or prompt is an error that says what to type', async () => {
  for (const word of ['2', 'all'])
    await expect(typed(word, [])).rejects.toThrow(`There is no prompt ${word}.`);
});

test('a comment quotes the file, the lines and the hunk, whatever is in it', () => {
  expect(commentPrompt(changed, hunk, { cwd: '/p', comment: 'use a constant here' })).toBe(
    'About your change in src/a.ts (line 2):\n\n```diff\n@@ -2,1 +2,1 @@\n-const a = 1;\n+const a = 2;\n```\n\nuse a constant here',
  );
  const fenced = { ...hunk, patch: '@@ -1,0 +1,1 @@\n+````\n' };
  expect(commentPrompt(changed, fenced, { cwd: '/p', comment: 'x' })).toContain('\n`````diff\n');
  expect(
    commentPrompt(fresh, { ...hunk, what: 'mode 644 → 755', patch: '' }, { cwd: '/p', comment: 'why?' }),
  ).toBe('About your change in /q/new (mode 644 → 755):\n\nwhy?');
});
