import { expect, test } from 'vitest';
import { findShell } from './shell-program.ts';

const SYSTEM = 'C:\\Windows\\System32';
const POWERSHELL = `${SYSTEM}\\WindowsPowerShell\\v1.0\\powershell.exe`;
const windows = {
  Path: `${SYSTEM};${SYSTEM}\\WindowsPowerShell\\v1.0`,
  ComSpec: `${SYSTEM}\\cmd.exe`,
  ProgramFiles: 'C:\\Program Files',
};

test('[N04] on Windows PowerShell is chosen if found, and returns the exit code of the last program', () => {
  const { args, ...program } = findShell('win32', windows, (file) => file === POWERSHELL);
  expect(program).toEqual({ name: 'powershell', file: POWERSHELL });
  expect(args('npm test # "all"').at(-1)?.split('\n')).toEqual([
    "[Console]::OutputEncoding = [Text.Encoding]::UTF8; $ProgressPreference = 'SilentlyContinue'",
    'npm test # "all"',
    'if (-not $?) { if ($LASTEXITCODE) { exit $LASTEXITCODE } else { exit 1 } }',
  ]);
});

test.each([
  ['of Git for Windows', windows, 'C:\\Program Files\\Git\\bin\\bash.exe'],
  [
    'of the PATH',
    { ...windows, Path: `${windows.Path};D:\\msys64\\usr\\bin` },
    'D:\\msys64\\usr\\bin\\bash.exe',
  ],
  [
    'of one user',
    { ...windows, LOCALAPPDATA: 'C:\\Users\\u\\AppData\\Local' },
    'C:\\Users\\u\\AppData\\Local\\Programs\\Git\\bin\\bash.exe',
  ],
])('[N04] a bash %s is preferred to PowerShell', (_name, env, file) => {
  const { args, ...program } = findShell('win32', env, (one) => one === file || one === POWERSHELL);
  expect([program, args('ls')]).toEqual([{ name: 'bash', file }, ['-c', 'ls']]);
});

test('[N04] the bash of WSL is not used: its paths differ', () => {
  const apps = 'C:\\Users\\u\\AppData\\Local\\Microsoft\\WindowsApps';
  const leads = [`${SYSTEM}\\bash.exe`, `${apps}\\bash.exe`];
  const env = { ...windows, Path: `${windows.Path};${apps}` };
  expect(findShell('win32', env, (file) => leads.includes(file) || file === POWERSHELL).name).toBe(
    'powershell',
  );
});

test('otherwise cmd, which gets the line unchanged', () => {
  const env = { ComSpec: 'C:\\Windows\\system32\\cmd.exe' };
  const { args, ...program } = findShell('win32', env, () => false);
  expect(program).toEqual({ name: 'cmd', file: 'C:\\Windows\\system32\\cmd.exe', verbatim: true });
  expect(args('dir "C:\\a b"')).toEqual(['/d', '/s', '/c', '"dir "C:\\a b""']);
});
