import { expect, test } from 'vitest';
import { localeCheck } from './terminal.ts';

test.each<[NodeJS.ProcessEnv, NodeJS.Platform, string]>([
  [{ LANG: 'en_US.UTF-8' }, 'linux', 'ok'],
  [{ LANG: 'C.utf8' }, 'linux', 'ok'],
  [{ LC_ALL: 'C', LANG: 'en_US.UTF-8' }, 'linux', 'warn'],
  [{}, 'darwin', 'warn'],
  [{}, 'win32', 'ok'],
])('the locale of %j on %s', (env, platform, state) => {
  expect(localeCheck(env, platform).state).toBe(state);
});
