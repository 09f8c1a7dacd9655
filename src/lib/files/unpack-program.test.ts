import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freshFolder } from '../../../test/support/workspace.ts';
import { unpackProgram } from './unpack-program.ts';

const content = Buffer.from('#!/bin/sh\necho unpacked\n');
const sha256 = createHash('sha256').update(content).digest('hex');

function packed(folder: string) {
  let reads = 0;
  const unpack = () =>
    unpackProgram({
      folder,
      name: 'tool.exe',
      sha256,
      read: () => {
        reads++;
        return content;
      },
    });
  return { unpack, reads: () => reads };
}

const programFolder = async () => path.join(await freshFolder('aca-unpack-'), 'cache', 'programs');

/** Where nothing can be saved, the program stays until the process of all these tests exits. */
const removed = (file: string) => onTestFinished(() => rm(path.dirname(file), { recursive: true }));

test('a program is written once, for its owner only, and reused from then on', async () => {
  const folder = await programFolder();
  const { unpack, reads } = packed(folder);
  const file = unpack();
  expect(file).toBe(path.join(folder, `tool-${sha256.slice(0, 16)}.exe`));
  expect(readFileSync(file)).toEqual(content);
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o700);
  expect([unpack(), reads(), readdirSync(folder)]).toEqual([file, 1, [path.basename(file)]]);
});

test('a damaged or replaced program is never started: it is written again', async () => {
  const { unpack } = packed(await programFolder());
  const file = unpack();
  for (const other of ['', '#!/bin/sh\necho exchanged\n', content.subarray(0, 5)]) {
    writeFileSync(file, other);
    expect(readFileSync(unpack())).toEqual(content);
  }
});

test.skipIf(process.platform === 'win32')('a folder writable by others is not used', async () => {
  const folder = await programFolder();
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o777);
  const file = packed(folder).unpack();
  removed(file);
  expect([path.dirname(file) === folder, readdirSync(folder), readFileSync(file)]).toEqual([
    false,
    [],
    content,
  ]);
});

test('where nothing can be saved, it is unpacked for this process only', async () => {
  const folder = await programFolder();
  writeFileSync(path.dirname(folder), 'a file, not a folder');
  const file = packed(folder).unpack();
  removed(file);
  expect([existsSync(folder), readFileSync(file)]).toEqual([false, content]);
});
