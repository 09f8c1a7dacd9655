import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { machine, sessionOn } from '../../../test/support/bundles.ts';
import { prompt, reply } from '../../../test/support/histories.ts';
import { workspace } from '../../../test/support/workspace.ts';
import { exported } from '../conversation/export-file.ts';
import { writeExportTo } from './export-target.ts';

const write = (file: string, more = {}) => writeExportTo(file, more, () => writeFile(file, 'new'));

test('an earlier export of any format is overwritten', async () => {
  const source = await machine();
  const id = await sessionOn(source, [prompt('hi'), reply('Hello.')]);
  const session = await source.store.read(id);
  if (!session) throw new Error('The session is missing.');
  const { file } = await source.pack(id);
  const files = [file];
  for (const format of ['markdown', 'html', 'json'] as const) {
    files.push(path.join(source.root, format));
    await writeFile(path.join(source.root, format), await exported(session, format));
  }
  for (const one of files) {
    await write(one);
    expect(await readFile(one, 'utf8')).toBe('new');
  }
});

test('any other file is overwritten only by force', async () => {
  const { root, tree } = await workspace({ 'README.md': '# Shop\n', 'a.gz': '\u001f\u008b', 'empty.md': '' });
  const readme = path.join(root, 'README.md');
  await expect(write(readme)).rejects.toThrow(`${readme} already exists and is not an exported session.`);
  await expect(write(path.join(root, 'a.gz'))).rejects.toThrow('is not an exported session');
  await write(path.join(root, 'empty.md'));
  await write(readme, { force: true });
  expect(await tree()).toEqual({ 'README.md': 'new', 'a.gz': '\u001f\u008b', 'empty.md': 'new' });
});

test('folders, missing folders and errors of the system are said in a sentence', async () => {
  const { root } = await workspace({ file: 'x' });
  await mkdir(path.join(root, 'out'));
  await expect(write(path.join(root, 'out'))).rejects.toThrow(`${root}/out is a folder.`);
  await expect(write(path.join(root, 'q/x.md'))).rejects.toThrow(`There is no folder ${root}/q.`);
  await expect(write(path.join(root, 'file/x.md'))).rejects.toThrow(`There is no folder ${root}/file.`);
  const long = path.join(root, 'x'.repeat(300));
  await expect(write(long)).rejects.toThrow(`Could not write ${long}: ENAMETOOLONG`);
});
