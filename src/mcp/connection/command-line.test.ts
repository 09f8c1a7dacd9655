import { expect, test } from 'vitest';
import { launched } from './command-line.ts';

const env = { Path: 'C:\\nodejs;C:\\tools', ComSpec: 'C:\\Windows\\System32\\cmd.exe' };

test('on other systems a program is started by name, with unchanged arguments', () => {
  const args = ['-y', 'a b', '$HOME'];
  expect(launched({ command: 'npx', args, env: {}, platform: 'linux' })).toEqual({
    file: 'npx',
    args,
    verbatim: false,
  });
});

test('[N04] on Windows a program is found with its extension, and started directly', () => {
  const exists = (file: string) => file === 'C:\\nodejs\\node.exe';
  expect(launched({ command: 'node', args: ['a b'], env, platform: 'win32', exists })).toEqual({
    file: 'C:\\nodejs\\node.exe',
    args: ['a b'],
    verbatim: false,
  });
});

test('[N04] on Windows a script such as npx runs through cmd, and its arguments are never parsed as commands', () => {
  const exists = (file: string) => file === 'C:\\nodejs\\npx.cmd';
  const { file, args, verbatim } = launched({
    command: 'npx',
    args: ['-y', 'x & calc', 'say "hi"', '%PATH%'],
    env,
    platform: 'win32',
    exists,
  });
  expect([file, verbatim, args.slice(0, 3)]).toEqual([env.ComSpec, true, ['/d', '/s', '/c']]);
  expect(args[3]).toBe(
    [
      '"C:\\nodejs\\npx.cmd',
      '^^^"-y^^^"',
      '^^^"x^^^ ^^^&^^^ calc^^^"',
      '^^^"say^^^ \\^^^"hi\\^^^"^^^"',
      '^^^"^^^%PATH^^^%^^^""',
    ].join(' '),
  );
});

test('[N04] on Windows an unknown name is left to the system to report', () => {
  expect(launched({ command: 'nope', args: [], env, platform: 'win32', exists: () => false })).toEqual({
    file: 'nope',
    args: [],
    verbatim: false,
  });
});
