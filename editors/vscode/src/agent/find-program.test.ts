import { describe, expect, test } from 'vitest';
import { commandLine, findProgram, type Lookup } from './find-program.ts';

function find(present: string[], lookup: Partial<Lookup> = {}): string | null {
  return findProgram({
    setting: '',
    path: '/usr/local/bin:/usr/bin',
    folders: ['/project'],
    home: '/home/me',
    platform: 'linux',
    isProgram: (file) => present.includes(file),
    ...lookup,
  });
}

describe('the program is found', () => {
  test.each<[string, string[], Partial<Lookup>, string | null]>([
    ['on PATH', ['/usr/bin/aca'], {}, '/usr/bin/aca'],
    ['first on PATH', ['/usr/bin/aca', '/project/node_modules/.bin/aca'], {}, '/usr/bin/aca'],
    ['in a trusted folder', ['/project/node_modules/.bin/aca'], {}, '/project/node_modules/.bin/aca'],
    ['never in a folder that is not trusted', ['/project/node_modules/.bin/aca'], { folders: [] }, null],
    ['never below a relative entry of PATH', ['bin/aca', './aca'], { path: 'bin:.:' }, null],
    ['where the setting says', ['/opt/aca', '/usr/bin/aca'], { setting: ' /opt/aca ' }, '/opt/aca'],
    ['below the home folder', ['/home/me/bin/aca'], { setting: '~/bin/aca' }, '/home/me/bin/aca'],
    ['by another name on PATH', ['/usr/bin/aca-dev'], { setting: 'aca-dev' }, '/usr/bin/aca-dev'],
    ['nowhere else if the setting is wrong', ['/usr/bin/aca'], { setting: '/opt/aca' }, null],
    ['not by a relative path', ['bin/aca', '/project/bin/aca'], { setting: 'bin/aca' }, null],
  ])('%s', (_, present, lookup, expected) => {
    expect(find(present, lookup)).toBe(expected);
  });

  test.each<[string, string[], Partial<Lookup>, string | null]>([
    ['as a script', ['C:\\npm\\aca', 'C:\\npm\\aca.cmd'], {}, 'C:\\npm\\aca.cmd'],
    ['as a program', ['C:\\npm\\aca.exe', 'C:\\npm\\aca.cmd'], {}, 'C:\\npm\\aca.exe'],
    ['with its ending in the setting', ['D:\\aca.exe'], { setting: 'D:\\aca.exe' }, 'D:\\aca.exe'],
    ['without its ending in the setting', ['D:\\aca.exe'], { setting: 'D:\\aca' }, 'D:\\aca.exe'],
  ])('on Windows: %s', (_, present, lookup, expected) => {
    expect(find(present, { platform: 'win32', path: 'C:\\npm;bin', folders: [], ...lookup })).toBe(expected);
  });
});

test('a script of Windows is started through a shell, with quotes', () => {
  expect(commandLine('/usr/bin/aca', ['acp', 'a b'])).toEqual({
    file: '/usr/bin/aca',
    args: ['acp', 'a b'],
    shell: false,
  });
  expect(commandLine('C:\\my npm\\aca.cmd', ['acp', 'a "b" %c'])).toEqual({
    file: '"C:\\my npm\\aca.cmd"',
    args: ['"acp"', '"a ""b"" "^%"c"'],
    shell: true,
  });
});
