import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addressOf, expandSettings, serverEnvironment, transportOf } from './settings.ts';

/** Built from parts, so that only our own code expands it. */
const variable = (words: string) => ['$', '{', words, '}'].join('');

describe('variables in the settings of a server', () => {
  test('are expanded in every string: program, arguments, folder, environment, address, headers', () => {
    const env = { BIN: 'node', TOKEN: 't0ken', EMPTY: '' };
    expect(
      expandSettings(
        {
          command: variable('BIN'),
          args: [`--x=${variable('TOKEN')}`, variable('EMPTY'), variable('EMPTY:-full')],
          cwd: `/${variable('NOWHERE:-tmp')}`,
          env: { KEY: variable('TOKEN') },
          headers: { Authorization: `Bearer ${variable('TOKEN')}` },
        },
        env,
      ),
    ).toEqual({
      command: 'node',
      args: ['--x=t0ken', '', 'full'],
      cwd: '/tmp',
      env: { KEY: 't0ken' },
      headers: { Authorization: 'Bearer t0ken' },
    });
  });

  test('an unset one without a default is reported', () => {
    expect(() =>
      expandSettings({ command: variable('A'), args: [variable('B'), variable('A')] }, {}),
    ).toThrow('A, B are not set in the environment');
  });

  test('a string without any is unchanged, and a value is not expanded a second time', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (text, value) => {
        fc.pre(!text.includes('${'));
        expect(expandSettings({ command: text }, { A: value }).command).toBe(text);
        expect(expandSettings({ command: `${text}${variable('A')}` }, { A: value }).command).toBe(
          text + value,
        );
      }),
    );
  });
});

test('a server gets basic variables and its configured ones, and nothing else of the environment', () => {
  const env = {
    PATH: '/bin',
    HOME: '/home/a',
    LC_ALL: 'C',
    ANTHROPIC_API_KEY: 'k',
    AWS_SECRET: 's',
    https_proxy: 'p',
  };
  expect(serverEnvironment(env, { KEY: 'v' })).toEqual({
    PATH: '/bin',
    HOME: '/home/a',
    LC_ALL: 'C',
    https_proxy: 'p',
    KEY: 'v',
  });
});

test('an address is shown in one short line, without possible secrets', () => {
  expect(addressOf({ url: 'https://a.test/mcp?key=1#2' })).toBe('https://a.test/mcp');
  expect(addressOf({ command: 'node', args: ['-e', 'a\n\nb'] })).toBe('node -e a b');
  expect(addressOf({ command: 'x'.repeat(300) })).toHaveLength(101);
  expect([{ command: 'a' }, { url: 'b' }, { url: 'c', type: 'sse' as const }].map(transportOf)).toEqual([
    'stdio',
    'http',
    'sse',
  ]);
});
