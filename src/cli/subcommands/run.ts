import type { Command } from 'commander';
import { loadSettings } from '../../app/settings.ts';
import { presetsOf } from '../../assembly/models/choose-model.ts';
import { searchServices } from '../../contract/web-search.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { type Ended, parseSubcommand } from './context.ts';

/** Runs one subcommand; resolves with the exit code. */
export async function runSubcommand(name: string, args: string[], terminal: Terminal): Promise<number> {
  const ended: Ended = { code: 0 };
  await parseSubcommand(await commandNamed(name, terminal, ended), args);
  return ended.code;
}

/** Each is loaded on demand. */
export async function commandNamed(
  name: string,
  terminal: Terminal,
  ended: Ended = { code: 0 },
): Promise<Command> {
  switch (name) {
    case 'acp':
      return (await import('./acp.ts')).acpCommand(terminal, ended);
    case 'attach':
      return (await import('./attach.ts')).attachCommand(terminal);
    case 'audit':
      return (await import('./audit.ts')).auditCommand(terminal, ended);
    case 'batch':
      return (await import('./fleet/batch.ts')).batchCommand(terminal, ended);
    case 'completion':
      return (await import('./completion.ts')).completionCommand(terminal, commandNamed);
    case 'config':
      return (await import('./config.ts')).configCommand(terminal);
    case 'doctor':
      return (await import('./doctor.ts')).doctorCommand(terminal, ended);
    case 'fleet':
      return (await import('./fleet/fleet.ts')).fleetCommand(terminal);
    case 'import':
      return (await import('./import.ts')).importCommand(terminal);
    case 'keys':
      return (await import('./keys.ts')).keysCommand({
        ...terminal,
        get providers() {
          const vendors = presetsOf(loadSettings({}, terminal).config);
          const services = searchServices.filter(({ needs }) => needs === 'key');
          return [...vendors, ...services].map(({ name }) => name);
        },
      });
    case 'mcp':
      return (await import('./mcp/mcp.ts')).mcpCommand(terminal);
    case 'memory':
      return (await import('./memory.ts')).memoryCommand(terminal);
    case 'models':
      return (await import('./models/models.ts')).modelsCommand(terminal);
    case 'plugin':
      return (await import('./plugin/plugin.ts')).pluginCommand(terminal);
    case 'policy':
      return (await import('./policy.ts')).policyCommand(terminal);
    case 'redo':
      return (await import('./undo.ts')).undoCommand('redo', terminal);
    case 'replay':
      return (await import('./replay.ts')).replayCommand(terminal, ended);
    case 'schedule':
      return (await import('./schedule.ts')).scheduleCommand(terminal);
    case 'serve':
      return (await import('./serve.ts')).serveCommand(terminal);
    case 'sessions':
      return (await import('./sessions/sessions.ts')).sessionsCommand(terminal);
    case 'stats':
      return (await import('./stats.ts')).statsCommand(terminal);
    case 'trust':
      return (await import('./trust.ts')).trustCommand(terminal);
    case 'undo':
      return (await import('./undo.ts')).undoCommand('undo', terminal);
    case 'uninstall':
      return (await import('./uninstall.ts')).uninstallCommand(terminal);
    case 'update':
      return (await import('./update.ts')).updateCommand(terminal);
    case 'worker':
      return (await import('./fleet/worker.ts')).workerCommand(terminal);
    default:
      throw new Error(`The subcommand ${name} is listed but has no file.`);
  }
}
