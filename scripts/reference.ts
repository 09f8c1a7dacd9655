import { Command, type Option } from 'commander';
import { buildProgram, subcommands } from '../src/cli/args.ts';
import { acpCommand } from '../src/cli/subcommands/acp.ts';
import { attachCommand } from '../src/cli/subcommands/attach.ts';
import { auditCommand } from '../src/cli/subcommands/audit.ts';
import { completionCommand } from '../src/cli/subcommands/completion.ts';
import { configCommand } from '../src/cli/subcommands/config.ts';
import { doctorCommand } from '../src/cli/subcommands/doctor.ts';
import { batchCommand } from '../src/cli/subcommands/fleet/batch.ts';
import { fleetCommand } from '../src/cli/subcommands/fleet/fleet.ts';
import { workerCommand } from '../src/cli/subcommands/fleet/worker.ts';
import { importCommand } from '../src/cli/subcommands/import.ts';
import { keysCommand } from '../src/cli/subcommands/keys.ts';
import { mcpCommand } from '../src/cli/subcommands/mcp/mcp.ts';
import { memoryCommand } from '../src/cli/subcommands/memory.ts';
import { modelsCommand } from '../src/cli/subcommands/models/models.ts';
import { pluginCommand } from '../src/cli/subcommands/plugin/plugin.ts';
import { policyCommand } from '../src/cli/subcommands/policy.ts';
import { replayCommand } from '../src/cli/subcommands/replay.ts';
import { scheduleCommand } from '../src/cli/subcommands/schedule.ts';
import { serveCommand } from '../src/cli/subcommands/serve.ts';
import { sessionsCommand } from '../src/cli/subcommands/sessions/sessions.ts';
import { statsCommand } from '../src/cli/subcommands/stats.ts';
import { trustCommand } from '../src/cli/subcommands/trust.ts';
import { undoCommand } from '../src/cli/subcommands/undo.ts';
import { uninstallCommand } from '../src/cli/subcommands/uninstall.ts';
import { updateCommand } from '../src/cli/subcommands/update.ts';
import { builtinCommands } from '../src/commands/index.ts';
import { environmentVariables } from '../src/config/environment.ts';
import { settingsReference } from '../src/config/schema/reference.ts';
import { startupFiles } from '../src/contract/startup/list.ts';
import { exitCodes } from '../src/frontends/shared/exit-codes.ts';
import type { Terminal } from '../src/frontends/shared/terminal.ts';
import { withDialogs } from '../src/frontends/terminal/flows/commands.ts';
import type { Pickers } from '../src/frontends/terminal/flows/pickers.ts';
import { bindings, keyLabel } from '../src/frontends/terminal/keyboard/keymap.ts';
import { type Preset, presets } from '../src/providers/presets.ts';
import { builtinTools } from '../src/tools/index.ts';

/** The reference as Markdown, from the definitions that the program itself uses. */
export function reference(): string {
  return `${[
    '# Reference\n\nGenerated from the code by `npm run docs`; do not edit.',
    section('Flags', ['flag', 'what it does', 'default'], flagRows()),
    section('Commands', ['command', 'what it does'], commandRows().map(cellsOf)),
    section('Slash commands', ['command', 'what it does'], slashRows()),
    section('Keys', ['action', 'keys', 'where', 'what it does'], keyRows()),
    section('Exit codes', ['code', 'meaning'], exitRows()),
    section('Settings', ['key', 'type', 'default', 'what it does'], settingRows()),
    section('Environment variables', ['variable', 'what it does'], variableRows()),
    section('Vendors and servers', ['name', 'protocol', 'address', 'key', 'default model'], vendorRows()),
    section('Tools', ['tool', 'description for the model'], toolRows()),
    section(
      'Files that other programs run',
      ['why', 'read-only in the sandbox', 'checked after sandboxed commands', 'approval in tools only'],
      startupRows(),
    ),
  ].join('\n\n')}\n`;
}

function startupRows(): string[][] {
  const names = (patterns: readonly string[] = []) => patterns.map((pattern) => `\`${pattern}\``).join(' ');
  return startupFiles.map(({ because, sealed, checked, unchecked }) => [
    because,
    names(sealed),
    names(checked),
    names(unchecked),
  ]);
}

function section(title: string, head: string[], rows: string[][]): string {
  const line = (cells: string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [`## ${title}\n`, line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function flagRows(): string[][] {
  const silent = { out: () => undefined, err: () => undefined };
  return buildProgram(silent).options.map((option: Option) => {
    const choices = option.argChoices ? `: ${option.argChoices.join(', ')}` : '';
    const isPlain = typeof option.defaultValue === 'string';
    return [
      `\`${option.flags}\``,
      `${option.description}${choices}`,
      isPlain ? `\`${option.defaultValue}\`` : '',
    ];
  });
}

/** A runnable command, and the subcommand it belongs to. */
export type CommandRow = { under: string; usage: string; description: string; flags: readonly Option[] };

/** Every subcommand. Only descriptions and flags are of use; the terminal is not. */
export function builtCommands(): Record<(typeof subcommands)[number]['name'], Command> {
  const stream = { write: () => true };
  const terminal = {
    env: {},
    cwd: '',
    stdin: stream,
    stdout: stream,
    stderr: stream,
  } as unknown as Terminal;
  return {
    acp: acpCommand(terminal, { code: 0 }),
    attach: attachCommand(terminal),
    audit: auditCommand(terminal),
    batch: batchCommand(terminal, { code: 0 }),
    completion: completionCommand(terminal, async (name) => new Command(name)),
    config: configCommand(terminal),
    doctor: doctorCommand(terminal, { code: 0 }),
    fleet: fleetCommand(terminal),
    import: importCommand(terminal),
    keys: keysCommand(terminal),
    mcp: mcpCommand(terminal),
    memory: memoryCommand(terminal),
    models: modelsCommand(terminal),
    plugin: pluginCommand(terminal),
    policy: policyCommand(terminal),
    redo: undoCommand('redo', terminal),
    replay: replayCommand(terminal, { code: 0 }),
    schedule: scheduleCommand(terminal),
    serve: serveCommand(terminal),
    sessions: sessionsCommand(terminal),
    stats: statsCommand(terminal),
    trust: trustCommand(terminal),
    undo: undoCommand('undo', terminal),
    uninstall: uninstallCommand(terminal),
    update: updateCommand(terminal),
    worker: workerCommand(terminal),
  };
}

export function commandRows(): CommandRow[] {
  const built = builtCommands();
  return subcommands.flatMap(({ name }) => {
    return rowsUnder(built[name], name, '');
  });
}

function rowsUnder(command: Command, under: string, prefix: string): CommandRow[] {
  if (command.commands.length === 0) return [rowOf(command, under, prefix)];
  return command.commands.flatMap((inner) => rowsUnder(inner, under, `${prefix}${command.name()} `));
}

function rowOf(command: Command, under: string, prefix: string): CommandRow {
  const words = command.registeredArguments.map((argument) =>
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
  );
  const usage = ['aca', `${prefix}${command.name()}`, ...words].join(' ');
  return { under, usage, description: command.description(), flags: command.options };
}

function cellsOf({ usage, description, flags }: CommandRow): string[] {
  const named = flags.map((option) => `\`${option.flags}\` ${option.description}`);
  return [`\`${usage}\``, [description, ...named].join('; ')];
}

function slashRows(): string[][] {
  // Only descriptions are read.
  const onScreen = withDialogs(builtinCommands, {} as Pickers);
  const everywhere = new Set([...builtinCommands.map(({ name }) => name), 'model']);
  return onScreen
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, description }) => [
      `\`/${name}\``,
      everywhere.has(name) ? description : `${description} (interactive only)`,
    ]);
}

function keyRows(): string[][] {
  const places = { prompt: 'prompt', list: 'list of completions', search: 'search' };
  return Object.entries(bindings).map(([action, { place, keys, about }]) => [
    `\`${action}\``,
    keys.map((strokes) => `\`${keyLabel(strokes)}\``).join(', '),
    places[place],
    about,
  ]);
}

function exitRows(): string[][] {
  return Object.values(exitCodes).map(({ code, meaning }) => [String(code), meaning]);
}

function settingRows(): string[][] {
  return settingsReference().map(({ key, type, default: value, description }) => [
    `\`${key}\``,
    type,
    value === 'unset' ? '' : `\`${value}\``,
    description,
  ]);
}

function variableRows(): string[][] {
  return environmentVariables.map(({ name, description, key }) => [
    `\`${name}\``,
    key === null ? description : `${description} (\`${key}\`)`,
  ]);
}

function vendorRows(): string[][] {
  return presets.map((preset: Preset) => [
    `\`${preset.name}\``,
    preset.cloud ? '[by model](models.md#clouds)' : preset.protocol,
    preset.baseUrl,
    preset.keyEnv.map((name) => `\`${name}\``).join(', '),
    preset.defaultModel !== undefined
      ? `\`${preset.defaultModel}\``
      : preset.cloud
        ? 'a deployment that you name'
        : 'the first one the server lists',
  ]);
}

function toolRows(): string[][] {
  return builtinTools().map(({ name, description }) => [name, description]);
}
