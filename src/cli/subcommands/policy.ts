import { Command, Option } from 'commander';
import { sandboxFor } from '../../app/doctor/settings.ts';
import { loadSettings } from '../../app/settings.ts';
import { type CommandVerdict, commandJudge, loadJudge } from '../../assembly/safety/judge-command.ts';
import { sessionJudge } from '../../assembly/safety/session-verdict.ts';
import { switchOf } from '../../config/environment.ts';
import { projectContent, trustOf } from '../../config/trust.ts';
import { UserError } from '../../contract/errors.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { dataRoot, homeFolder } from '../../lib/files/data-root.ts';
import { visible } from '../../lib/text/printable.ts';
import { existingFolder } from '../existing-folder.ts';
import { table, withContext } from './context.ts';

type PolicyOptions = {
  trusted?: boolean;
  session?: boolean;
  cwd?: string;
  json?: boolean;
  stdinFormat?: 'json';
};

/**
 * `aca policy`: prints the verdict on commands without running them. The exit code does not depend on the
 * verdict.
 */
export function policyCommand(terminal: Terminal): Command {
  const policy = withContext(new Command('policy'), terminal).description(
    'Check how the built-in rules treat a command, without running it',
  );
  withFolder(withContext(policy.command('test'), terminal))
    .description('Print the decision and the reason')
    .argument('[command...]', 'the command line, quoted as one argument')
    .option('--json', 'print one JSON object per command')
    .addOption(
      new Option(
        '--stdin-format <format>',
        'read commands from standard input, one JSON string per line',
      ).choices(['json']),
    )
    .action(async (words: string[], options: PolicyOptions) => {
      const judge = await openJudge(options, terminal);
      if (options.stdinFormat === 'json') await judgeLines(judge, terminal);
      else terminal.stdout.write(`${shortly(judge(lineOf(words)), options)}\n`);
    });
  withFolder(withContext(policy.command('explain'), terminal))
    .description('Print the decision, the rule behind it, and the decision for each part of the command')
    .argument('<command...>', 'the command line, quoted as one argument')
    .option('--json', 'print JSON')
    .action(async (words: string[], options: PolicyOptions) => {
      const verdict = (await openJudge(options, terminal))(lineOf(words));
      terminal.stdout.write(options.json ? `${JSON.stringify(verdict)}\n` : explanation(verdict));
    });
  return policy;
}

function withFolder(command: Command): Command {
  return command
    .option('--cwd <folder>', 'check as if in this folder (default: the current one)')
    .option('--trusted', 'check as if the folder were trusted')
    .option('--session', 'check as a session would: with your settings, rules, mode and sandbox');
}

type Judge = (line: string) => CommandVerdict;

async function openJudge({ cwd, trusted, session }: PolicyOptions, terminal: Terminal): Promise<Judge> {
  await loadJudge();
  const { env } = terminal;
  const folder = existingFolder(cwd ?? '.', '--cwd', terminal.cwd);
  const home = homeFolder(env);
  if (!session)
    return commandJudge({ cwd: folder, home, trusted: trusted ?? isTrusted(folder, terminal), env });
  const settings = loadSettings(trusted ? { trust: true } : {}, { env, cwd: folder });
  const { config, root: dataRoot } = settings;
  const sandbox = await sandboxFor(settings, { env, cwd: folder }, () => undefined);
  return sessionJudge({ config, dataRoot, sandbox, cwd: folder, home, trusted: settings.trusted, env });
}

function isTrusted(folder: string, { env }: Terminal): boolean {
  const stored = () => trustOf(dataRoot(env), folder, projectContent(folder, dataRoot(env)));
  return switchOf(env, 'AI_ASSISTANT_TRUST') ?? stored().type === 'trusted';
}

function lineOf(words: string[]): string {
  if (words.length > 0) return words.join(' ');
  throw new UserError(
    'No command given.',
    'Run aca policy test "git log | head", or pass --stdin-format json.',
  );
}

/** One answer per line, in order, even for a line that is not a JSON string. */
async function judgeLines(judge: Judge, { stdin, stdout }: Terminal): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  // Not `readline`: it also splits at characters that may occur in a JSON string.
  for await (const chunk of stdin) {
    const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    stdout.write(answers(lines, judge));
  }
  rest += decoder.decode();
  if (rest !== '') stdout.write(answers([rest], judge));
}

function answers(lines: string[], judge: Judge): string {
  return lines.map((line) => `${JSON.stringify(answer(line, judge))}\n`).join('');
}

function answer(
  line: string,
  judge: Judge,
): Omit<CommandVerdict, 'parts'> | { verdict: 'ask'; reason: string; error: string } {
  const command = commandIn(line);
  if (typeof command === 'string') {
    const { verdict, reason, rule } = judge(command);
    return { verdict, reason, rule };
  }
  return { verdict: 'ask', reason: 'could not be parsed', error: command.error };
}

function commandIn(line: string): string | { error: string } {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'string' ? value : { error: 'The line is JSON but not a string.' };
  } catch (error) {
    return { error: `The line is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function shortly({ verdict, reason, rule }: CommandVerdict, { json }: PolicyOptions): string {
  return json ? JSON.stringify({ verdict, reason, rule }) : `${verdict}: ${visible(reason)}`;
}

function explanation({ verdict, reason, rule, parts }: CommandVerdict): string {
  const rows = parts.map((part) => [part.verdict, visible(part.text), visible(part.because)]);
  return `${verdict}: ${visible(reason)}\nby: ${rule}\n${rows.length > 0 ? `\n${table(rows)}` : ''}`;
}
