// @module-tag soak
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeHooks } from '../support/hooks.ts';
import { configure } from '../support/mcp.ts';
import { conversations } from '../support/recorded/conversations.ts';
import type { Recorded } from '../support/recorded/recording.ts';
import { adding, hooks, runs } from '../support/recorded/runs.ts';
import { changeResult, changeWrite, journalOf, replay } from '../support/replay.ts';
import { sampled } from '../support/soak.ts';
import { type Workspace, workspace } from '../support/workspace.ts';

const rows: Record<string, Recorded> = { ...runs, ...conversations };

/** What a hook, a plugin or a file of the user became, and the first difference that it makes. */
const changes: Record<string, { row: string; change(space: Workspace): Promise<void>; first: object }> = {
  'what a hook adds to a prompt': {
    row: 'hooks that add, change and refuse',
    change: (space) => writeFile(path.join(space.home, 'note.sh'), 'echo from another hook\n'),
    first: {
      kind: 'prompt',
      expected: '[From a hook:]\nfrom the hook',
      actual: '[From a hook:]\nfrom another hook',
    },
  },
  'what a hook refuses': {
    row: 'hooks that add, change and refuse',
    change: (space) => writeHooks(space, { ...hooks, PreToolUse: [] }),
    first: { kind: 'result', about: 'Write secret.txt', expected: expect.stringContaining('not secret.txt') },
  },
  'what a hook adds to a result': {
    row: 'hooks that add, change and refuse',
    change: (space) =>
      writeHooks(space, { ...hooks, PostToolUse: [{ matcher: 'Write', command: adding('linted') }] }),
    first: { kind: 'result', about: 'Write b.txt', actual: expect.stringContaining('linted') },
  },
  'what a Stop hook says': {
    row: 'a Stop hook that sends the model back',
    change: (space) => writeFile(path.join(space.home, 'note.sh'), 'echo where is it?\n'),
    first: {
      kind: 'prompt',
      expected: expect.stringMatching(/not done:\]\nfixed\.txt is missing$/),
      actual: expect.stringMatching(/not done:\]\nwhere is it\?$/),
    },
  },
  'a Stop hook that is content': {
    row: 'a Stop hook that sends the model back',
    change: (space) => writeHooks(space, {}),
    first: { kind: 'conversation', expected: expect.stringContaining('fixed.txt is missing'), actual: null },
  },
  'what a check reports': {
    row: 'checks that find something new',
    change: (space) => writeFile(path.join(space.home, 'check.sh'), 'grep -rhn TODO . && exit 1; exit 0\n'),
    first: { kind: 'prompt', expected: expect.stringContaining('b.txt:1:TODO new') },
  },
  'what an earlier subagent of the same id read': {
    row: 'a subagent whose id was used again after a rewind',
    async change(space) {
      const sessions = path.join(space.home, '.ai-assistant/sessions');
      const files = await readdir(sessions, { recursive: true });
      const earlier = files.find((file) => file.endsWith('-2.jsonl'));
      expect(await changeResult(path.join(sessions, earlier ?? ''))).toBe(true);
    },
    first: { kind: 'result', run: null, about: 'Bash cat a.txt', expected: 'one\n~' },
  },
  'the tool of a plugin': {
    row: 'a plugin with a tool and a hook',
    change: (space) => inPlugin(space, ' to do`', ' to do!`'),
    first: {
      kind: 'result',
      about: 'todo-count:count a.ts',
      expected: 'a.ts: 1 to do',
      actual: 'a.ts: 1 to do!',
    },
  },
  'the hook of a plugin': {
    row: 'a plugin with a tool and a hook',
    change: (space) => inPlugin(space, 'made by a script', 'made by a program'),
    first: {
      kind: 'result',
      about: 'Write generated/x.ts',
      actual: expect.stringContaining('made by a program'),
    },
  },
  'a plugin that no longer loads': {
    row: 'a plugin with a tool and a hook',
    change: (space) => inPlugin(space, 'let counted = 0;', 'let counted = ;'),
    first: {
      kind: 'result',
      about: 'todo-count:count a.ts',
      actual: expect.stringContaining('Unknown tool'),
    },
  },
  'a file that the session only read': {
    row: 'a plugin with a tool and a hook',
    change: (space) => writeFile(path.join(space.root, 'a.ts'), '// TODO one\n// TODO two\n'),
    first: { kind: 'result', about: 'todo-count:count a.ts', actual: 'a.ts: 2 to do' },
  },
  'a rule that now refuses a command': {
    row: 'a command',
    change: async (space) => void (await configure(space, { permissions: { deny: ['Bash(cat:*)'] } })),
    first: { kind: 'result', about: 'Bash cat a.txt', expected: 'one\n' },
  },
};

async function inPlugin(space: Workspace, before: string, after: string): Promise<void> {
  const file = path.join(space.home, 'plugin/index.js');
  const text = await readFile(file, 'utf8');
  expect(text).toContain(before);
  await writeFile(file, text.replace(before, after));
}

const stage = (row: Recorded) => workspace(row.files ?? { 'a.txt': 'one\n', 'keep.txt': 'kept\n' });

describe('a session replays identically, and a changed byte of its journal is the first difference', () => {
  test.each(sampled(Object.entries(rows), 6))('%s', { timeout: 180_000 }, async (_, row) => {
    const space = await stage(row);
    const id = await row.record(space);
    const before = await space.tree();
    const { report } = await replay(space, id);
    expect(report.differences).toEqual([]);
    expect(report.fromJournal.map(({ because }) => because)).toEqual(row.fromJournal ?? []);
    if (row.runs !== undefined) expect(report.runs).toBe(row.runs);
    if (row.notes) expect(report.notes.join('\n')).toMatch(row.notes);
    else expect(report.notes).toEqual([]);
    expect(await space.tree()).toEqual(before);

    const journal = journalOf(space, id);
    const original = await readFile(journal);
    expect(await changeResult(journal)).toBe(true);
    const other = await replay(space, id);
    expect(other.code).toBe(1);
    expect(other.report.differences).toEqual([
      {
        kind: 'result',
        run: expect.any(Number),
        about: expect.any(String),
        expected: expect.stringMatching(/~$/m),
        actual: expect.any(String),
      },
    ]);
    await writeFile(journal, original);
    const written = await changeWrite(journal);
    if (written === undefined) return;
    const changed = (await replay(space, id)).report.differences;
    expect(changed.some(({ kind, about }) => kind === 'file' && about.endsWith(written))).toBe(true);
  });
});

describe('a change of what runs is the first difference', () => {
  test.each(sampled(Object.entries(changes), 3))(
    '%s',
    { timeout: 180_000 },
    async (_, { row, change, first }) => {
      const session = rows[row];
      if (!session) throw new Error(row);
      const space = await stage(session);
      const id = await session.record(space);
      await change(space);
      const { report } = await replay(space, id);
      expect(report.differences[0]).toMatchObject(first);
    },
  );
});
