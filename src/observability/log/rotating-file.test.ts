import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runTogether } from '../../../test/support/run-together.ts';
import { workspace } from '../../../test/support/workspace.ts';
import { filesOfLog, RotatingFile } from './rotating-file.ts';

async function linesIn(folder: string, names: readonly string[]): Promise<unknown[]> {
  const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')));
  return texts.flatMap((text) => text.split('\n').filter(Boolean)).map((line) => JSON.parse(line));
}

test('several processes write and rotate one file, and every line is there once, complete', async () => {
  const { home } = await workspace();
  const folder = path.join(home, 'logs');
  const names = ['a', 'b', 'c', 'd'];
  const args = (name: string) => [path.join(folder, 'aca.jsonl'), '20000', '200', name];

  expect(await runTogether('append-lines.ts', { folder: home, each: names.map(args) })).toEqual(
    names.map(() => ''),
  );

  const files = await readdir(folder);
  const lines = (await linesIn(folder, files)) as { line: string }[];
  const expected = names.flatMap((name) => Array.from({ length: 200 }, (_, i) => `${name}-${i}`));
  expect(files.length).toBeGreaterThan(2);
  expect(lines.map(({ line }) => line.trim()).sort()).toEqual(expected.sort());
});

test('the last few files are kept, readable only by their owner', async () => {
  const { home } = await workspace();
  const file = path.join(home, 'logs', 'aca.jsonl');
  const lines = new RotatingFile(file, 30);
  for (let i = 0; i < 20; i++) lines.append(JSON.stringify({ number: i, filler: 'x' }));

  expect((await readdir(path.dirname(file))).sort()).toEqual(
    filesOfLog(file)
      .map((name) => path.basename(name))
      .sort(),
  );
  expect(
    await linesIn(
      path.dirname(file),
      filesOfLog(file).map((name) => path.basename(name)),
    ),
  ).toEqual([14, 15, 16, 17, 18, 19].map((number) => ({ number, filler: 'x' })));
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});
