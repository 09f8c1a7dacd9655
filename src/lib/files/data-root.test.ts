import { homedir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { dataRoot, resolvePath } from './data-root.ts';

describe('the data root', () => {
  test.each([
    [{ HOME: '/home/ann' }, path.resolve('/home/ann/.ai-assistant')],
    [{ USERPROFILE: '/users/ann' }, path.resolve('/users/ann/.ai-assistant')],
    [{}, path.join(homedir(), '.ai-assistant')],
    [{ HOME: '/home/ann', AI_ASSISTANT_HOME: '/srv/data' }, path.resolve('/srv/data')],
    [{ HOME: '/home/ann', AI_ASSISTANT_HOME: '~/data' }, path.resolve('/home/ann/data')],
    [{ HOME: '/home/ann', AI_ASSISTANT_HOME: '' }, path.resolve('/home/ann/.ai-assistant')],
    [{ AI_ASSISTANT_HOME: 'here' }, path.resolve('here')],
  ])('of %j is %s', (env, expected) => {
    expect(path.resolve(dataRoot(env))).toBe(expected);
  });
});

test('only a tilde as the whole first segment means home', () => {
  const env = { HOME: '/home/ann' };
  expect(['~', '~/a', '~bob/a', 'a/~', '/x'].map((written) => resolvePath(written, '/base', env))).toEqual(
    ['/home/ann', '/home/ann/a', '/base/~bob/a', '/base/a/~', '/x'].map((expected) => path.resolve(expected)),
  );
});
