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
  ])('%j is an error that names the variable', async (env, message) => {
    const space = await workspace();
    expect(errorOf(() => load(space, { env })).message).toBe(message);
  });
});
