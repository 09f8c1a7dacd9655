import { rm, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Command } from 'commander';
import { exported } from '../../app/conversation/export-file.ts';
import { readSettings } from '../../app/doctor/settings.ts';
import { sizeText } from '../../app/housekeeping/size-text.ts';
import { type Settings, sessionStore } from '../../app/settings.ts';
import { thisInstall } from '../../app/update/install-method.ts';
import { createKeychain, type Keychain } from '../../config/keys/keychain.ts';
import { UserError } from '../../contract/errors.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { homeFolder } from '../../lib/files/data-root.ts';
import { makePrivateFolder } from '../../lib/files/private-folder.ts';
import { findTraces, isEmptyFolder, type Traces } from '../uninstall/find-traces.ts';
import { dataPlaces } from '../uninstall/places.ts';
import { confirm } from './confirm.ts';
import { table, withContext } from './context.ts';

type Flags = { yes?: boolean; keep: string[]; export?: string };

/** `aca uninstall`: lists what exists first, and removes it only after a yes. */
export function uninstallCommand(terminal: Terminal): Command {
  const print = (text: string): void => {
    terminal.stdout.write(text);
  };
  return withContext(new Command('uninstall'), terminal)
    .description(
      'Show what aca stores on this machine (data, keys, completions) and remove it after you confirm',
    )
    .option('--yes', 'remove without asking; without it, non-interactive runs only print the list')
    .option(
      '--keep <part>',
      'keep this part of the data root, such as sessions; repeatable',
      (value: string, before: string[]) => [...before, value],
      [],
    )
    .option('--export <folder>', 'export every session to this folder as Markdown and JSON first')
    .action(async ({ yes = false, keep, export: folder }: Flags) => {
      // Unreadable settings must not prevent uninstalling.
      const { settings } = readSettings(terminal);
      const { env, stdin, stdout } = terminal;
      const keychain = createKeychain({ home: settings.root, env });
      const home = homeFolder(env);
      const found = await findTraces({ root: settings.root, home, keychain });
      const traces = { ...found, parts: found.parts.filter(({ part }) => !keep.includes(part)) };
      for (const part of keep)
        if (!found.parts.some((one) => one.part === part))
          throw new UserError(
            `There is no ${part} in ${found.root}.`,
            'Run `aca uninstall` to see what can be kept.',
          );
      print(listOf(traces, settings));
      const isThere = traces.parts.length + traces.keys.length + traces.completions.length > 0;
      const asked = isThere && !yes && stdin.isTTY && stdout.isTTY;
      if (!isThere || (asked ? !(await confirm('Permanently remove all of this?', terminal)) : !yes)) {
        print(isThere ? 'Nothing was removed. To remove it, run: aca uninstall --yes\n' : '');
      } else {
        if (folder !== undefined) print(await exportSessions(settings, path.resolve(terminal.cwd, folder)));
        await remove(traces, keychain);
        print('Everything listed was removed.\n');
      }
      print(`To remove the program itself: ${thisInstall(terminal.program).remove}\n`);
    });
}

function listOf({ root, parts, strangers, keys, completions, lines }: Traces, { config }: Settings): string {
  const rows = [
    ...parts.map(({ part, bytes }) => {
      const place = Object.hasOwn(dataPlaces, part) ? dataPlaces[part] : undefined;
      const about = place === undefined ? '' : `${place.about}${place.own ? ', written by you' : ''}`;
      return [path.join(root, part), sizeText(bytes), about];
    }),
    ...keys.map((provider) => ['system keychain', '', `${provider} API key`]),
    ...completions.map((file) => [file, '', 'completion script']),
  ];
  const others = [
    ...strangers.map((name) => `${path.join(root, name)} does not belong to aca and will be kept.`),
    ...(config.sessionDirectory === undefined
      ? []
      : [`Sessions in ${config.sessionDirectory} (your sessionDirectory setting) will be kept.`]),
    ...lines.map((place) => `${place} loads completions; remove that line yourself.`),
    'Project files (.ai-assistant.json, .ai-assistant, AGENTS.md) will be kept.',
  ];
  const there =
    rows.length > 0 ? table(rows) : 'Nothing is stored on this machine apart from the program itself.\n';
  return `${there}\n${others.join('\n')}\n`;
}

async function exportSessions(settings: Settings, folder: string): Promise<string> {
  const store = sessionStore(settings);
  const sessions = store.list();
  makePrivateFolder(folder);
  for (const { id } of sessions) {
    const session = await store.read(id);
    if (!session) continue;
    for (const [format, ending] of [
      ['markdown', 'md'],
      ['json', 'json'],
    ] as const)
      await writeFile(path.join(folder, `${id}.${ending}`), await exported(session, format), { mode: 0o600 });
  }
  return `Exported ${sessions.length} sessions to ${folder}.\n`;
}

/** Keys first: the data root lists which ones are in the keychain. */
async function remove({ root, parts, keys, completions }: Traces, keychain: Keychain): Promise<void> {
  for (const provider of keys) await keychain.remove(provider);
  for (const { part } of parts) await rm(path.join(root, part), { recursive: true, force: true });
  for (const file of completions) await rm(file, { force: true });
  if (isEmptyFolder(root)) await rmdir(root);
}
