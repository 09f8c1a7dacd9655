import type { Command } from 'commander';
import { presetsOf } from '../../assemble/choose-model.ts';
import { loadSettings } from '../open.ts';
import type { Terminal } from '../terminal.ts';
import { configCommand } from './config.ts';
import { keysCommand } from './keys.ts';
import { modelsCommand } from './models.ts';
import { sessionsCommand } from './sessions.ts';

/** Runs one subcommand; resolves with the exit code. */
export async function runSubcommand(name: string, args: string[], terminal: Terminal): Promise<number> {
  await commandNamed(name, terminal).parseAsync(args, { from: 'user' });
  return 0;
}

function commandNamed(name: string, terminal: Terminal): Command {
  switch (name) {
    case 'config':
      return configCommand(terminal);
    case 'keys': {
      const providers = presetsOf(loadSettings({}, terminal).config).filter((preset) => !preset.local);
      return keysCommand({ ...terminal, providers: providers.map((preset) => preset.name) });
    }
    case 'models':
      return modelsCommand(terminal);
    case 'sessions':
      return sessionsCommand(terminal);
    default:
      throw new Error(`The subcommand ${name} is listed but has no file.`);
  }
}
