import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import type { ServerTool } from './offers.ts';
import { seenTools } from './seen-tools.ts';

const tool: ServerTool = {
  name: 'say',
  description: 'Says it',
  schema: { type: 'object', properties: { a: { type: 'string' }, b: {} } },
  readOnly: true,
};

test('a tool is new, then seen, then changed by any difference that matters to a model or a judgement; key order does not', async () => {
  const { home } = await workspace();
  const file = path.join(home, 'mcp/seen-tools.json');
  const seen = seenTools(file);
  await seen.load();
  expect(seen.state('s', tool)).toBe('new');
  await seen.agree('s', [tool]);
  expect(seen.state('s', tool)).toBe('seen');
  expect(seen.state('other', tool)).toBe('new');

  const again = seenTools(file);
  await again.load();
  const reordered = { properties: { b: {}, a: { type: 'string' } }, type: 'object' };
  expect(again.state('s', { ...tool, schema: reordered })).toBe('seen');
  for (const change of [{ description: 'Says it.' }, { readOnly: false }, { schema: { type: 'object' } }])
    expect(again.state('s', { ...tool, ...change })).toBe('changed');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('approvals of two processes are merged, and a damaged file approves nothing', async () => {
  const { home } = await workspace();
  const file = path.join(home, 'seen.json');
  const [one, two] = [seenTools(file), seenTools(file)];
  await one.agree('a', [tool]);
  await two.agree('b', [tool]);
  expect(Object.keys(JSON.parse(await readFile(file, 'utf8')) as object)).toEqual(['a', 'b']);
  for (const text of ['{', '[]', '{"a": 1}']) {
    await writeFile(file, text);
    const damaged = seenTools(file);
    await damaged.load();
    expect(damaged.state('a', tool)).toBe('new');
  }
});
