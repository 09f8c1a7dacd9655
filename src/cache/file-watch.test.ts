import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { workspace } from '../../test/support/workspace.ts';
import { createFileWatch } from './file-watch.ts';

test('[H08] a change of a watched file is reported, in place or by replacement; other files are not', async () => {
  const { root } = await workspace({ 'a.txt': 'a', 'b.txt': 'b', 'other.txt': 'o' });
  const inside = (name: string) => path.join(root, name);
  const heard = new Set<string>();
  const watch = createFileWatch({ onChange: (file) => heard.add(path.basename(file)), quietMs: 0 });
  onTestFinished(() => watch.close());
  watch.add(inside('a.txt'));
  watch.add(inside('b.txt'));
  // Watching starts asynchronously: changes are repeated until one is reported.
  for (let i = 0; !heard.has('a.txt') || !heard.has('b.txt'); i++) {
    await writeFile(inside('other.txt'), `${i}`);
    await writeFile(inside('a.txt'), `${i}`);
    await writeFile(inside('fresh'), `${i}`);
    await rename(inside('fresh'), inside('b.txt'));
    await pause(50);
  }
  expect([...heard].sort()).toEqual(['a.txt', 'b.txt']);
});

test('closed before it started, it never starts', async () => {
  const { root } = await workspace({ 'a.txt': 'a' });
  const file = path.join(root, 'a.txt');
  const heard: string[] = [];
  const watching = (name: string) => createFileWatch({ onChange: () => heard.push(name), quietMs: 0 });
  const [closed, open] = [watching('closed'), watching('open')];
  onTestFinished(() => open.close());
  closed.add(file);
  open.add(file);
  await closed.close();
  for (let i = 0; !heard.includes('open'); i++) {
    await writeFile(file, `${i}`);
    await pause(50);
  }
  expect(heard).not.toContain('closed');
});
