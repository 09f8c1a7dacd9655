import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { workspace } from '../../test/support/workspace.ts';
import { findShell } from './shell-program.ts';

test('on Windows PowerShell is chosen where it is found, and it tells the exit code of the last program', async () => {
  const { root } = await workspace();
  const file = path.join(root, 'powershell.exe');
  await writeFile(file, '');
  const { args, ...program } = findShell('win32', { Path: root });
  expect(program).toEqual({ name: 'powershell', file });
  expect(args('npm test # "all"').at(-1)?.split('\n')).toEqual([
    "[Console]::OutputEncoding = [Text.Encoding]::UTF8; $ProgressPreference = 'SilentlyContinue'",
    'npm test # "all"',
    'if (-not $?) { if ($LASTEXITCODE) { exit $LASTEXITCODE } else { exit 1 } }',
  ]);
});

test('else cmd, which gets the line as it is', () => {
  const { args, ...program } = findShell('win32', { ComSpec: 'C:\\Windows\\system32\\cmd.exe' });
  expect(program).toEqual({ name: 'cmd', file: 'C:\\Windows\\system32\\cmd.exe', verbatim: true });
  expect(args('dir "C:\\a b"')).toEqual(['/d', '/s', '/c', '"dir "C:\\a b""']);
});
