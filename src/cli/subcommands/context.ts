import { Command } from 'commander';
import { didYouMean } from '../../lib/text/nearest.ts';

/** What a subcommand may use of its process. */
export type SubcommandContext = {
  env: NodeJS.ProcessEnv;
  cwd: string;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean; setRawMode?(raw: boolean): unknown };
  stdout: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
  stderr: NodeJS.WritableStream;
};

/** The exit code, for a command that may end with something other than 0. */
export type Ended = { code: number };

/** Help and usage errors go to the context's streams; wrong usage throws a `CommanderError`. */
export function withContext(command: Command, { stdout, stderr }: SubcommandContext): Command {
  return command
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      getOutHelpWidth: () => Math.max(stdout.columns ?? 80, 40),
    });
}

/**
 * Parses the arguments of a subcommand; its usage lines begin with `aca`. A mistyped inner command is reported as such:
 * otherwise it would be an argument of the default one.
 */
export async function parseSubcommand(command: Command, args: readonly string[]): Promise<void> {
  new Command('aca').addCommand(command);
  const [first = '-'] = args;
  const names = [...command.commands.flatMap((inner) => [inner.name(), ...inner.aliases()]), 'help'];
  const isUnknown = command.commands.length > 0 && !first.startsWith('-') && !names.includes(first);
  if (isUnknown && command.registeredArguments.length === 0)
    command.error(`error: unknown command '${first}'.${didYouMean(first, names)}`, {
      code: 'commander.unknownCommand',
    });
  await command.parseAsync(args, { from: 'user' });
}

/** Rows as aligned columns, without trailing spaces. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows.reduce<number[]>(
    (widest, row) => row.map((cell, i) => Math.max(cell.length, widest[i] ?? 0)),
    [],
  );
  const lines = rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}
