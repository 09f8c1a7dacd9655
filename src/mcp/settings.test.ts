import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addressOf, expandSettings, serverEnvironment, transportOf } from './settings.ts';

/** Written in pieces, because no script is to fill it in but ours. */
const variable = (words: string) => ['$', '{', words, '}'].join('');

describe('variables in the settings of a server', () => {
  test('stand in every text: program, arguments, folder, environment, address, headers', () => {
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

  test('one that is not set and has no default is named', () => {
    expect(() =>
      expandSettings({ command: variable('A'), args: [variable('B'), variable('A')] }, {}),
    ).toThrow('A, B are not set in the environment');
  });

  test('a text without any stays as it is, and a value is not expanded a second time', () => {
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

test('a server gets what a program needs and what it was given, and nothing else of the environment', () => {
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

test('an address is told in one short line, without what may be a secret', () => {
  expect(addressOf({ url: 'https://a.test/mcp?key=1#2' })).toBe('https://a.test/mcp');
  expect(addressOf({ command: 'node', args: ['-e', 'a\n\nb'] })).toBe('node -e a b');
  expect(addressOf({ command: 'x'.repeat(300) })).toHaveLength(101);
  expect([{ command: 'a' }, { url: 'b' }, { url: 'c', type: 'sse' as const }].map(transportOf)).toEqual([
    'stdio',
    'http',
    'sse',
  ]);
});
