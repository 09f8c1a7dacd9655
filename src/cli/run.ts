import { UserError } from '../contract/errors.ts';
import { commanderExitCode, type Options, parseArgs } from './args.ts';
import { exitCodes } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';

/** Does what the arguments ask for; resolves with the exit code. */
export async function run(args: string[], terminal: Terminal): Promise<number> {
  try {
    const { stdout, stderr } = terminal;
    const invocation = parseArgs(args, {
      out: (text) => stdout.write(text),
      err: (text) => stderr.write(text),
    });
    if (invocation.kind === 'subcommand') {
      const { runSubcommand } = await import('./subcommands/run.ts');
      return await runSubcommand(invocation.name, args.slice(1), terminal);
    }
    return await converse(invocation.prompt, invocation.options, terminal);
  } catch (error) {
    return explain(error, args, terminal);
  }
}

async function converse(prompt: string, options: Options, terminal: Terminal): Promise<number> {
  if (options.demo) {
    const { runDemo } = await import('./demo.ts');
    return runDemo(terminal);
  }
  if (options.print || options.inputFormat === 'stream-json') {
    const { runPrint } = await import('./print.ts');
    return runPrint(prompt, options, terminal);
  }
  if (!terminal.stdin.isTTY || !terminal.stdout.isTTY) {
    if (prompt !== '') {
      const { runPrint } = await import('./print.ts');
      return runPrint(prompt, options, terminal);
    }
    const { showWelcome } = await import('./welcome.ts');
    return showWelcome(options, terminal);
  }
  const { runPlain } = await import('./plain.ts');
  return runPlain(prompt, options, terminal);
}

function explain(error: unknown, args: string[], { stderr }: Terminal): number {
  const code = commanderExitCode(error);
  if (code !== null) return code;
  if (error instanceof UserError) {
    stderr.write(`${error.message}\n${error.hint}\n`);
    return exitCodes.usage.code;
  }
  stderr.write('This is a bug in ai-code-assistant. Please report it with what follows.\n');
  stderr.write(`${error instanceof Error ? error.stack : String(error)}\naca ${args.join(' ')}\n`);
  return exitCodes.error.code;
}
