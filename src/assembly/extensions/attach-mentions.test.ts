import path from 'node:path';
import { expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { asTyped } from '../../contract/message.ts';
import { createAttachMentions } from './attach-mentions.ts';
import type { UserCall } from './user-calls.ts';

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `${from + i}\tline`).join('\n');

/** Reads like the tool, a hundred lines at a time, of files with 250 lines. */
async function readPage(_: string, input: unknown): Promise<UserCall> {
  const {
    file_path,
    offset: first = 1,
    limit,
  } = input as { file_path: string; offset?: number; limit?: number };
  const outcome = { success: true, refused: false, images: [] };
  if (file_path.endsWith('.env')) return { ...outcome, success: false, text: 'secret' };
  if (file_path.endsWith('/')) return { ...outcome, text: 'a folder' };
  if (file_path.endsWith('.png'))
    return { ...outcome, text: 'an image', images: [{ type: 'image', mediaType: 'image/png', data: 'AA' }] };
  const offset = first - 1;
  const count = Math.min(100, limit ?? 250, 250 - offset);
  const end = offset + count;
  const more =
    end < 250 && count !== limit ? `\n[${250 - end} more lines: continue with offset ${end + 1}]` : '';
  const summary = { kind: 'count' as const, unit: 'line' as const, count, total: 250 };
  return { ...outcome, text: lines(offset + 1, end) + more, summary };
}

async function setUp() {
  const files = ['a.ts', 'my notes.md', '.env', 'pic.png', 'src/b.ts', 'Injectable'];
  const { root } = await workspace(Object.fromEntries(files.map((name) => [name, 'x'])));
  const calls: unknown[] = [];
  const notices: string[] = [];
  const attach = createAttachMentions({
    cwd: root,
    notice: (text) => notices.push(text),
    call(name, input) {
      calls.push(input);
      return readPage(name, input);
    },
  });
  const attached = async (typed: string) => (await attach([asTyped(typed)])).slice(0, -1);
  return { attach, attached, calls, notices, root };
}

test('files come before the prompt, page by page; a range is read alone; each is read once', async () => {
  const { attach, calls } = await setUp();
  const prompt = {
    type: 'text' as const,
    typed: true as const,
    text: 'compare @a.ts:120-240 with @"my notes.md" and @a.ts:120-240',
  };
  expect(await attach([prompt])).toEqual([
    { type: 'text', text: `<file path="a.ts" lines="120-240">\n${lines(120, 240)}\n</file>\n\n` },
    { type: 'text', text: `<file path="my notes.md">\n${lines(1, 250)}\n</file>\n\n` },
    prompt,
  ]);
  expect(calls).toHaveLength(5);
});

test('folders, images, and names that only look like something else', async () => {
  const { attached, notices } = await setUp();
  expect(await attached('@src/ @pic.png @Injectable @angular/core me@a.ts')).toEqual([
    { type: 'text', text: '<file path="src/">\na folder\n</file>\n\n' },
    { type: 'text', text: '<file path="pic.png">\nan image\n</file>\n\n' },
    { type: 'image', mediaType: 'image/png', data: 'AA' },
    { type: 'text', text: expect.stringContaining('path="Injectable"') },
  ]);
  expect(notices).toEqual([]);
});

test('what is missing or refused is reported, and the prompt is sent without it', async () => {
  const { attached, notices, root } = await setUp();
  expect(await attached(`@none.ts @src/none.ts:3 @.env @${path.join(root, 'nothing')} @decorator`)).toEqual(
    [],
  );
  expect(notices).toEqual([
    'none.ts was not attached: there is no such file.',
    'src/none.ts was not attached: there is no such file.',
    '.env was not attached: secret',
  ]);
});

test('nothing is cut without a notice', async () => {
  const { attach, notices } = await setUp();
  const long = `${lines(1, 100)}${'x'.repeat(40_000)}`;
  const cutting = createAttachMentions({
    cwd: (await setUp()).root,
    notice: (text) => notices.push(text),
    call: async (name, input) => {
      const page = await readPage(name, input);
      return { ...page, text: long };
    },
  });
  await cutting([asTyped('@a.ts and @src/b.ts')]);
  expect(notices).toEqual([
    'a.ts: only lines 1 to 200 of 250 are attached; the model can read the rest.',
    'src/b.ts was not attached: a prompt takes 20 files and 60,000 characters. The model can read it.',
  ]);
  expect(await attach([{ type: 'text', text: 'from a log: @a.ts' }], 'summarize')).toHaveLength(1);
});
