import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { limitProblem } from '../contract/limit.ts';
import { effortLevels } from '../contract/request/effort.ts';
import { tiers } from '../contract/request/tier.ts';
import { exitCodes } from '../frontends/shared/exit-codes.ts';
import type { Options } from '../frontends/shared/options.ts';
import { claudeOptions, withOurNames } from './flags/claude-options.ts';
import { ruleList, spreadLists } from './flags/flag-lists.ts';
import { peerFlagHint } from './flags/peer-flags.ts';
import { withOurFlags } from './flags/peer-names.ts';
import { type CommandGroup, programHelp } from './help.ts';

/** What the user requested: a subcommand with its arguments, or a conversation. */
export type Invocation =
  | { kind: 'subcommand'; name: string }
  | { kind: 'conversation'; words: string[]; options: Options };

/** Subcommands; each module is loaded on demand. */
export const subcommands = [
  {
    name: 'acp',
    group: 'Editors, servers and batches',
    description: 'Run as an agent for editors, over the Agent Client Protocol',
  },
  {
    name: 'attach',
    group: 'Editors, servers and batches',
    description: 'Show a session of the server in this terminal',
  },
  { name: 'audit', group: 'Safety', description: 'Show which tool calls were allowed and denied' },
  {
    name: 'batch',
    group: 'Editors, servers and batches',
    description: 'Run many tasks, each headless in a git worktree of its own',
  },
  {
    name: 'completion',
    group: 'Setup',
    description: 'Print a completion script for bash, zsh, fish or PowerShell',
  },
  { name: 'config', group: 'Setup', description: 'Show and change settings' },
  { name: 'doctor', group: 'Setup', description: 'Check your setup and suggest fixes' },
  {
    name: 'fleet',
    group: 'Editors, servers and batches',
    description: 'Watch and control batches that run on many machines',
  },
  {
    name: 'import',
    group: 'Setup',
    description: 'Use the settings of Claude Code, Codex, Gemini CLI, Cursor and opencode',
  },
  { name: 'keys', group: 'Models and keys', description: 'Store API keys in the system keychain' },
  { name: 'mcp', group: 'Extensions', description: 'Manage MCP servers, or run aca as one' },
  { name: 'memory', group: 'Sessions and changes', description: 'View, search and delete memories' },
  { name: 'models', group: 'Models and keys', description: 'List, download and test models' },
  { name: 'plugin', group: 'Extensions', description: 'Install plugins from marketplaces' },
  {
    name: 'policy',
    group: 'Safety',
    description: 'Check whether a command would be allowed, without running it',
  },
  { name: 'redo', group: 'Sessions and changes', description: 'Redo what `aca undo` reverted' },
  {
    name: 'replay',
    group: 'Sessions and changes',
    description: 'Run a session again without its model, and compare',
  },
  {
    name: 'schedule',
    group: 'Editors, servers and batches',
    description: 'Print a crontab line or systemd units for a recurring run',
  },
  {
    name: 'serve',
    group: 'Editors, servers and batches',
    description: 'Keep sessions running without a terminal',
  },
  {
    name: 'sessions',
    group: 'Sessions and changes',
    description: 'List, search, export and clean up past sessions',
  },
  {
    name: 'stats',
    group: 'Sessions and changes',
    description: 'Show usage across all sessions: tokens, cost, tools, caches',
  },
  { name: 'trust', group: 'Safety', description: "Trust this folder's own settings and scripts" },
  {
    name: 'undo',
    group: 'Sessions and changes',
    description: 'Undo the file changes of the last run in this folder',
  },
  { name: 'uninstall', group: 'Setup', description: 'Show what aca stores on this machine, and remove it' },
  { name: 'update', group: 'Setup', description: 'Check for a newer version' },
  {
    name: 'worker',
    group: 'Editors, servers and batches',
    description: 'Run tasks of batches on this machine, for a queue that machines share',
  },
] as const satisfies readonly { name: string; group: CommandGroup; description: string }[];

/** Help goes to `out`; usage errors go to `err`. */
export type Writers = {
  out(text: string): void;
  err(text: string): void;
  /** Columns for the help; 80 if it is unknown. */
  width?: number | undefined;
};

const collect = (value: string, previous: string[]) => [...previous, value];

function runningOptions(): Option[] {
  return [
    new Option('-p, --print', 'run the task, print the result and exit'),
    new Option('-c, --continue', 'resume the most recent session in this folder'),
    new Option(
      '-r, --resume [id]',
      'resume a session by id, id prefix or title; omit it to choose from a list',
    ),
    new Option('-C, --cd <folder>', 'work in this folder'),
    new Option('--fork', 'with -r or -c: continue in a copy and leave the original session unchanged'),
    new Option('--force-dir', 'with -r: resume in this folder even if the session belongs to another'),
    new Option(
      '--worktree [name]',
      'work in a new git worktree on a new branch; removed afterwards if nothing changed',
    ),
    new Option('--max-turns <n>', 'stop after this many model replies (default: 200)').argParser(
      positiveInteger,
    ),
    new Option(
      '--budget <limit>',
      "stop before exceeding this limit, such as '$5', 500k or '40 turns'; repeatable",
    )
      .argParser((value: string, previous: string[]) => [...previous, aLimit(value)])
      .default([], 'none'),
    new Option('--session-id <uuid>', 'use this id for the new session')
      .argParser(uuid)
      .conflicts(['continue', 'resume']),
    new Option('--no-session-persistence', 'do not save the session'),
    new Option('--background', 'run the task in the server (`aca serve`), and return at once').conflicts([
      'print',
      'continue',
      'resume',
    ]),
    new Option('--demo', 'watch a scripted demo on a scratch project; no API key needed'),
  ];
}

function modelOptions(): Option[] {
  return [
    new Option(
      '-m, --model <model>',
      'provider/model, an alias such as sonnet, a bare model name, or a .gguf file',
    ),
    new Option('--account <name>', 'use the stored key of this name; provider=name for one provider only'),
    new Option('--repo-id <repo>', 'with --filename: a Hugging Face repository to download a model from'),
    new Option('--filename <file>', 'the .gguf file in that repository'),
    new Option(
      '--fallback-model <model>',
      'use this model while the chosen one is overloaded or unreachable',
    ),
    new Option(
      '--effort <level>',
      'how hard the model thinks; the nearest level that the model has is used',
    ).choices([...effortLevels, 'default']),
    new Option(
      '--tier <tier>',
      'flex (cheaper, slower), standard or priority, where the provider has them',
    ).choices(tiers),
    new Option('--system-prompt <text>', 'replace the instructions of the system prompt').conflicts(
      'systemPromptFile',
    ),
    new Option('--system-prompt-file <file>', 'the same, read from a file'),
    new Option('--append-system-prompt <text>', 'add to the system prompt').conflicts(
      'appendSystemPromptFile',
    ),
    new Option('--append-system-prompt-file <file>', 'the same, read from a file'),
    new Option('--mcp-config <file>', 'start these MCP servers, too; a file or inline JSON; repeatable')
      .argParser(collect)
      .default([], 'none'),
    new Option('--strict-mcp-config', 'start only the MCP servers of --mcp-config'),
    new Option('--offline', 'send requests only to this machine and its local network'),
  ];
}

/** Permission modes. */
export const modes = ['default', 'accept-edits', 'plan', 'auto', 'read-only'];

function permissionOptions(): Option[] {
  return [
    new Option('--mode <mode>', 'what runs without asking').choices(modes),
    new Option('--allow <rule>', "allow matching tool calls, such as 'Bash(npm test)'; repeatable")
      .argParser(collect)
      .default([], 'none'),
    new Option('--deny <rule>', "deny matching tool calls, such as 'Bash(git push *)'; repeatable")
      .argParser(collect)
      .default([], 'none'),
    new Option('--add-dir <folder>', 'an additional folder to work in; repeatable')
      .argParser(collect)
      .default([], 'none'),
    new Option(
      '--tools <names>',
      "offer only these built-in tools to the model, such as 'Bash,Read'; '' for none",
    ).argParser(ruleList),
    new Option('--trust', "trust this folder's settings for this run"),
  ];
}

function inputAndOutputOptions(): Option[] {
  return [
    new Option('--output-format <format>', 'with -p: format of standard output')
      .choices(['text', 'json', 'stream-json'])
      .default('text'),
    new Option('--input-format <format>', 'with -p: plain text, or messages as JSON lines')
      .choices(['text', 'stream-json'])
      .default('text'),
    new Option(
      '--json-schema <schema>',
      'with -p: return JSON that matches this schema (a file or inline JSON)',
    ),
    new Option('--compat <assistant>', "with -p: write JSON in this assistant's shapes").choices(['claude']),
    new Option(
      '--include-partial-messages',
      'with --compat claude and stream-json: write replies as they arrive',
    ),
    new Option(
      '--replay-user-messages',
      'with --compat claude and stream-json: repeat each message of the input',
    ),
    new Option(
      '--permission-prompt-tool <tool>',
      'with --input-format stream-json: ask the program at the other end of the stream',
    ).choices(['stdio']),
    new Option(
      '--stdin-from <source>',
      "with -p: marks standard input as untrusted, with this name as its source, such as 'issue 42'",
    ).conflicts('background'),
    new Option('--image <file>', 'with -p: attach this PNG, JPEG, WebP or GIF image; repeatable')
      .argParser(collect)
      .default([], 'none'),
    new Option('--check <command>', 'with -p: a command that must pass when the model is done; repeatable')
      .argParser(collect)
      .conflicts('background')
      .default([], 'none'),
    new Option(
      '--check-retries <n>',
      'with --check: how often a failure goes back to the model (default: 2)',
    ).argParser(wholeNumber),
    new Option('--stdin', 'with -p: read standard input to the end, however long it takes'),
    new Option('-q, --quiet', 'print only the result and errors').conflicts('verbose'),
    new Option('-v, --verbose', 'print every tool call and its result to standard error'),
    new Option('--debug', 'write detailed debug output to the log'),
    new Option(
      '--metrics-port <port>',
      'serve Prometheus metrics on this local port; 0 for any free port',
    ).argParser(portNumber),
    new Option('--plain', 'use line-by-line output without redrawing; works on any terminal'),
    new Option('--screen-reader', 'like --plain, tuned for screen readers'),
  ];
}

export function buildProgram({ out, err, width }: Writers): Command {
  const program = new Command('aca')
    .description('An AI coding assistant for the terminal. Starts an interactive session unless you pass -p.')
    .argument('[prompt...]', 'what you want done');
  const groups = {
    'Running:': runningOptions(),
    'Model:': modelOptions(),
    'Permissions:': permissionOptions(),
    'Input and output:': inputAndOutputOptions(),
    'Names from Claude Code:': claudeOptions(),
    'Information:': [new Option('-V, --version', 'print the version')],
  };
  for (const [group, options] of Object.entries(groups))
    for (const option of options) program.addOption(option.helpGroup(group));
  const OwnHelp = programHelp(subcommands);
  program.createHelp = () => Object.assign(new OwnHelp(), program.configureHelp());
  return program
    .addHelpOption(new Option('-h, --help', 'print this help').helpGroup('Information:'))
    .configureOutput({
      writeOut: out,
      writeErr: err,
      getOutHelpWidth: () => Math.max(width ?? 80, 40),
      outputError: (text, write) => write(explainFlag(text)),
    })
    .showSuggestionAfterError()
    .exitOverride();
}

/** Throws a `CommanderError`, its message already written, on wrong usage and for help. */
export function parseArgs(args: string[], writers: Writers): Invocation {
  const [first] = args;
  const named = subcommands.find(({ name }) => name === first);
  if (named) return { kind: 'subcommand', name: named.name };
  const program = buildProgram(writers);
  program.parse(spreadLists(withOurFlags(args)), { from: 'user' });
  const options = withOurNames(program.opts<Options>());
  return { kind: 'conversation', words: program.args, options };
}

/** For a flag of another assistant: names ours instead of a flag that is spelled similarly. */
function explainFlag(text: string): string {
  const flag = /unknown option '([^'=]+)/.exec(text)?.[1];
  const hint = flag === undefined ? undefined : peerFlagHint(flag);
  return hint === undefined ? text : `${text.split('\n')[0]}\n${hint}\n`;
}

/** The exit code if commander has already printed its message; otherwise null. */
export function commanderExitCode(error: unknown): number | null {
  if (!(error instanceof CommanderError)) return null;
  return error.exitCode === 0 ? exitCodes.done.code : exitCodes.usage.code;
}

/** For plain words after a subcommand that takes none: they may be a prompt. Empty for other errors. */
export function promptHint(error: unknown, args: readonly string[]): string {
  if (!(error instanceof CommanderError) || error.message.includes('Did you mean')) return '';
  const isForPrompts = ['commander.excessArguments', 'commander.unknownCommand'].includes(error.code);
  const areWords = args.every((arg) => /^[a-z]+$/i.test(arg));
  return isForPrompts && areWords ? `To send it as a prompt: aca -- ${args.join(' ')}\n` : '';
}

function uuid(value: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value))
    throw new InvalidArgumentError('Use a UUID such as 123e4567-e89b-42d3-a456-426614174000.');
  return value.toLowerCase();
}

function aLimit(value: string): string {
  const problem = limitProblem(value);
  if (problem !== null) throw new InvalidArgumentError(problem);
  return value;
}

export function portNumber(value: string): number {
  const port = Number(value);
  if (value.trim() === '' || !Number.isInteger(port) || port < 0 || port > 65_535)
    throw new InvalidArgumentError('Use a number from 0 to 65535.');
  return port;
}

export function wholeNumber(value: string): number {
  if (!/^\d{1,6}$/.test(value.trim())) throw new InvalidArgumentError('Use a whole number, such as 0 or 2.');
  return Number(value);
}

export function positiveInteger(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1)
    throw new InvalidArgumentError('Use a whole number above zero.');
  return number;
}
