import { Argument, Command } from 'commander';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { buildProgram, subcommands } from '../args.ts';
import { installCompletion } from '../completion/install.ts';
import { completionScript, type Shell, shells } from '../completion/script.ts';
import { withContext } from './context.ts';

/** `makes` creates any subcommand: the script contains the options of all of them. */
export function completionCommand(
  terminal: Terminal,
  makes: (name: string, terminal: Terminal) => Promise<Command>,
): Command {
  return withContext(new Command('completion'), terminal)
    .description('Print a shell completion script for commands, flags, models and sessions')
    .addArgument(new Argument('<shell>', 'which one').choices(shells))
    .option('--install', 'write it where the shell finds it, and load it in its start-up file')
    .addHelpText(
      'after',
      `
To install it:
  bash, zsh, fish  aca completion SHELL --install
  PowerShell       aca completion powershell >> $PROFILE`,
    )
    .action(async (shell: Shell, { install }: { install?: boolean }) => {
      const silent = { out: () => undefined, err: () => undefined };
      const commands = await Promise.all(subcommands.map(({ name }) => makes(name, terminal)));
      const script = completionScript(shell, buildProgram(silent), commands);
      if (!install) return void terminal.stdout.write(script);
      const done = await installCompletion(shell, script, terminal.env);
      terminal.stdout.write(`${done.join('\n')}\nOpen a new ${shell} to use it.\n`);
    });
}
