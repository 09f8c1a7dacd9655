import { Argument, Command } from 'commander';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { buildProgram, subcommands } from '../args.ts';
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
    .addHelpText(
      'after',
      `
To install it:
  bash        source <(aca completion bash)                    in ~/.bashrc
  zsh         source <(aca completion zsh)                     in ~/.zshrc, after compinit
  fish        aca completion fish > ~/.config/fish/completions/aca.fish
  powershell  aca completion powershell | Out-String | Invoke-Expression   in $PROFILE`,
    )
    .action(async (shell: Shell) => {
      const silent = { out: () => undefined, err: () => undefined };
      const commands = await Promise.all(subcommands.map(({ name }) => makes(name, terminal)));
      terminal.stdout.write(completionScript(shell, buildProgram(silent), commands));
    });
}
