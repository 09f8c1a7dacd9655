import { expect, test } from 'vitest';
import { safeGitEnvironment } from '../../lib/paths/safe-git.ts';
import { inspectionEnvironment } from './inspection-environment.ts';

/** Everything in /project, or relative, could have been planted. */
const programs = {
  safe: () => '/usr/bin',
  isChangeable: (file: string) => !file.startsWith('/') || file.startsWith('/project/'),
};

/** The remaining environment for a read-only command. */
function left(env: Record<string, string>): Record<string, string | undefined> {
  const now: Record<string, string | undefined> = { ...env, ...inspectionEnvironment(env, programs) };
  const ours = Object.keys(safeGitEnvironment());
  return Object.fromEntries(
    Object.entries(now).filter(([name, value]) => value !== undefined && !ours.includes(name)),
  );
}

test.each([
  ['BASH_FUNC_ls%%', '() { ./evil; }'],
  ['BASH_FUNC_git()', '() { ./evil; }'],
  ['SHELLOPTS', 'xtrace'],
  ['PS4', '$(./evil)'],
  ['CDPATH', '/etc'],
  ['RIPGREP_CONFIG_PATH', '/home/me/.ripgreprc'],
  ['GREP_OPTIONS', '-f x'],
  ['LESSOPEN', '|./evil %s'],
  ['NODE_OPTIONS', '--require ./evil.js'],
  ['JAVA_TOOL_OPTIONS', '-javaagent:evil.jar'],
  ['PERL5OPT', '-Mevil'],
  ['RUBYOPT', '-r./evil'],
  ['GIT_CONFIG_PARAMETERS', "'core.fsmonitor=./evil'"],
  ['GIT_EXTERNAL_DIFF', './evil'],
  ['GIT_SSH', './evil'],
  ['LD_PRELOAD', './evil.so'],
  ['LD_PRELOAD', '/usr/lib/good.so /project/evil.so'],
  ['LD_PRELOAD', '/usr/lib/good.so:x/evil.so'],
  ['LD_AUDIT', '/project/evil.so'],
  ['LD_LIBRARY_PATH', '/usr/lib:'],
  ['LD_LIBRARY_PATH', '.'],
  ['LD_LIBRARY_PATH', '/opt/lib:/project/lib'],
  ['DYLD_INSERT_LIBRARIES', '/project/evil.dylib'],
  ['GIT_EXEC_PATH', '/project/git-core'],
  ['GIT_CONFIG_GLOBAL', './gitconfig'],
  ['XDG_CONFIG_HOME', '/project/.config'],
  ['DEVELOPER_DIR', './Xcode'],
])('[Y06] %s=%s is removed for a command that runs without approval', (name, value) => {
  expect(left({ [name]: value, HOME: '/home/me' })).toEqual({ HOME: '/home/me' });
});

test.each([
  ['LD_PRELOAD', 'libjemalloc.so.2'],
  ['LD_PRELOAD', '/usr/lib/libjemalloc.so.2'],
  ['LD_LIBRARY_PATH', '/opt/conda/lib:/usr/lib'],
  ['GIT_EXEC_PATH', '/usr/lib/git-core'],
  ['XDG_CONFIG_HOME', '/home/me/.config'],
  ['LS_COLORS', 'di=34'],
  ['LANG', 'C'],
])('%s=%s is harmless and stays', (name, value) => {
  expect(left({ [name]: value })).toEqual({ [name]: value });
});

test('PATH is reduced to its safe folders, however it is spelled', () => {
  expect(left({ PATH: '.:/usr/bin' })).toEqual({ PATH: '/usr/bin' });
  expect(left({ Path: '.;/usr/bin' })).toEqual({ Path: '/usr/bin' });
  expect(left({})).toEqual({});
});
