import { spawnSync } from 'node:child_process';
import { closeSync, fstatSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test, vi } from 'vitest';
import { openUnnamedFile } from './unnamed-file.ts';

test.skipIf(process.platform === 'win32')('a child reads the content from its beginning to its end', () => {
  for (const content of ['', 'text äöü\n', Buffer.from([0, 255, 10, 0])]) {
    const file = openUnnamedFile(content);
    const { stdout } = spawnSync('cat', { stdio: [file, 'pipe', 'inherit'] });
    closeSync(file);
    expect(stdout).toEqual(Buffer.from(content));
  }
});

test('leaves no name behind', () => {
  closeSync(openUnnamedFile('x'));
  expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`aca-input-${process.pid}-`))).toEqual([]);
});

test.skipIf(process.platform !== 'linux')('needs no temporary folder', () => {
  vi.stubEnv('TMPDIR', '/nonexistent');
  try {
    const file = openUnnamedFile('four');
    expect(fstatSync(file).size).toBe(4);
    closeSync(file);
  } finally {
    vi.unstubAllEnvs();
  }
});
