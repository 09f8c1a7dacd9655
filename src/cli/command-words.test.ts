import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { UserError } from '../contract/errors.ts';
import { commandWords } from './command-words.ts';

const INNER: Readonly<Record<string, readonly string[]>> = {
  sessions: ['list', 'search', 'export'],
  keys: ['set', 'list', 'remove'],
  models: ['list', 'use', 'update'],
  plugin: ['list', 'install'],
};

async function load(name: string): Promise<Command> {
  const command = new Command(name);
  for (const inner of INNER[name] ?? []) command.command(inner);
  return command;
}

const read = (line: string) => commandWords(line.split(' '), load);

test.each([
  ['help', '--help'],
  ['help sessions', 'sessions --help'],
  ['help sessions export', 'sessions export --help'],
])('aca %s is aca %s', async (line, flags) => {
  expect((await read(line)).join(' ')).toBe(flags);
});

test.each([
  ['sesions list', 'sesions', 'sessions list'],
  ['docter', 'docter', 'doctor'],
  ['dcotor', 'dcotor', 'doctor'],
  ['session list', 'session', 'sessions list'],
  ['model', 'model', 'models'],
  ['key set', 'key', 'keys set'],
  ['plugins install', 'plugins', 'plugin install'],
  ['upgrade', 'upgrade', 'update'],
  ['login', 'login', 'keys set'],
  ['help sesions', 'sesions', 'help sessions'],
])('aca %s is a mistyped command', async (line, unknown, meant) => {
  const refusal = await read(line).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(UserError);
  expect(refusal).toMatchObject({
    message: `Unknown command "${unknown}".`,
    hint: `Did you mean \`aca ${meant}\`? To send it as a prompt: aca -- ${line}`,
    exit: 'usage',
  });
});

describe('prompts', () => {
  test.each([
    'test',
    'tests',
    'hi',
    'hello',
    'start',
    'patch',
    'review',
    'review this',
    'fix the login test',
    'fix it',
    'continue',
    'explain',
    'commit',
    'commit this',
    'refactor',
    'improve this',
    'improve',
    'polish',
    'install',
    'install dependencies',
    'upgrade dependencies',
    'upgrade react',
    'login is broken',
    'login fails',
    'help me',
    'help me fix this',
    'help with tests',
    'help update dependencies',
    'version bump',
    'session handling is broken',
    'session handling',
    'session list broken',
    'server crashes',
    'state management',
    'status report',
    'model training fails',
    'models list empty',
    'key rotation',
    'plugins crash sometimes',
    'worker pool leaks',
    'work',
    'read',
    'undone work',
    'push',
    'rebase',
    'run tests',
    'compile',
    'compilation',
    'lint',
    'format everything',
    'report',
    'export',
    'plan',
    'map',
    'why',
  ])('%s', async (line) => {
    expect(await read(line)).toEqual(line.split(' '));
  });
});
