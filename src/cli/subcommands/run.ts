import type { Command } from 'commander';
import { presetsOf } from '../../assemble/choose-model.ts';
import { loadSettings } from '../open.ts';
import type { Terminal } from '../terminal.ts';
import { auditCommand } from './audit.ts';
import { configCommand } from './config.ts';
import { keysCommand } from './keys.ts';
import { mcpCommand } from './mcp.ts';
import { memoryCommand } from './memory.ts';
import { modelsCommand } from './models.ts';
import { sessionsCommand } from './sessions.ts';
import { statsCommand } from './stats.ts';
import { trustCommand } from './trust.ts';
import { undoCommand } from './undo.ts';

/** Runs one subcommand; resolves with the exit code. */
export async function runSubcommand(name: string, args: string[], terminal: Terminal): Promise<number> {
  await commandNamed(name, terminal).parseAsync(args, { from: 'user' });
  return 0;
}

function commandNamed(name: string, terminal: Terminal): Command {
  switch (name) {
    case 'audit':
      return auditCommand(terminal);
    case 'config':
      return configCommand(terminal);
    case 'keys': {
      const providers = presetsOf(loadSettings({}, terminal).config).filter((preset) => !preset.local);
      return keysCommand({ ...terminal, providers: providers.map((preset) => preset.name) });
    }
    case 'mcp':
      return mcpCommand(terminal);
    case 'memory':
      return memoryCommand(terminal);
    case 'models':
      return modelsCommand(terminal);
    case 'redo':
      return undoCommand('redo', terminal);
    case 'sessions':
      return sessionsCommand(terminal);
    case 'stats':
      return statsCommand(terminal);
    case 'trust':
      return trustCommand(terminal);
    case 'undo':
      return undoCommand('undo', terminal);
    default:
      throw new Error(`The subcommand ${name} is listed but has no file.`);
  }
}
