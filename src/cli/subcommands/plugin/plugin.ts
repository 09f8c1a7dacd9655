import { Command } from 'commander';
import { describeChanges, describePlugin } from '../../../app/plugins/describe.ts';
import {
  type Candidate,
  findPlugin,
  installedCopy,
  installedPlugin,
  installPlugin,
  removePlugin,
  setEnabled,
} from '../../../app/plugins/install.ts';
import { type PluginPlace, storeOf } from '../../../app/plugins/marketplaces.ts';
import { UserError } from '../../../contract/errors.ts';
import type { Terminal } from '../../../frontends/shared/terminal.ts';
import { visible } from '../../../lib/text/printable.ts';
import { confirm } from '../confirm.ts';
import { table, withContext } from '../context.ts';
import { marketplaceCommand } from './marketplace.ts';
import { placeOf } from './place.ts';

type Consent = { yes?: true };

export function pluginCommand(terminal: Terminal): Command {
  const print = (text: string) => void terminal.stdout.write(`${visible(text)}\n`);
  const command = withContext(new Command('plugin'), terminal).description(
    'Install plugins from marketplaces: commands, subagents, skills, hooks, MCP servers',
  );
  command.addCommand(marketplaceCommand(terminal));
  command
    .command('install')
    .description('Show what a plugin contains, and install it if you agree')
    .argument('<plugin>', 'name@marketplace, or the name alone if only one marketplace has it')
    .option('-y, --yes', 'install it without asking')
    .action(async (name: string, consent: Consent) => print(await install(name, consent, terminal)));
  command
    .command('list')
    .description('List installed plugins')
    .action(() => print(list(terminal)));
  command
    .command('enable')
    .description('Use a plugin again; one that was changed on disk is shown first')
    .argument('<plugin>', 'name of the plugin')
    .option('-y, --yes', 'accept changed files without asking')
    .action(async (name: string, consent: Consent) => print(await enable(name, consent, terminal)));
  command
    .command('disable')
    .description('Stop using a plugin, and keep its files')
    .argument('<plugin>', 'name of the plugin')
    .action(async (name: string) => {
      const place = placeOf(terminal);
      const { id } = installedPlugin(name, place);
      await setEnabled(id, false, place);
      print(`${id} is disabled.`);
    });
  command
    .command('update')
    .description('Show what changed in a plugin, and install it if you agree')
    .argument('[plugin]', 'name of the plugin (default: all)')
    .option('-y, --yes', 'install it without asking')
    .action(async (name: string | undefined, consent: Consent) => update(name, consent, terminal));
  command
    .command('remove')
    .alias('uninstall')
    .description('Remove a plugin and its files')
    .argument('<plugin>', 'name of the plugin')
    .action(async (name: string) => {
      const place = placeOf(terminal);
      const { id } = installedPlugin(name, place);
      await removePlugin(id, place);
      print(`${id} was removed.`);
    });
  return command;
}

async function install(name: string, consent: Consent, terminal: Terminal): Promise<string> {
  const place = placeOf(terminal);
  const found = await findPlugin(name, place);
  const known = storeOf(place).plugins[found.id];
  if (known?.hash === found.hash && known.enabled) return `${found.id} is already installed.`;
  terminal.stdout.write(`${describePlugin(found)}\n`);
  if (!(await agreed('Install this plugin and trust what it runs?', consent, terminal)))
    return 'Nothing was installed.';
  await installPlugin(found, place);
  return `Installed ${found.id}. It is used from the next start on.`;
}

async function enable(name: string, consent: Consent, terminal: Terminal): Promise<string> {
  const place = placeOf(terminal);
  const plugin = installedPlugin(name, place);
  const copy = installedCopy(plugin, place);
  if (!copy)
    throw new UserError(
      `The files of ${plugin.id} are gone.`,
      `Install it again with \`aca plugin install ${plugin.id}\`.`,
    );
  if (!copy.isTrusted) {
    terminal.stdout.write(
      `The files of ${plugin.id} were changed since you trusted them.\n${describePlugin(copy)}\n`,
    );
    if (!(await agreed('Trust what it runs now?', consent, terminal))) return 'Nothing was changed.';
    await installPlugin(copy, place);
  }
  await setEnabled(plugin.id, true, place);
  return `${plugin.id} is enabled.`;
}

async function update(name: string | undefined, consent: Consent, terminal: Terminal): Promise<void> {
  const place = placeOf(terminal);
  const ids = name === undefined ? Object.keys(storeOf(place).plugins) : [installedPlugin(name, place).id];
  if (ids.length === 0) terminal.stdout.write('No plugins are installed.\n');
  for (const id of ids)
    terminal.stdout.write(`${visible(await updateOne(id, { consent, place, terminal }))}\n`);
}

type Updating = { consent: Consent; place: PluginPlace; terminal: Terminal };

async function updateOne(id: string, { consent, place, terminal }: Updating): Promise<string> {
  const plugin = installedPlugin(id, place);
  const fresh = await findPlugin(id, place);
  if (fresh.hash === plugin.hash) return `${id} is up to date (${plugin.version}).`;
  const changes = await changesOf(fresh, installedCopy(plugin, place));
  terminal.stdout.write(`${changes}\n${describePlugin(fresh)}\n`);
  const question = `Update ${id} from ${plugin.version} to ${fresh.version} and trust what it runs?`;
  if (!(await agreed(visible(question), consent, terminal))) return `${id} was not updated.`;
  await installPlugin(fresh, place);
  if (!plugin.enabled) await setEnabled(id, false, place);
  return `Updated ${id} to ${fresh.version}.`;
}

async function changesOf(fresh: Candidate, before: Candidate | null): Promise<string> {
  const files = await describeChanges(before?.files ?? [], fresh.files);
  return files === '' ? '  The marketplace describes it differently.' : files;
}

/** In a terminal the user is asked with the content in view; a script has to say so. */
async function agreed(question: string, { yes }: Consent, terminal: Terminal): Promise<boolean> {
  if (yes) return true;
  if (terminal.stdin.isTTY && terminal.stdout.isTTY) return confirm(question, terminal);
  throw new UserError('Nothing was changed: nobody is there to ask.', 'Pass --yes if you trust it.');
}

function list(terminal: Terminal): string {
  const place = placeOf(terminal);
  const rows = Object.entries(storeOf(place).plugins).map(([id, plugin]) => {
    const copy = copyUnlessBroken({ ...plugin, id }, place);
    const state = plugin.enabled ? 'enabled' : 'disabled';
    return [id, plugin.version, copy?.isTrusted ? state : 'changed, not used', copy?.description ?? ''];
  });
  return rows.length === 0
    ? 'No plugins are installed. Add a marketplace with `aca plugin marketplace add`.'
    : table(rows).trimEnd();
}

/** Null if its files are gone, or must not be used. */
function copyUnlessBroken(
  plugin: Parameters<typeof installedCopy>[0],
  place: PluginPlace,
): ReturnType<typeof installedCopy> {
  try {
    return installedCopy(plugin, place);
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}
