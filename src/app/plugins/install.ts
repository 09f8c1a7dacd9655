import { realpathSync, rmSync } from 'node:fs';
import path from 'node:path';
import {
  bundleOf,
  copyOf,
  type PluginBundle,
  pluginFiles,
  pluginHash,
} from '../../assembly/extensions/plugin-bundles.ts';
import { UserError } from '../../contract/errors.ts';
import { FolderError, type FolderFile, writeFolder } from '../../lib/files/folder-content.ts';
import { peek } from '../../lib/files/peek.ts';
import { isInside } from '../../lib/paths/inside.ts';
import { didYouMean } from '../../lib/text/nearest.ts';
import { type ListedPlugin, parsePluginId } from '../../plugins/marketplace/marketplace-file.ts';
import { type InstalledPlugin, pluginFolders, updatePluginStore } from '../../plugins/marketplace/store.ts';
import { fetchSource, type Marketplace, openMarketplace, type PluginPlace, storeOf } from './marketplaces.ts';

/** A plugin that the user can look at before it is installed. */
export type Candidate = {
  id: string;
  version: string;
  description: string;
  files: readonly FolderFile[];
  hash: string;
  entry: InstalledPlugin['entry'];
  bundle: PluginBundle;
};

/** Reads a plugin of a marketplace, without installing anything. */
export async function findPlugin(written: string, place: PluginPlace): Promise<Candidate> {
  const { listed, marketplace } = listedPlugin(written, place);
  const { source, name } = listed;
  const id = `${name}@${marketplace.name}`;
  if (typeof source === 'string')
    throw new UserError(`${id} cannot be installed: ${source}.`, 'Ask its author.');
  if (source.type === 'inside')
    return candidateIn(id, listed, { top: marketplace.root, folder: source.path });
  const top = await fetchSource(source, place);
  try {
    return candidateIn(id, listed, { top, folder: source.folder ?? '.' });
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

function candidateIn(
  id: string,
  { entry, version, description }: ListedPlugin,
  { top, folder }: { top: string; folder: string },
): Candidate {
  const root = path.join(top, folder);
  if (peek.folder(root) === null)
    throw new UserError(`${id}: there is no folder ${folder}.`, 'Ask its author.');
  if (!isInside(realpathSync(top), realpathSync(root)))
    throw new UserError(
      `${id}: ${folder} is a link that leads out of its repository.`,
      'It was not installed.',
    );
  const files = filesOf(id, root);
  const bundle = bundleOf(id, { root, files, entry });
  const { parts } = bundle;
  return {
    id,
    version: parts.version || version || '0.0.0',
    description: parts.description || description,
    files,
    hash: pluginHash(files, entry),
    entry,
    bundle,
  };
}

function filesOf(id: string, root: string): FolderFile[] {
  try {
    return pluginFiles(root);
  } catch (error) {
    if (!(error instanceof FolderError)) throw error;
    throw new UserError(`${id} was refused: ${error.message}.`, 'Nothing was installed.', { cause: error });
  }
}

function listedPlugin(
  written: string,
  place: PluginPlace,
): { listed: ListedPlugin; marketplace: Marketplace } {
  const wanted = parsePluginId(written);
  const names = wanted.marketplace === null ? Object.keys(storeOf(place).marketplaces) : [wanted.marketplace];
  const opened = names.map((name) => openMarketplace(name, place));
  const found = opened.flatMap((marketplace) =>
    marketplace.plugins.filter(({ name }) => name === wanted.name).map((listed) => ({ listed, marketplace })),
  );
  const [first, ...others] = found;
  if (!first) {
    const all = opened.flatMap(({ plugins }) => plugins.map(({ name }) => name));
    throw new UserError(
      `There is no plugin ${written}.${didYouMean(wanted.name, all)}`,
      names.length === 0
        ? 'Add a marketplace first, with `aca plugin marketplace add`.'
        : 'See `aca plugin marketplace list`.',
    );
  }
  if (others.length > 0)
    throw new UserError(
      `Several marketplaces have a plugin ${wanted.name}.`,
      `Name one: ${found.map(({ marketplace }) => `${wanted.name}@${marketplace.name}`).join(', ')}.`,
    );
  return first;
}

/** Installs what the user agreed to. Its previous copy stays for sessions that still use it. */
export async function installPlugin(
  { id, files, hash, entry, version }: Candidate,
  { dataRoot }: PluginPlace,
): Promise<void> {
  const folder = path.join(id, hash.slice(0, 16));
  const { copies } = pluginFolders(dataRoot);
  rmSync(path.join(copies, folder), { recursive: true, force: true });
  writeFolder(path.join(copies, folder), files);
  await updatePluginStore(dataRoot, ({ marketplaces, plugins }) => {
    const keep = [folder, plugins[id]?.folder];
    for (const name of peek.folder(path.join(copies, id))?.folders ?? [])
      if (!keep.includes(path.join(id, name)))
        rmSync(path.join(copies, id, name), { recursive: true, force: true });
    const installed = { folder, hash, version, entry, enabled: true, installedAt: new Date().toISOString() };
    return { marketplaces, plugins: { ...plugins, [id]: installed } };
  });
}

/** An installed plugin by its id or its name. */
export function installedPlugin(written: string, place: PluginPlace): InstalledPlugin & { id: string } {
  const wanted = parsePluginId(written);
  const { plugins } = storeOf(place);
  const ids = Object.keys(plugins).filter(
    (id) => id === written || (wanted.marketplace === null && id.startsWith(`${wanted.name}@`)),
  );
  const [id] = ids;
  const plugin = id === undefined ? undefined : plugins[id];
  if (id === undefined || !plugin)
    throw new UserError(
      `The plugin ${written} is not installed.${didYouMean(written, Object.keys(plugins))}`,
      'See `aca plugin list`.',
    );
  if (ids.length > 1)
    throw new UserError(`Several plugins are named ${written}.`, `Name one: ${ids.join(', ')}.`);
  return { ...plugin, id };
}

/** The installed copy as it is on disk now; null if it is gone. */
export function installedCopy(
  { id, entry, version, ...plugin }: InstalledPlugin & { id: string },
  { dataRoot }: PluginPlace,
): (Candidate & { isTrusted: boolean }) | null {
  const root = copyOf(dataRoot, plugin);
  if (peek.folder(root) === null) return null;
  const files = filesOf(id, root);
  const hash = pluginHash(files, entry);
  const bundle = bundleOf(id, { root, files, entry });
  const { description } = bundle.parts;
  return { id, version, description, files, hash, entry, bundle, isTrusted: hash === plugin.hash };
}

export async function setEnabled(id: string, enabled: boolean, { dataRoot }: PluginPlace): Promise<void> {
  await updatePluginStore(dataRoot, ({ marketplaces, plugins }) => {
    const plugin = plugins[id];
    return { marketplaces, plugins: plugin ? { ...plugins, [id]: { ...plugin, enabled } } : plugins };
  });
}

export async function removePlugin(id: string, { dataRoot }: PluginPlace): Promise<void> {
  await updatePluginStore(dataRoot, ({ marketplaces, plugins: { [id]: _, ...plugins } }) => ({
    marketplaces,
    plugins,
  }));
  rmSync(path.join(pluginFolders(dataRoot).copies, id), { recursive: true, force: true });
}
