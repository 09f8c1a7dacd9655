import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { workspace } from '../../../../test/support/workspace.ts';
import type { Look } from '../theme/look.ts';
import { dropLook, keepLook, readLook } from './look-file.ts';

const look: Look = {
  ground: 'dark',
  sign: '\u001b[38;5;111m> \u001b[39m',
  placeholder: 'Ask for anything · ? keys',
  muted: ['\u001b[2m', '\u001b[22m'],
  border: ['', ''],
  warning: ['\u001b[1m', '\u001b[22m'],
  mode: 'default',
  heads: { default: 'default' },
};
const env = { TERM: 'xterm-256color' };

test('the appearance is restored for the same kind of terminal, and for no other', async () => {
  const { home } = await workspace();
  keepLook(home, env, look);
  keepLook(home, { ...env, NO_COLOR: '1' }, { ...look, sign: '> ' });
  expect(readLook(home, env)).toEqual(look);
  expect(readLook(home, { ...env, NO_COLOR: '1' })).toEqual({ ...look, sign: '> ' });
  expect(readLook(home, { TERM: 'vt100' })).toBeNull();
  expect(await readdir(path.join(home, 'cache'))).toEqual(['looks.json']);
});

test('the last eight kinds of terminals are kept', async () => {
  const { home } = await workspace();
  for (let i = 0; i < 12; i++) keepLook(home, { TERM: `t${i}` }, look);
  const known = Array.from({ length: 12 }, (_, i) => readLook(home, { TERM: `t${i}` }) !== null);
  expect(known).toEqual([...Array(4).fill(false), ...Array(8).fill(true)]);
});

test('a dropped entry is gone, and others stay', async () => {
  const { home } = await workspace();
  keepLook(home, env, look);
  keepLook(home, { TERM: 'vt100' }, look);
  dropLook(home, env);
  expect([readLook(home, env), readLook(home, { TERM: 'vt100' })]).toEqual([null, look]);
});

test('nothing is created if nothing is kept', async () => {
  const { home } = await workspace();
  const root = path.join(home, 'none');
  keepLook(root, env, look);
  dropLook(root, env);
  expect([readLook(root, env), await readdir(home)]).toEqual([null, []]);
});

test.each([
  ['is no JSON', 'nonsense'],
  ['is no table', '[1]'],
  ['lacks a part', JSON.stringify({ 'xterm-256color||||||||': { ...look, muted: undefined } })],
  ['moves the cursor', JSON.stringify({ 'xterm-256color||||||||': { ...look, sign: '\u001b[2J> ' } })],
  ['rings', JSON.stringify({ 'xterm-256color||||||||': { ...look, placeholder: 'a\u0007' } })],
  [
    'names the terminal',
    JSON.stringify({ 'xterm-256color||||||||': { ...look, border: ['\u001b]0;x', ''] } }),
  ],
])('a file that %s is ignored', async (_what, text) => {
  const { home } = await workspace();
  await mkdir(path.join(home, 'cache'));
  const file = path.join(home, 'cache/looks.json');
  await writeFile(file, text);
  expect(readLook(home, env)).toBeNull();
  keepLook(home, env, look);
  expect(readLook(home, env)).toEqual(look);
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ 'xterm-256color||||||||': look });
});
