import { homedir, userInfo } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { dataRoot, homeFolder, resolvePath } from './data-root.ts';

describe('the data root', () => {
  test.each([
    [{ HOME: '/home/ann' }, path.resolve('/home/ann/.ai-assistant')],
    [{ USERPROFILE: '/users/ann' }, path.resolve('/users/ann/.ai-assistant')],
    [{}, path.join(homedir(), '.ai-assistant')],
    [{ HOME: '/home/ann', AI_ASSISTANT_HOME: '/srv/data' }, path.resolve('/srv/data')],
    [{ HOME: '/home/ann', AI_ASSISTANT_HOME: '~/data' }, path.resolve('/home/ann/data')],
    [{ HOME: '/home/ann', AI_ASSISTANT_HOME: '' }, path.resolve('/home/ann/.ai-assistant')],
    [{ AI_ASSISTANT_HOME: 'here' }, path.resolve('here')],
    [{ HOME: '' }, path.join(homedir(), '.ai-assistant')],
    [{ HOME: 'here' }, path.join(homedir(), '.ai-assistant')],
  ])('of %j is %s', (env, expected) => {
    expect(path.resolve(dataRoot(env))).toBe(expected);
  });
});

test.skipIf(process.platform === 'win32').each(['', 'here'])(
  'with HOME=%j in the process, the home folder is that of the account',
  (home) => {
    const { HOME } = process.env;
    onTestFinished(() => {
      process.env.HOME = HOME;
    });
    process.env.HOME = home;
    expect(homeFolder(process.env)).toBe(userInfo().homedir);
  },
);

test('only a tilde as the whole first segment means home', () => {
  const env = { HOME: '/home/ann' };
  expect(['~', '~/a', '~bob/a', 'a/~', '/x'].map((written) => resolvePath(written, '/base', env))).toEqual(
    ['/home/ann', '/home/ann/a', '/base/~bob/a', '/base/a/~', '/x'].map((expected) => path.resolve(expected)),
  );
});
