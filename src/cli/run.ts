import { keepDataRootPrivate } from '../config/private-root.ts';
import { UserError } from '../contract/errors.ts';
import { exitCodes } from '../frontends/shared/exit-codes.ts';
import type { Options } from '../frontends/shared/options.ts';
import type { Terminal } from '../frontends/shared/terminal.ts';
import { dataRoot } from '../lib/files/data-root.ts';
import { sourceStack } from '../lib/source-stack.ts';
import { withoutPasswords } from '../lib/text/url-password.ts';
import { commanderExitCode, parseArgs, promptHint } from './args.ts';
import { existingFolder } from './existing-folder.ts';

/** Runs what the arguments request; resolves with the exit code. */
export async function run(args: string[], terminal: Terminal): Promise<number> {
  try {
    if (args[0] === '__complete') return await complete(args[1], terminal);
    const invocation = parseArgs(args, {
      out: teller('stdout', terminal),
      err: teller('stderr', terminal),
      width: terminal.stdout.columns,
    });
    keepDataRootPrivate(dataRoot(terminal.env));
    if (invocation.kind === 'subcommand') terminal.early?.dismiss();
    if (invocation.kind === 'subcommand' && invocation.name === 'policy') return await judge(args, terminal);
    // Loaded early: on an unhandled error there is no time to load anything.
    const { logCrash } = await import('../app/opening/crash-log.ts');
    terminal.onUncaught?.((error) => logCrash(error, terminal));
    if (invocation.kind === 'subcommand') {
      const { runSubcommand } = await import('./subcommands/run.ts');
      return await runSubcommand(invocation.name, args.slice(1), terminal);
    }
    const { words, options } = invocation;
    const help = await helpIn(words, { isPrompt: options.print || args.includes('--') }, terminal);
    if (help) return await run(help, terminal);
    return await converse(words.join(' '), options, inFolder(options, terminal));
  } catch (error) {
    return await explain(error, args, terminal);
  }
}

function inFolder({ cd }: Options, terminal: Terminal): Terminal {
  if (cd === undefined) return terminal;
  terminal.early?.dismiss();
  return { ...terminal, cwd: existingFolder(cd, '--cd', terminal.cwd) };
}

/**
 * The arguments that `aca help` stands for; null if the words are a prompt. What may be meant as a command is sent to a model
 * only when the user says so.
 */
async function helpIn(
  words: string[],
  { isPrompt }: { isPrompt: boolean | undefined },
  terminal: Terminal,
): Promise<string[] | null> {
  const [first] = words;
  // A sentence in quotes.
  if (isPrompt || first === undefined || /\s/.test(first)) return null;
  const { meaningOfWords } = await import('./command-words.ts');
  const meaning = await meaningOfWords(words, {
    load: async (name) => (await import('./subcommands/run.ts')).commandNamed(name, terminal),
    slashCommands: async () =>
      (await import('../commands/index.ts')).builtinCommands.map((command) => command.name),
  });
  if (meaning.type === 'help') return meaning.args;
  if (meaning.type === 'prompt') return null;
  const { problem, hint } = meaning;
  if (!terminal.stdin.isTTY || !terminal.stdout.isTTY) throw new UserError(problem, hint);
  terminal.early?.dismiss();
  terminal.stderr.write(`${problem}\n${hint}\n`);
  const { confirm } = await import('./subcommands/confirm.ts');
  if (await confirm('Send it as a prompt?', terminal)) return null;
  throw new UserError('Nothing was sent.', 'Run `aca help` to list the commands.');
}

function teller(to: 'stdout' | 'stderr', terminal: Terminal): (text: string) => void {
  return (text) => {
    terminal.early?.dismiss();
    terminal[to].write(text);
  };
}

/** Called by shells at every Tab: loads only what it lists. */
async function complete(what: string | undefined, terminal: Terminal): Promise<number> {
  keepDataRootPrivate(dataRoot(terminal.env));
  await (await import('./completion/values.ts')).listValues(what, terminal);
  return exitCodes.done.code;
}

/** Called by scripts for many verdicts, so it loads only the judge. */
async function judge(args: string[], terminal: Terminal): Promise<number> {
  const { policyCommand } = await import('./subcommands/policy.ts');
  const { parseSubcommand } = await import('./subcommands/context.ts');
  await parseSubcommand(policyCommand(terminal), args.slice(1));
  return exitCodes.done.code;
}

async function converse(prompt: string, asked: Options, terminal: Terminal): Promise<number> {
  const { stdin, stdout } = terminal;
  const { worktree, ...others } = asked;
  const report = (text: string) => void terminal.stderr.write(`${text}\n`);
  const place = { host: terminal, options: others, report };
  if (!opensScreen(asked, terminal)) terminal.early?.dismiss();
  if (worktree !== undefined) {
    const { inWorktree } = await import('../app/opening/worktree.ts');
    return inWorktree(worktree, place, ({ cwd, ...trust }) =>
      converse(prompt, { ...others, ...trust }, { ...terminal, cwd }),
    );
  }
  if (asked.demo) {
    return stdin.isTTY && stdout.isTTY && paints(asked, terminal)
      ? (await import('../frontends/terminal/demo.ts')).runDemo(asked, terminal)
      : (await import('../frontends/plain/demo.ts')).runDemo(terminal);
  }
  for (const folder of asked.addDir) existingFolder(folder, '--add-dir', terminal.cwd);
  const options = await withModel(asked, terminal);
  if (options.background) {
    await (await import('../frontends/server/background.ts')).runInBackground(prompt, options, terminal);
    return exitCodes.done.code;
  }
  if (options.print || options.inputFormat === 'stream-json') return print(prompt, options, terminal);
  if (stdin.isTTY && stdout.isTTY) {
    if (options.image?.length)
      throw new UserError(
        '--image needs -p.',
        'Here, paste the image or mention it as @FILE in your prompt.',
      );
    if (options.check?.length)
      throw new UserError('--check needs -p.', "Add it: aca -p 'fix the login test' --check 'npm test'");
    if (paints(options, terminal))
      return (await import('../frontends/terminal/run.ts')).runScreen(
        prompt,
        options,
        terminal,
        async (session) =>
          (await import('../frontends/server/background.ts')).moveToBackground(session, terminal),
      );
    return (await import('../frontends/plain/run.ts')).runPlain(prompt, options, terminal);
  }
  // A program that asked for JSON gets an error instead of the welcome text.
  if (options.outputFormat !== 'text') return print(prompt, { ...options, print: true }, terminal);
  if (prompt !== '' || !stdin.isTTY) return print(prompt, options, terminal);
  return (await import('../frontends/print/welcome.ts')).showWelcome(options, terminal);
}

async function print(prompt: string, options: Options, terminal: Terminal): Promise<number> {
  return (await import('../frontends/print/run.ts')).runPrint(prompt, options, terminal);
}

/** Whether these options open the full-screen interface and do nothing else. */
function opensScreen(options: Options, terminal: Terminal): boolean {
  const { print, background, demo, inputFormat, worktree, repoId, filename } = options;
  const isOther = print || background || demo || inputFormat !== 'text' || worktree !== undefined;
  return !isOther && repoId === undefined && filename === undefined && paints(options, terminal);
}

/** Whether the screen may be repainted: not on a dumb terminal, and not for a screen reader. */
function paints({ plain, screenReader }: Options, { env }: Terminal): boolean {
  const isCi = env.CI !== undefined && !['', '0', 'false'].includes(env.CI);
  return !plain && !screenReader && !isCi && env.TERM !== 'dumb';
}

/** A model on a hub is downloaded first. */
async function withModel(options: Options, terminal: Terminal): Promise<Options> {
  if (options.repoId === undefined && options.filename === undefined) return options;
  return (await import('../frontends/shared/hub-model.ts')).withHubModel(options, terminal);
}

async function explain(thrown: unknown, args: string[], terminal: Terminal): Promise<number> {
  const { stderr, early } = terminal;
  early?.dismiss();
  const code = commanderExitCode(thrown);
  if (code !== null) {
    stderr.write(promptHint(thrown, args));
    return code;
  }
  const error =
    thrown instanceof UserError ? thrown : (await import('./disk-refusal.ts')).explainRefusal(thrown);
  if (error instanceof UserError) {
    stderr.write(`${error.message}\n${error.hint}\n`);
    return exitCodes[error.exit].code;
  }
  stderr.write('This is a bug in ai-code-assistant. Report it with the details below.\n');
  const stack = withoutPasswords(error instanceof Error ? sourceStack(error.stack ?? '') : String(error));
  const { installation, logCrash } = await import('../app/opening/crash-log.ts');
  stderr.write(`${stack}\naca ${args.map(withoutPasswords).join(' ')}\n${installation(terminal)}\n`);
  const file = logCrash(error, terminal);
  if (file !== null) stderr.write(`Full details are in ${file}.\n`);
  return exitCodes.error.code;
}
