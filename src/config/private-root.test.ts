import { chmodSync, lchownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { workspace } from '../../test/support/workspace.ts';
import { keepDataRootPrivate } from './private-root.ts';

const unlessWindows = test.skipIf(process.platform === 'win32');
const modeOf = (file: string) => statSync(file).mode & 0o777;

unlessWindows(
  'an open data root is closed to others, also behind a link; one that is not there is not made',
  async () => {
    const { root } = await workspace({});
    const folder = path.join(root, 'data');
    keepDataRootPrivate(folder);
    expect(() => statSync(folder)).toThrow('ENOENT');
    mkdirSync(folder);
    for (const mode of [0o777, 0o755, 0o750, 0o701, 0o700]) {
      chmodSync(folder, mode);
      keepDataRootPrivate(folder);
      expect(modeOf(folder)).toBe(0o700);
    }
    symlinkSync('data', path.join(root, 'link'));
    chmodSync(folder, 0o755);
    keepDataRootPrivate(path.join(root, 'link'));
    expect(modeOf(folder)).toBe(0o700);
  },
);

unlessWindows('what cannot be a data root is refused with the way on', async () => {
  const { root } = await workspace({});
  const at = (name: string) => path.join(root, name);
  writeFileSync(at('file'), '');
  symlinkSync('file', at('to-file'));
  symlinkSync('loop', at('loop'));
  const words = (name: string) => {
    try {
      keepDataRootPrivate(at(name));
      return null;
    } catch (error) {
      return (error as Error & { hint: string }).hint && (error as Error).message;
    }
  };
  expect(words('file')).toBe(`${at('file')} is not a folder.`);
  expect(words('to-file')).toBe(`${at('to-file')} is not a folder.`);
  expect(words('file/inside')).toContain('cannot be used: ENOTDIR');
  expect(words('loop')).toContain('cannot be used: ELOOP');
});

unlessWindows('a link that another user has put there is refused', async ({ skip }) => {
  if (process.getuid?.() !== 0) skip('only root may give files away');
  const { root } = await workspace({});
  mkdirSync(path.join(root, 'data'));
  const link = path.join(root, 'link');
  symlinkSync('data', link);
  lchownSync(link, 12_345, 12_345);
  expect(() => keepDataRootPrivate(link)).toThrow(`${link} is a link created by another user.`);
});
