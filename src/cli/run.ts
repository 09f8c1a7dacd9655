import { keepDataRootPrivate } from '../config/private-root.ts';
import { UserError } from '../contract/errors.ts';
import { exitCodes } from '../frontends/shared/exit-codes.ts';
import type { Options } from '../frontends/shared/options.ts';
import type { Terminal } from '../frontends/shared/terminal.ts';
import { dataRoot } from '../lib/files/data-root.ts';
import { NotRegularFileError } from '../lib/files/regular-file.ts';
import { commanderExitCode, parseArgs } from './args.ts';

/** Does what the arguments ask for; resolves with the exit code. */
export async function run(args: string[], terminal: Terminal): Promise<number> {
  try {
    if (args[0] === '__complete') return await complete(args[1], terminal);
    const invocation = parseArgs(args, { out: teller('stdout', terminal), err: teller('stderr', terminal) });
    keepDataRootPrivate(dataRoot(terminal.env));
    if (invocation.kind === 'subcommand') terminal.early?.dismiss();
    if (invocation.kind === 'subcommand' && invocation.name === 'policy') return await judge(args, terminal);
    terminal.mark?.('arguments read');
    const frontends = await import('./frontends.ts');
    terminal.onUncaught?.((error) => frontends.logCrash(error, terminal));
    terminal.mark?.('program loaded');
    if (invocation.kind === 'subcommand')
      return await frontends.runSubcommand(invocation.name, args.slice(1), terminal);
    return await converse(invocation.prompt, invocation.options, { terminal, frontends });
  } catch (error) {
    return await explain(error, args, terminal);
  }
}

function teller(to: 'stdout' | 'stderr', terminal: Terminal): (text: string) => void {
  return (text) => {
    terminal.early?.dismiss();
    terminal[to].write(text);
  };
}

/** Asked by shells at every Tab: loads what it lists and nothing else of the app. */
async function complete(what: string | undefined, terminal: Terminal): Promise<number> {
  keepDataRootPrivate(dataRoot(terminal.env));
  await (await import('./completion/values.ts')).listValues(what, terminal);
  return exitCodes.done.code;
}

/** Asked for many verdicts by scripts, so it loads the judge and nothing else of the app. */
async function judge(args: string[], terminal: Terminal): Promise<number> {
  const { policyCommand } = await import('./subcommands/policy.ts');
  await policyCommand(terminal).parseAsync(args.slice(1), { from: 'user' });
  return exitCodes.done.code;
}

type Stage = { terminal: Terminal; frontends: typeof import('./frontends.ts') };

async function converse(prompt: string, asked: Options, { terminal, frontends }: Stage): Promise<number> {
  const { stdin, stdout } = terminal;
  const { worktree, ...others } = asked;
  const report = (text: string) => void terminal.stderr.write(`${text}\n`);
  const place = { host: terminal, options: others, report };
  if (!opensScreen(asked, terminal)) terminal.early?.dismiss();
  if (worktree !== undefined)
    return frontends.inWorktree(worktree, place, ({ cwd, ...trust }) =>
      converse(prompt, { ...others, ...trust }, { terminal: { ...terminal, cwd }, frontends }),
    );
  if (asked.demo) return frontends.runDemo(terminal);
  const options = await withModel(asked, terminal);
  if (options.print || options.inputFormat === 'stream-json')
    return frontends.runPrint(prompt, options, terminal);
  if (stdin.isTTY && stdout.isTTY) {
    if (!paints(options, terminal)) return frontends.runPlain(prompt, options, terminal);
    return frontends.runScreen(prompt, options, terminal);
  }
  return prompt === ''
    ? frontends.showWelcome(options, terminal)
    : frontends.runPrint(prompt, options, terminal);
}

/** Whether nothing but the screen comes of these options. */
function opensScreen(options: Options, terminal: Terminal): boolean {
  const { print, demo, inputFormat, worktree, repoId, filename } = options;
  const isOther = print || demo || inputFormat !== 'text' || worktree !== undefined;
  return !isOther && repoId === undefined && filename === undefined && paints(options, terminal);
}

/** Whether the screen may be repainted: not on a terminal that cannot, nor where nobody looks at it. */
function paints({ plain, screenReader }: Options, { env }: Terminal): boolean {
  const isCi = env.CI !== undefined && !['', '0', 'false'].includes(env.CI);
  return !plain && !screenReader && !isCi && env.TERM !== 'dumb';
}

/** A model of a hub is fetched before anything else is done with it. */
async function withModel(options: Options, terminal: Terminal): Promise<Options> {
  if (options.repoId === undefined && options.filename === undefined) return options;
  return (await import('../frontends/shared/hub-model.ts')).withHubModel(options, terminal);
}

async function explain(thrown: unknown, args: string[], terminal: Terminal): Promise<number> {
  const { stderr, early } = terminal;
  early?.dismiss();
  const error = (await import('./disk-refusal.ts')).explainRefusal(thrown);
  const code = commanderExitCode(error);
  if (code !== null) return code;
  if (error instanceof UserError) {
    stderr.write(`${error.message}\n${error.hint}\n`);
    return exitCodes[error.exit].code;
  }
  if (error instanceof NotRegularFileError) {
    stderr.write(`${error.message}\nMove it away.\n`);
    return exitCodes.error.code;
  }
  stderr.write('This is a bug in ai-code-assistant. Please report it with what follows.\n');
  stderr.write(`${error instanceof Error ? error.stack : String(error)}\naca ${args.join(' ')}\n`);
  const { logCrash } = await import('../app/opening/crash-log.ts');
  const file = logCrash(error, terminal);
  if (file !== null) stderr.write(`It is also in ${file}, with what came before it.\n`);
  return exitCodes.error.code;
}
