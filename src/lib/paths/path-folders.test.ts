import { expect, test } from 'vitest';
import { pathFolders, variable } from './path-folders.ts';

test('[N04] the folders of PATH by the rules of each platform, without relative ones', () => {
  expect(pathFolders({ PATH: '/usr/bin::.:bin:/opt/a b' }, 'linux')).toEqual(['/usr/bin', '/opt/a b']);
  expect(
    pathFolders(
      { Path: 'C:\\Windows\\system32;.;"C:\\Program Files\\Git\\cmd";node_modules\\.bin;\\\\host\\tools' },
      'win32',
    ),
  ).toEqual(['C:\\Windows\\system32', 'C:\\Program Files\\Git\\cmd', '\\\\host\\tools']);
  expect(pathFolders({}, 'darwin')).toEqual([]);
});

test('[N04] variable names are case-insensitive on Windows only', () => {
  const env = { ProgramFiles: 'C:\\Program Files', path: 'x' };
  expect([
    variable(env, 'PROGRAMFILES', 'win32'),
    variable(env, 'PATH', 'win32'),
    variable(env, 'PATH', 'linux'),
  ]).toEqual(['C:\\Program Files', 'x', undefined]);
});
