import { Command } from 'commander';
import { findBelongings } from '../../app/import/belongings.ts';
import { assistantsNamed, copySettings, decide, showBelongings } from '../../app/import/import.ts';
import { loadSettings } from '../../app/settings.ts';
import { assistantNames } from '../../config/schema/other-assistants.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { visible } from '../../lib/text/printable.ts';
import { withContext } from './context.ts';

/** `aca import`: what there is of other assistants, and what is used of it. */
export function importCommand(terminal: Terminal): Command {
  const command = withContext(new Command('import'), terminal).description(
    'Use the settings of Claude Code, Codex, Gemini CLI, Cursor and opencode',
  );
  const place = () => ({ settings: loadSettings({}, terminal), host: terminal });
  const print = (text: string) => terminal.stdout.write(`${visible(text)}\n`);
  const assistants = ['[assistants...]', `any of ${assistantNames.join(', ')} (default: all)`] as const;

  command
    .command('show', { isDefault: true })
    .alias('list')
    .description('Show what was found, what of it is used and what is not')
    .option('--json', 'print JSON')
    .action(({ json }: { json?: boolean }) => {
      const { settings, host } = place();
      if (!json) return void print(showBelongings({ settings, host }));
      const found = findBelongings(settings, host).map(({ settings: files, ...others }) => ({
        ...others,
        settings: files.map(({ reading: _, ...file }) => file),
      }));
      return void terminal.stdout.write(`${JSON.stringify(found, null, 2)}\n`);
    });
  command
    .command('use')
    .description('Use your personal settings of these assistants')
    .argument(...assistants)
    .action(async (names: string[]) => void print(await decide(assistantsNamed(names), 'use', place())));
  command
    .command('ignore')
    .description('Ignore all your personal files of these assistants')
    .argument(...assistants)
    .action(async (names: string[]) => void print(await decide(assistantsNamed(names), 'ignore', place())));
  command
    .command('copy')
    .description('Copy your personal settings of these assistants into your own config.json')
    .argument(...assistants)
    .option('--project', "copy the project's settings into .ai-assistant.json instead")
    .action(async (names: string[], { project = false }: { project?: boolean }) => {
      print(await copySettings(assistantsNamed(names), { isProject: project }, place()));
    });
  return command;
}
