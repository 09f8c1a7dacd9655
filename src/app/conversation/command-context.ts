import { builtinCommands } from '../../commands/index.ts';
import type { CommandContext, SlashCommand } from '../../contract/command.ts';
import { BudgetReachedError, ProviderError, UserError } from '../../contract/errors.ts';
import { visible } from '../../lib/text/printable.ts';
import { checkHealth, settingStates } from '../doctor/conversation-checks.ts';
import type { Host } from '../host.ts';
import type { Opened } from '../open-assistant.ts';
import { fileHistory } from './file-history.ts';
import { answerTrust } from './trust-question.ts';

/** What differs between frontends. */
export type CommandParts = Pick<
  CommandContext,
  'signal' | 'quit' | 'submit' | 'print' | 'ask' | 'confirm' | 'prompts' | 'sessions' | 'addFolder'
> & {
  host: Host;
  commands(): readonly SlashCommand[];
};

/** What a slash command may use. */
export function commandContext(opened: Opened, parts: CommandParts): CommandContext {
  const {
    mode,
    permissions,
    window,
    spending,
    cache,
    record,
    memory,
    mcp,
    languageServers,
    repositories,
    extensions,
  } = opened;
  const { host, commands, print, ...others } = parts;
  return {
    ...others,
    get commands() {
      return commands();
    },
    cwd: host.cwd,
    print: (text) => print(visible(text)),
    files: fileHistory(opened.undo),
    mode,
    permissions,
    window,
    spending,
    cache,
    figures: record.figures,
    log: record.log,
    ...(memory && { memory }),
    ...(mcp && { mcp }),
    languageServers,
    repositories,
    extensions,
    styles: opened.styles,
    effort: opened.effort,
    settings: () => settingStates(opened.settings),
    health: () => checkHealth(opened, host),
    importSettings: async (args) =>
      (await import('../import/import-command.ts')).answerImport(args, opened.settings, host),
    trustFolder: (args) => answerTrust(args, opened),
    call: opened.call,
  };
}

/** Those of extensions and servers are added when they are ready. */
export function commandsOf(
  { extensions, mcp }: Pick<Opened, 'extensions' | 'mcp'>,
  commands: readonly SlashCommand[] = builtinCommands,
): SlashCommand[] {
  return [...commands, ...extensions.commands(), ...(mcp?.commands() ?? [])];
}

/** Why a command failed, for the user; null for a bug. */
export function failureMessage(error: unknown, signal: AbortSignal): string | null {
  if (signal.aborted && (error === signal.reason || error instanceof ProviderError)) return 'Interrupted.';
  if (error instanceof UserError || error instanceof BudgetReachedError)
    return `${error.message} ${error.hint}`;
  return error instanceof ProviderError ? error.message : null;
}
