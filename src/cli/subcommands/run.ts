import type { Command } from 'commander';
import { loadSettings } from '../../app/settings.ts';
import { presetsOf } from '../../assembly/models/choose-model.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { auditCommand } from './audit.ts';
import { configCommand } from './config.ts';
import type { Ended } from './context.ts';
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
  const ended: Ended = { code: 0 };
  await (await commandNamed(name, terminal, ended)).parseAsync(args, { from: 'user' });
  return ended.code;
}

/** Those that are seldom called are loaded only then: the others come with the app. */
async function commandNamed(name: string, terminal: Terminal, ended: Ended = { code: 0 }): Promise<Command> {
  switch (name) {
    case 'audit':
      return auditCommand(terminal, ended);
    case 'completion':
      return (await import('./completion.ts')).completionCommand(terminal, commandNamed);
    case 'config':
      return configCommand(terminal);
    case 'doctor':
      return (await import('./doctor.ts')).doctorCommand(terminal, ended);
    case 'keys':
      return keysCommand({
        ...terminal,
        get providers() {
          const vendors = presetsOf(loadSettings({}, terminal).config).filter((preset) => !preset.local);
          return vendors.map((preset) => preset.name);
        },
      });
    case 'mcp':
      return mcpCommand(terminal);
    case 'memory':
      return memoryCommand(terminal);
    case 'models':
      return modelsCommand(terminal);
    case 'policy':
      return (await import('./policy.ts')).policyCommand(terminal);
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
    case 'uninstall':
      return (await import('./uninstall.ts')).uninstallCommand(terminal);
    case 'update':
      return (await import('./update.ts')).updateCommand(terminal);
    default:
      throw new Error(`The subcommand ${name} is listed but has no file.`);
  }
}
