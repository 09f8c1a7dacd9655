import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makePipe } from '../../../test/support/tool-context.ts';
import { workspace } from '../../../test/support/workspace.ts';
import { appendRegularText, openToAppend, readRegularFile, readRegularText } from './regular-file.ts';

const unlessWindows = test.skipIf(process.platform === 'win32');

function codeOf(action: () => unknown): string {
  try {
    action();
    return 'none';
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}

test('a regular file is read and appended to', async () => {
  const { root } = await workspace({ 'a.txt': 'one\n' });
  const file = path.join(root, 'a.txt');
  appendRegularText(file, 'two\n');
  expect(readRegularText(file)).toBe('one\ntwo\n');
  expect(readRegularFile(file)).toEqual(readFileSync(file));
  expect(codeOf(() => readRegularFile(path.join(root, 'b.txt')))).toBe('ENOENT');
  expect(codeOf(() => readRegularFile(root))).toBe('EISDIR');
});

unlessWindows('a pipe, a socket, a device and links to them are refused at once', async () => {
  const { root } = await workspace({});
  const at = (name: string) => path.join(root, name);
  makePipe(at('pipe'));
  symlinkSync('pipe', at('link'));
  symlinkSync('/dev/zero', at('device'));
  const server = createServer().listen(at('socket'));
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  for (const file of ['pipe', 'link', 'device', 'socket'].map(at)) {
    expect([file, codeOf(() => readRegularFile(file))]).toEqual([file, 'ENXIO']);
    expect([file, codeOf(() => openToAppend(file))]).toEqual([file, 'ENXIO']);
  }
  expect(() => readRegularText(at('pipe'))).toThrow(
    `${at('pipe')} is a pipe, a socket or a device, not a regular file.`,
  );
});

unlessWindows('a pipe that takes the place of a file at any moment is never waited for', async () => {
  const { root } = await workspace({ 'a.txt': 'text' });
  const file = path.join(root, 'a.txt');
  mkdirSync(path.join(root, 'spare'));
  writeFileSync(path.join(root, 'spare/text'), 'text');
  const swap =
    'cd "$1"; while :; do mkfifo spare/pipe; mv spare/pipe a.txt; printf text >spare/text; mv spare/text a.txt; done';
  const swapper = spawn('sh', ['-c', swap, 'sh', root], { stdio: 'ignore' });
  onTestFinished(() => void swapper.kill('SIGKILL'));
  const seen = new Set<string>();
  for (let i = 0; i < 200_000 && seen.size < 2; i++) {
    const code = codeOf(() => expect(readRegularText(file)).toBe('text'));
    if (code !== 'ENOENT') seen.add(code);
  }
  expect([...seen].sort()).toEqual(['ENXIO', 'none']);
});
