import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Workspace, workspace } from '../../test/support/workspace.ts';
import { UserError } from '../contract/errors.ts';
import { type LoadOptions, loadConfig } from './load.ts';
import { settled } from './schema/check-settings.ts';

const defaults = settled({});

function load({ home, root }: Workspace, options: Partial<LoadOptions> = {}) {
  return loadConfig({ home, cwd: root, env: {}, trusted: false, ...options });
}

function errorOf(run: () => unknown): UserError {
  try {
    run();
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('the environment', () => {
  test('NO_COLOR turns colors off, and an empty variable counts as unset', async () => {
    const space = await workspace();
    expect(load(space, { env: { NO_COLOR: '1' } }).config.colorOutput).toBe(false);
    expect(load(space, { env: { NO_COLOR: '', AI_ASSISTANT_MODE: '' } }).config).toEqual(defaults);
  });

  test('AI_ASSISTANT_LOG is a level, and after a colon a file', async () => {
    const space = await workspace();
    const logOf = (AI_ASSISTANT_LOG: string) =>
      load(space, { env: { AI_ASSISTANT_LOG, HOME: '/h' } }).config.log;
    const file = path.resolve('/h/a:b.log');
    expect(['debug', 'Error', 'off', 'info:~/a:b.log', 'info:my.log'].map(logOf)).toEqual([
      { level: 'debug' },
      { level: 'error' },
      { level: 'off' },
      { level: 'info', file },
      { level: 'info', file: path.join(space.root, 'my.log') },
    ]);
  });

  test.each([
    [{ AI_ASSISTANT_MAX_TURNS: 'many' }, 'environment variable AI_ASSISTANT_MAX_TURNS must be a number.'],
    [
      { AI_ASSISTANT_MAX_TURNS: '1.5' },
      'environment variable AI_ASSISTANT_MAX_TURNS: maxTurns must be a whole number.',
    ],
    [
      { AI_ASSISTANT_MODE: 'yolo' },
      'environment variable AI_ASSISTANT_MODE: mode must be one of read-only, plan, default, accept-edits, auto.',
    ],
    [
      { AI_ASSISTANT_LOG: 'loud:/x' },
      'environment variable AI_ASSISTANT_LOG: log.level must be one of debug, info, warn, error, off.',
    ],
    [{ AI_ASSISTANT_TRUST: 'maybe' }, 'environment variable AI_ASSISTANT_TRUST must be 1 or 0.'],
    [
      { AI_ASSISTANT_MOED: 'plan' },
      'Unknown environment variable AI_ASSISTANT_MOED. Did you mean AI_ASSISTANT_MODE?',
    ],
    [
      { AI_ASSISTANT_OFLINE: '1' },
      'Unknown environment variable AI_ASSISTANT_OFLINE. Did you mean AI_ASSISTANT_OFFLINE?',
    ],
    [
      { AI_ASSISTANT_MAXTURNS: '3' },
      'Unknown environment variable AI_ASSISTANT_MAXTURNS. Did you mean AI_ASSISTANT_MAX_TURNS?',
    ],
    [
      { AI_ASSISTANT_TRUTS: '0' },
      'Unknown environment variable AI_ASSISTANT_TRUTS. Did you mean AI_ASSISTANT_TRUST?',
    ],
  ])('%j is an error that names the variable', async (env, message) => {
    const space = await workspace();
    expect(errorOf(() => load(space, { env })).message).toBe(message);
  });

  test('variables of other programs, and those that aca sets for its own, are no mistakes', async () => {
    const space = await workspace();
    const env = {
      AI_ASSISTANT_COMMAND: 'x',
      AI_ASSISTANT_SERVER: 'x',
      AI_ASSISTANT_PLUGIN_COLOR: 'red',
      AI_MODE: 'x',
    };
    expect(load(space, { env }).config).toEqual(defaults);
  });
});
