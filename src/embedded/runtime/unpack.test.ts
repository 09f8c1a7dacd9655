import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { entriesBelow } from '../../lib/files/files-below.ts';
import { unpack } from './unpack.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'aca-unpack-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function names(root: string): Promise<string[]> {
  return entriesBelow(root)
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)))
    .sort();
}

test('files of an archive written by tar are unpacked, long names included; links are not', async () => {
  const long = `${'a-rather-long-folder-name/'.repeat(6)}file.txt`;
  const source = path.join(folder, 'package');
  await mkdir(path.join(source, path.dirname(long)), { recursive: true });
  await writeFile(path.join(source, long), 'far down');
  await writeFile(path.join(source, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 });
  await writeFile(path.join(source, 'big.bin'), Buffer.alloc(3_000_000, 7));
  await writeFile(path.join(source, 'empty'), '');
  await symlink('/etc/passwd', path.join(source, 'link'));
  const archive = path.join(folder, 'a.tgz');
  execFileSync('tar', ['-czf', archive, '-C', folder, 'package']);

  const out = path.join(folder, 'out');
  await unpack(archive, out, (name) => name !== 'empty');

  expect(await names(out)).toEqual([long, 'big.bin', 'run.sh'].sort());
  expect(await readFile(path.join(out, long), 'utf8')).toBe('far down');
  expect((await readFile(path.join(out, 'big.bin'))).equals(Buffer.alloc(3_000_000, 7))).toBe(true);
  expect((await stat(path.join(out, 'run.sh'))).mode & 0o777).toBe(0o755);
});

test('a name that leads out of the folder is skipped', async () => {
  const archive = path.join(folder, 'evil.tgz');
  const entries = ['package/../../evil', 'package/./ok', '/etc/evil', 'package/a/../../../evil'].map(entry);
  await writeFile(archive, gzipSync(Buffer.concat([...entries, Buffer.alloc(1024)])));

  const out = path.join(folder, 'deep', 'out');
  await unpack(archive, out);

  expect(await names(folder)).toEqual(['deep/out/etc/evil', 'deep/out/ok', 'evil.tgz']);
});

test('a truncated archive is an error', async () => {
  const archive = path.join(folder, 'cut.tgz');
  await writeFile(archive, gzipSync(entry('package/a').subarray(0, 700)));

  await expect(unpack(archive, path.join(folder, 'out'))).rejects.toThrow('The archive is incomplete');
});

/** One file of one line in tar format. */
function entry(name: string): Buffer {
  const head = Buffer.alloc(512);
  head.write(name, 0);
  head.write('0000644\0', 100);
  head.write('00000000004\0', 124);
  head.write('0', 156);
  head.write('ustar\0', 257);
  const body = Buffer.alloc(512);
  body.write('evil');
  return Buffer.concat([head, body]);
}
