import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { parseLimits } from '../contract/limit.ts';
import { exitCodes } from '../frontends/shared/exit-codes.ts';
import type { Options } from '../frontends/shared/options.ts';

/** What the user asked for: a subcommand with its own words, or a conversation. */
export type Invocation =
  | { kind: 'subcommand'; name: string }
  | { kind: 'conversation'; prompt: string; options: Options };

/** Subcommands: their file is loaded only when they are called. */
export const subcommands = [
  { name: 'audit', description: 'Show what was allowed and refused' },
  { name: 'completion', description: 'Print a completion script for bash, zsh, fish or PowerShell' },
  { name: 'config', description: 'Show and change settings' },
  { name: 'doctor', description: 'Check your setup and suggest fixes' },
  { name: 'keys', description: 'Store API keys in the system keychain' },
  { name: 'mcp', description: 'Add, list, test and log in to MCP servers; serve this assistant as one' },
  { name: 'memory', description: 'Show and forget what is remembered' },
  { name: 'models', description: 'List the models that are known and reachable' },
  { name: 'policy', description: 'Judge a command without running it' },
  { name: 'redo', description: 'Do again what `aca undo` took back' },
  { name: 'sessions', description: 'List, search, export and clean up past sessions' },
  { name: 'stats', description: 'Show what was used over all sessions: tokens, cost, tools, caches' },
  { name: 'trust', description: "Trust this folder's own settings and scripts" },
  { name: 'undo', description: 'Take back the file changes of the last run in this folder' },
  { name: 'uninstall', description: 'Show what this program keeps on this machine, and remove it' },
  { name: 'update', description: 'Say whether there is a newer version, and how to get it' },
] as const;

/** Help goes to `out`; complaints about wrong usage go to `err`. */
export type Writers = { out(text: string): void; err(text: string): void };

export function buildProgram({ out, err }: Writers): Command {
  const collect = (value: string, previous: string[]) => [...previous, value];
  return new Command('ai-code-assistant')
    .description('An AI coding assistant for the terminal. Without -p it starts a conversation.')
    .argument('[prompt...]', 'the task, in plain words')
    .addOption(new Option('-p, --print', 'do the task, print the result and exit').helpGroup('Running:'))
    .addOption(
      new Option('-c, --continue', 'go on with the last session of this folder').helpGroup('Running:'),
    )
    .addOption(
      new Option(
        '-r, --resume [id]',
        'go on with a session, by id, its first characters or its title; without one, choose from a list',
      ).helpGroup('Running:'),
    )
    .addOption(
      new Option('--fork', 'with -r or -c: go on in a copy, the session itself stays as it is').helpGroup(
        'Running:',
      ),
    )
    .addOption(
      new Option('--force-dir', 'with -r: go on in this folder, though the session is of another').helpGroup(
        'Running:',
      ),
    )
    .addOption(
      new Option(
        '--worktree [name]',
        'work in a git worktree of its own, on a branch of its own; removed at the end if nothing was changed',
      ).helpGroup('Running:'),
    )
    .addOption(
      new Option('--max-turns <n>', 'stop after this many model replies (default: 200)')
        .argParser(positiveInteger)
        .helpGroup('Running:'),
    )
    .addOption(
      new Option('--budget <limit>', "stop before this is exceeded: '$5', 500k, '40 turns'; repeatable")
        .argParser((value: string, previous: string[]) => [...previous, aLimit(value)])
        .default([], 'none')
        .helpGroup('Running:'),
    )
    .addOption(
      new Option('--demo', 'watch a scripted model work on a scratch project; needs no key').helpGroup(
        'Running:',
      ),
    )
    .addOption(
      new Option(
        '-m, --model <model>',
        'provider/model, an alias such as sonnet, a bare model name, or a .gguf file',
      ).helpGroup('Model:'),
    )
    .addOption(
      new Option(
        '--repo-id <repo>',
        'with --filename: a model of Hugging Face, fetched if need be',
      ).helpGroup('Model:'),
    )
    .addOption(new Option('--filename <file>', 'its .gguf file in that repository').helpGroup('Model:'))
    .addOption(
      new Option('--offline', 'only models on this machine or its network; fetch nothing else').helpGroup(
        'Model:',
      ),
    )
    .addOption(
      new Option('--mode <mode>', 'what may happen without asking')
        .choices(['default', 'accept-edits', 'plan', 'auto', 'read-only'])
        .helpGroup('Permissions:'),
    )
    .addOption(
      new Option('--allow <rule>', "allow calls, for example 'Bash(npm test)'; repeatable")
        .argParser(collect)
        .default([], 'none')
        .helpGroup('Permissions:'),
    )
    .addOption(
      new Option('--deny <rule>', "refuse calls, for example 'Bash(git push *)'; repeatable")
        .argParser(collect)
        .default([], 'none')
        .helpGroup('Permissions:'),
    )
    .addOption(
      new Option('--add-dir <folder>', 'another folder to work in; repeatable')
        .argParser(collect)
        .default([], 'none')
        .helpGroup('Permissions:'),
    )
    .addOption(
      new Option('--trust', "accept this folder's own settings for this run").helpGroup('Permissions:'),
    )
    .addOption(
      new Option('--output-format <format>', 'with -p: what goes to standard output')
        .choices(['text', 'json', 'stream-json'])
        .default('text')
        .helpGroup('Input and output:'),
    )
    .addOption(
      new Option('--input-format <format>', 'with -p: text, or a conversation as JSON lines')
        .choices(['text', 'stream-json'])
        .default('text')
        .helpGroup('Input and output:'),
    )
    .addOption(
      new Option(
        '--json-schema <schema>',
        'with -p: the result must be JSON of this schema (a file, or the schema itself)',
      ).helpGroup('Input and output:'),
    )
    .addOption(
      new Option('--stdin', 'with -p: wait for standard input to its end, however long it takes').helpGroup(
        'Input and output:',
      ),
    )
    .addOption(
      new Option('-q, --quiet', 'tell nothing but the result and errors')
        .conflicts('verbose')
        .helpGroup('Input and output:'),
    )
    .addOption(
      new Option('-v, --verbose', 'tell every call and its result on standard error').helpGroup(
        'Input and output:',
      ),
    )
    .addOption(
      new Option('--debug', 'write every step to the log, for whoever looks for a cause').helpGroup(
        'Input and output:',
      ),
    )
    .addOption(
      new Option('--metrics-port <port>', 'serve metrics for Prometheus on this machine; 0 for any free port')
        .argParser(portNumber)
        .helpGroup('Input and output:'),
    )
    .addOption(
      new Option('--plain', 'talk in plain lines: no repaint, works on any terminal').helpGroup(
        'Input and output:',
      ),
    )
    .addOption(
      new Option('--screen-reader', 'the same, for those who listen to the screen').helpGroup(
        'Input and output:',
      ),
    )
    .addOption(new Option('-V, --version', 'print the version').helpGroup('Information:'))
    .addHelpOption(new Option('-h, --help', 'print this help').helpGroup('Information:'))
    .addHelpText(
      'after',
      `\nCommands:\n${subcommands.map(({ name, description }) => `  ${name.padEnd(28)}  ${description}`).join('\n')}`,
    )
    .addHelpText(
      'after',
      `\nExit codes:\n${Object.values(exitCodes)
        .map(({ code, meaning }) => `  ${String(code).padEnd(5)} ${meaning}`)
        .join('\n')}`,
    )
    .addHelpText(
      'after',
      `\nExamples:\n  $ aca "why does the login test fail?"\n  $ git diff | aca -p "review this"\n  $ aca -p "fix the failing test" --mode accept-edits --allow 'Bash(npm test)' --output-format json`,
    )
    .configureOutput({ writeOut: out, writeErr: err })
    .showSuggestionAfterError()
    .exitOverride();
}

/** Throws a `CommanderError`, its words already written, on wrong usage and when help was asked for. */
export function parseArgs(args: string[], writers: Writers): Invocation {
  const [first] = args;
  const named = subcommands.find(({ name }) => name === first);
  if (named) return { kind: 'subcommand', name: named.name };
  const program = buildProgram(writers);
  program.parse(args, { from: 'user' });
  return { kind: 'conversation', prompt: program.args.join(' '), options: program.opts<Options>() };
}

/** Whether commander has already said what there is to say; the code it ends with. */
export function commanderExitCode(error: unknown): number | null {
  if (!(error instanceof CommanderError)) return null;
  return error.exitCode === 0 ? exitCodes.done.code : exitCodes.usage.code;
}

function aLimit(value: string): string {
  if (parseLimits(value) === null)
    throw new InvalidArgumentError("It must be such as '$5', '500k tokens' or '40 turns'.");
  return value;
}

export function portNumber(value: string): number {
  const port = Number(value);
  if (value.trim() === '' || !Number.isInteger(port) || port < 0 || port > 65_535)
    throw new InvalidArgumentError('It must be a number up to 65535.');
  return port;
}

function positiveInteger(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1)
    throw new InvalidArgumentError('It must be a whole number above zero.');
  return number;
}
