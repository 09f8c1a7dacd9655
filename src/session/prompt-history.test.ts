import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { workspace } from '../../test/support/workspace.ts';
import { PromptHistory } from './prompt-history.ts';

test('prompts persist across sessions, each once, those of this folder last', async () => {
  const { home } = await workspace();
  const file = path.join(home, 'deep/history.jsonl');
  const here = new PromptHistory({ file, limit: 100, cwd: '/here' });
  const there = new PromptHistory({ file, limit: 100, cwd: '/there' });
  expect(here.list()).toEqual([]);
  await here.add('one');
  await there.add('two\nlines');
  await here.add('three');
  await here.add('one');
  await here.add('   ');
  expect(here.list()).toEqual(['two\nlines', 'three', 'one']);
  expect(there.list()).toEqual(['three', 'one', 'two\nlines']);
});

test('the file stays within its limit, and a torn line loses only itself', async () => {
  const { home } = await workspace();
  const file = path.join(home, 'history.jsonl');
  const history = new PromptHistory({ file, limit: 10, cwd: '/here' });
  for (let i = 0; i < 16; i++) await history.add(`prompt ${i}`);
  expect(history.list()).toEqual(Array.from({ length: 10 }, (_, i) => `prompt ${i + 6}`));
  await appendFile(file, '{"prompt":"to\n');
  await history.add('last');
  expect(history.list().at(-1)).toBe('last');
});
