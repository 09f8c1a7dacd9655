import type { Command } from 'commander';
import { presetsOf } from '../../assemble/choose-model.ts';
import { loadSettings } from '../open.ts';
import type { Terminal } from '../terminal.ts';

/** Loads one subcommand and runs it; resolves with the exit code. */
export async function runSubcommand(name: string, args: string[], terminal: Terminal): Promise<number> {
  const command = await load(name, terminal);
  await command.parseAsync(args, { from: 'user' });
  return 0;
}

async function load(name: string, terminal: Terminal): Promise<Command> {
  switch (name) {
    case 'config':
      return (await import('./config.ts')).configCommand(terminal);
    case 'keys': {
      const providers = presetsOf(loadSettings({}, terminal).config).filter((preset) => !preset.local);
      return (await import('./keys.ts')).keysCommand({
        ...terminal,
        providers: providers.map((preset) => preset.name),
      });
    }
    case 'models':
      return (await import('./models.ts')).modelsCommand(terminal);
    case 'sessions':
      return (await import('./sessions.ts')).sessionsCommand(terminal);
    default:
      throw new Error(`The subcommand ${name} is listed but has no file.`);
  }
}
