import path from 'node:path';
import { Command, Option } from 'commander';
import { loadSettings } from '../../app/settings.ts';
import { UserError } from '../../contract/errors.ts';
import { exitCodes } from '../../frontends/shared/exit-codes.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { visible } from '../../lib/text/printable.ts';
import { modes, parseArgs, positiveInteger } from '../args.ts';
import { type Ended, withContext } from './context.ts';
import { reportText } from './replay-report.ts';

type Flags = {
  json?: boolean;
  strict?: boolean;
  unsandboxed?: boolean;
  model?: string;
  budget: string[];
  from?: number;
  at?: string;
  mode?: string;
};

/** Runs a session again and compares. */
export function replayCommand(terminal: Terminal, ended: Ended): Command {
  return withContext(new Command('replay'), terminal)
    .description('Run a session again without its model, in a copy of its folder, and compare what happens')
    .argument('<session>', 'session id, id prefix or title')
    .option('--model <model>', 'also ask this model for each turn, and show where it would act differently')
    .option(
      '--budget <limit>',
      "with --model or --from: stop before exceeding this limit, such as '$5'; repeatable",
      (value: string, previous: string[]) => [...previous, value],
      [],
    )
    .option(
      '--from <n>',
      'continue from before prompt n with a model, as a new session in a copy of the folder',
      positiveInteger,
    )
    .option('--at <folder>', 'with --from: the folder for the copy (default: a temporary one)')
    .addOption(new Option('--mode <mode>', 'with --from: permission mode for the rest').choices(modes))
    .option('--unsandboxed', 'run commands even if no sandbox is available')
    .option('--strict', 'exit code 6 unless every call was run again')
    .option('--json', 'print JSON')
    .action(async (wanted: string, flags: Flags) => {
      requireFitting(flags);
      ended.code = await (flags.from === undefined
        ? compare(wanted, flags, terminal)
        : goOn(wanted, { ...flags, from: flags.from }, terminal));
    });
}

/** Flags that would have no effect are refused. */
function requireFitting({ from, at, mode, model, budget, strict, unsandboxed }: Flags): void {
  const misfit =
    from === undefined
      ? (at !== undefined && '--at needs --from.') ||
        (mode !== undefined && '--mode needs --from.') ||
        (budget.length > 0 && model === undefined && '--budget needs --model or --from.')
      : (strict && '--strict does not work with --from.') ||
        (unsandboxed && '--unsandboxed does not work with --from.');
  if (misfit) throw new UserError(misfit, 'See `aca replay --help`.');
}

async function compare(wanted: string, flags: Flags, terminal: Terminal): Promise<number> {
  const { json, strict = false, unsandboxed = false, model, budget } = flags;
  const settings = loadSettings({ budget }, terminal);
  const stop = new AbortController();
  terminal.onSignal('SIGINT', () => stop.abort());
  const { replaySession } = await import('../../app/replay/replay.ts');
  const options = { unsandboxed, signal: stop.signal, ...(model !== undefined && { model }) };
  const report = await replaySession(wanted, options, { settings, host: terminal });
  const color = terminal.stdout.isTTY && !terminal.env.NO_COLOR;
  terminal.stdout.write(json ? `${JSON.stringify(report)}\n` : await reportText(report, { color }));
  if (stop.signal.aborted) return exitCodes.interrupted.code;
  if ((report.comparison?.stopped ?? null) !== null) return exitCodes.limit.code;
  if (!report.same) return exitCodes.error.code;
  const isEnough = report.complete || (report.calls > 0 && !strict);
  return isEnough ? exitCodes.done.code : exitCodes.incomplete.code;
}

/** Branches, then goes on like any other conversation. */
async function goOn(wanted: string, flags: Flags & { from: number }, terminal: Terminal): Promise<number> {
  const { from, at, model, mode, budget, json } = flags;
  const isOnScreen = terminal.stdin.isTTY && terminal.stdout.isTTY && !json;
  const args = [
    ...(isOnScreen ? [] : ['-p']),
    ...(model === undefined ? [] : ['--model', model]),
    ...(mode === undefined ? [] : ['--mode', mode]),
    ...budget.flatMap((limit) => ['--budget', limit]),
    ...(json ? ['--output-format', 'json'] : []),
  ];
  const write = (text: string) => void terminal.stderr.write(text);
  const parsed = parseArgs(args, { out: write, err: write });
  if (parsed.kind !== 'conversation') throw new Error('These flags start a conversation.');
  const settings = loadSettings(parsed.options, terminal);
  const { branchSession, requireModel } = await import('../../app/replay/branch.ts');
  // Before anything is created: the conversation could not start without it.
  await requireModel(settings, terminal);
  const where = { from, ...(at !== undefined && { at: path.resolve(terminal.cwd, at) }) };
  const branch = await branchSession(wanted, where, { settings, host: terminal });
  const { id, folder, prompt, notes } = branch;
  for (const note of notes) terminal.stderr.write(`Note: ${visible(note)}\n`);
  terminal.stderr.write(`Session ${id} in ${visible(folder)}.\n`);
  const options = { ...parsed.options, resume: id };
  const there = { ...terminal, cwd: folder };
  if (isOnScreen) return (await import('../../frontends/terminal/run.ts')).runScreen(prompt, options, there);
  return (await import('../../frontends/print/run.ts')).runPrint(prompt, options, there);
}
