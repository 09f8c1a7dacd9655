import path from 'node:path';
import * as z from 'zod';
import { UserError } from '../../contract/errors.ts';
import { updateFile } from '../../lib/files/file-update.ts';
import { peek } from '../../lib/files/peek.ts';
import { parseJson } from '../../lib/text/json.ts';

const gitSource = () =>
  z.object({
    type: z.literal('git'),
    url: z.string(),
    ref: z.string().exactOptional(),
    sha: z.string().exactOptional(),
    folder: z.string().exactOptional(),
  });

const storeSchema = () =>
  z.object({
    marketplaces: z.record(
      z.string(),
      z.object({
        source: z.union([z.object({ type: z.literal('folder'), path: z.string() }), gitSource()]),
        updatedAt: z.string(),
      }),
    ),
    plugins: z.record(
      z.string(),
      z.object({
        /** The folder of the copy, relative to the one of all copies. */
        folder: z.string(),
        /** Of the copy and the entry, as the user trusted them. */
        hash: z.string(),
        version: z.string(),
        enabled: z.boolean(),
        entry: z.record(z.string(), z.unknown()),
        installedAt: z.string(),
      }),
    ),
  });

/** The marketplaces that the user added, and the plugins the user installed, by `name@marketplace`. */
export type PluginStore = z.output<ReturnType<typeof storeSchema>>;

export type InstalledPlugin = PluginStore['plugins'][string];

export function pluginFolders(dataRoot: string) {
  const root = path.join(dataRoot, 'plugins');
  return {
    root,
    store: path.join(root, 'installed.json'),
    /** Copies of installed plugins. */
    copies: path.join(root, 'installed'),
    /** Copies of marketplaces that are git repositories. */
    marketplaces: path.join(root, 'marketplaces'),
  };
}

/** Null if nothing was ever installed. */
export function readPluginStore(dataRoot: string): PluginStore | null {
  const file = pluginFolders(dataRoot).store;
  if (peek.file(file) === null) return null;
  const parsed = storeSchema().safeParse(parseJson(peek.text(file)));
  if (!parsed.success)
    throw new UserError(`${file} is damaged.`, 'Move it away, then install your plugins again.');
  return parsed.data;
}

/** Changes the list while no other process does. */
export async function updatePluginStore(
  dataRoot: string,
  change: (store: PluginStore) => PluginStore,
): Promise<void> {
  await updateFile(pluginFolders(dataRoot).store, (write) => {
    const store = readPluginStore(dataRoot) ?? { marketplaces: {}, plugins: {} };
    return write(`${JSON.stringify(change(store), null, 2)}\n`);
  });
}
