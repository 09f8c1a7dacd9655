import { expect, test } from 'vitest';
import { subcommands } from '../../src/cli/args.ts';
import { aca, doors } from '../support/aca.ts';
import { says } from '../support/model-server/script.ts';
import { serve } from '../support/serve.ts';
import { sampled, soak, sweep } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';

/** What `list` prints where nothing was stored yet. Names that are not here are verbs or have nothing to list. */
const LISTS = {
  audit: ['The audit log is empty.\n', ''],
  config: [expect.stringContaining('maxTurns'), ''],
  import: ['Found no files of other assistants.\n', ''],
  keys: ['', 'No keys stored. Add one with `aca keys set PROVIDER`.\n'],
  mcp: [expect.stringMatching(/^No (MCP )?servers/), ''],
  memory: ['No memories yet.\n', ''],
  models: [
    expect.stringContaining('anthropic/'),
    expect.stringMatching(/^Prices and context windows as of 2\d{3}-\d\d-\d\d;/),
  ],
  plugin: ['No plugins are installed. Add a marketplace with `aca plugin marketplace add`.\n', ''],
  sessions: ['No sessions yet.\n', ''],
  trust: ['No trusted folders.\n', ''],
} as const;
const OTHERS = [
  'acp',
  'attach',
  'batch',
  'completion',
  'doctor',
  'fleet',
  'policy',
  'redo',
  'replay',
  'schedule',
  'serve',
  'stats',
  'undo',
  'uninstall',
  'update',
  'worker',
];

test('every subcommand has a list, or is known to have none', () => {
  expect(subcommands.map(({ name }) => name)).toEqual([...Object.keys(LISTS), ...OTHERS].sort());
});

sweep(sampled(Object.entries(LISTS), 6))('aca %s list works', async (noun, [stdout, stderr]) => {
  const space = await workspace();
  expect(await aca(space, [noun, 'list'])).toEqual({ code: 0, stdout, stderr });
});

sweep(['audit', 'memory', 'models', 'sessions'])(
  'aca %s is short for its list, options included',
  async (noun) => {
    const space = await workspace();
    for (const options of [[], ['--json']])
      expect(await aca(space, [noun, ...options])).toEqual(await aca(space, [noun, 'list', ...options]));
  },
);

sweep(
  [
    [['--help'], 'Usage: aca [options]'],
    ...sampled(subcommands, 8).map(({ name }) => [[name, '--help'], `Usage: aca ${name}`] as const),
    [['sessions', 'export', '--help'], 'Usage: aca sessions export [options] <session>\n'],
    [['mcp', 'add', '--help'], 'Usage: aca mcp add '],
    [['models', 'probe', '--help'], 'Usage: aca models probe '],
  ] as const,
  3,
)('usage of %j begins with the command to type', async (args, usage) => {
  const { code, stdout } = await aca(await workspace(), [...args]);
  expect([code, stdout.slice(0, usage.length)]).toEqual([0, usage]);
});

sweep([
  [['sessions', 'lst'], "error: unknown command 'lst'. Did you mean list?\n"],
  [['audit', 'verfy'], "error: unknown command 'verfy'. Did you mean verify?\n"],
  [['keys', 'lits'], "error: unknown command 'lits'. Did you mean list?\n"],
  [['trust', 'sow'], "error: unknown command 'sow'.\nTo send it as a prompt: aca -- trust sow\n"],
])('a mistyped inner command is reported: %j', async (args, message) => {
  expect(await aca(await workspace(), args)).toEqual({ code: 2, stdout: '', stderr: message });
});

test('resuming without a terminal and without a task is an error that names the problem', soak, async () => {
  const space = await workspace();
  const server = await serve([says('hi')]);
  const { model, env } = doors.anthropic(server.url);
  const refused = async (args: string[]) => {
    const { code, stdout, stderr } = await aca(space, [...args, '--model', model], { env });
    expect([code, stdout]).toEqual([2, '']);
    return stderr;
  };
  const missing = 'There is no session "nosuch".\nRun `aca sessions` to list all sessions.\n';
  expect(await refused(['--resume', 'nosuch'])).toBe(missing);
  expect(await refused(['--resume', 'nosuch', '-p', 'go'])).toBe(missing);
  expect(await refused(['--resume', 'nosuch', 'go'])).toBe(missing);
  expect(await refused(['--resume'])).toContain('--resume needs a session.\n');
  expect(await refused(['--continue'])).toContain('No session to continue in this folder.\n');
  expect(await refused(['--fork'])).toContain('--fork needs a session to copy.\n');

  await aca(space, ['-p', 'hello', '--model', model], { env });
  expect(await refused(['--continue'])).toBe(
    'Resuming a session needs a terminal or a task.\nRun this in a terminal, or add a task: -p "TASK".\n',
  );
});

test('mistyped commands and words after a command are no prompts; after -- they are', soak, async () => {
  const space = await workspace();
  const server = await serve([says('fine')]);
  const { model, env } = doors.anthropic(server.url);
  expect(await aca(space, ['sesions', 'list'])).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'Unknown command "sesions".\nDid you mean `aca sessions list`? To send it as a prompt: aca -- sesions list\n',
  });
  expect(await aca(space, ['update', 'dependencies'])).toEqual({
    code: 2,
    stdout: '',
    stderr:
      "error: too many arguments for 'update'. Expected 0 arguments but got 1.\nTo send it as a prompt: aca -- update dependencies\n",
  });
  expect(await aca(space, ['help', 'sessions'])).toEqual(await aca(space, ['sessions', '--help']));
  expect(await aca(space, ['help'])).toEqual(await aca(space, ['--help']));
  expect(await aca(space, ['version'])).toEqual(await aca(space, ['--version']));
  const sent = await aca(space, ['-m', model, '--', 'update', 'dependencies'], { env });
  expect({ ...sent, prompts: server.requests.length }).toEqual({
    code: 0,
    stdout: 'fine\n',
    stderr: '',
    prompts: 1,
  });
});

sweep([['cost'], ['run', 'hi'], ['help', 'nope'], ['exec', 'fix the test'], ['--mode', 'plan', 'login']], 1)(
  'aca %s %s is not sent to a model without a question',
  async (...args) => {
    const space = await workspace();
    const server = await serve([says('No.')]);
    const { model, env } = doors['openai-chat'](server.url);
    const words = args.filter((arg) => typeof arg === 'string');
    expect(await aca(space, [...words, '--model', model], { env })).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^Unknown command ".*"\.\nDid you mean .* To send it as a prompt: aca -- /,
      ),
    });
    expect(server.requests).toEqual([]);
    expect(await aca(space, ['--model', model, '--', 'cost'], { env })).toMatchObject({
      code: 0,
      stdout: 'No.\n',
    });
  },
);
