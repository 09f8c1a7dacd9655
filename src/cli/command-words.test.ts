import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { meaningOfWords } from './command-words.ts';

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

const SLASH = ['commit', 'compact', 'cost', 'export', 'plan', 'review', 'stats'];

const meaningOf = (...words: string[]) => meaningOfWords(words, { load, slashCommands: async () => SLASH });

test.each([
  ['help', '--help'],
  ['help sessions', 'sessions --help'],
  ['help sessions export', 'sessions export --help'],
])('aca %s is aca %s', async (line, flags) => {
  expect(await meaningOf(...line.split(' '))).toEqual({ type: 'help', args: flags.split(' ') });
});

describe('what may be a command is not sent to a model', () => {
  test.each([
    ['sesions list', 'sesions', '`aca sessions list`'],
    ['docter', 'docter', '`aca doctor`'],
    ['dcotor', 'dcotor', '`aca doctor`'],
    ['session list', 'session', '`aca sessions list`'],
    ['model', 'model', '`aca models`'],
    ['key set', 'key', '`aca keys set`'],
    ['plugins install', 'plugins', '`aca plugin install`'],
    ['upgrade', 'upgrade', '`aca update`'],
    ['login', 'login', '`aca keys set`'],
    ['Login', 'Login', '`aca keys set`'],
    ['logout', 'logout', '`aca keys remove`'],
    ['auth', 'auth', '`aca keys set`'],
    ['auth login', 'auth', '`aca keys set`'],
    ['auth status', 'auth', '`aca keys set`'],
    ['setup-token', 'setup-token', '`aca keys set`'],
    ['status', 'status', '`aca doctor`'],
    ['usage', 'usage', '`aca stats`'],
    ['whoami', 'whoami', '`aca keys list`'],
    ['list', 'list', '`aca sessions list`'],
    ['ls', 'ls', '`aca sessions list`'],
    ['logs', 'logs', '`aca sessions list`'],
    ['continue', 'continue', '`aca --continue`'],
    ['install', 'install', '`aca plugin install`'],
    ['settings', 'settings', '`aca config`'],
    ['extensions list', 'extensions', '`aca plugin`'],
    ['agent create', 'agent', '`aca help`'],
    ['agents', 'agents', '`aca help`'],
    ['start', 'start', '`aca serve`'],
    ['web', 'web', '`aca serve`'],
    ['cost', 'cost', '`/cost`'],
    ['compact', 'compact', '`/compact`'],
    ['review', 'review', '`/review`'],
    ['commit', 'commit', '`/commit`'],
    ['export', 'export', '`/export`'],
    ['plan', 'plan', '`/plan`'],
    ['help sesions', 'sesions', '`aca help sessions`'],
    ['help nope', 'nope', '`aca help`'],
    ['help cost', 'cost', '`aca help`'],
    ['exec', 'exec', '`aca -p TASK`'],
    ['exec hi', 'exec', '`aca -p hi`'],
    ['exec fix the test', 'exec', "`aca -p 'fix the test'`"],
    ['run', 'run', '`aca -p TASK`'],
    ['run hi', 'run', '`aca -p hi`'],
    ['run tests', 'run', '`aca -p tests`'],
    ['chat', 'chat', '`aca -p TASK`'],
    ['ask why', 'ask', '`aca -p why`'],
  ])('aca %s', async (line, unknown, meant) => {
    expect(await meaningOf(...line.split(' '))).toEqual({
      type: 'doubtful',
      problem: `Unknown command "${unknown}".`,
      hint: `Did you mean ${meant}? To send it as a prompt: aca -- ${line}`,
    });
  });

  test('a task in quotes after the name of a command', async () => {
    expect(await meaningOf('run', "fix Ann's test")).toMatchObject({
      hint: "Did you mean `aca -p 'fix Ann'\\''s test'`? To send it as a prompt: aca -- run 'fix Ann'\\''s test'",
    });
  });
});

describe('prompts', () => {
  test.each([
    'test',
    'tests',
    'hi',
    'hello',
    'patch',
    'review this',
    'fix the login test',
    'fix it',
    'explain',
    'commit this',
    'refactor',
    'improve this',
    'improve',
    'polish',
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
    'compile',
    'run the tests',
    'compilation',
    'lint',
    'format everything',
    'report',
    'map',
    'why',
  ])('%s', async (line) => {
    expect(await meaningOf(...line.split(' '))).toEqual({ type: 'prompt' });
  });
});
