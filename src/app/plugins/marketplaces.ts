import { randomUUID } from 'node:crypto';
import { realpathSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import { resolvePath } from '../../lib/files/data-root.ts';
import { peek } from '../../lib/files/peek.ts';
import { makePrivateFolder } from '../../lib/files/private-folder.ts';
import { isNearby } from '../../lib/network/nearby-address.ts';
import { isInside } from '../../lib/paths/inside.ts';
import { didYouMean } from '../../lib/text/nearest.ts';
import { withoutPasswords } from '../../lib/text/url-password.ts';
import {
  MARKETPLACE_FILE,
  type MarketplaceFile,
  parseMarketplace,
} from '../../plugins/marketplace/marketplace-file.ts';
import {
  type GitSource,
  type MarketplaceSource,
  marketplaceSource,
  sourceText,
} from '../../plugins/marketplace/source.ts';
import {
  type PluginStore,
  pluginFolders,
  readPluginStore,
  updatePluginStore,
} from '../../plugins/marketplace/store.ts';
import { fetchRepository } from '../../sandbox/fetch-repository.ts';

/** Where plugins are kept, and how others are reached. */
export type PluginPlace = {
  dataRoot: string;
  cwd: string;
  env: NodeJS.ProcessEnv;
  offline: boolean;
  signal: AbortSignal;
};

export type Marketplace = MarketplaceFile & { root: string; source: MarketplaceSource };

export function storeOf({ dataRoot }: Pick<PluginPlace, 'dataRoot'>): PluginStore {
  return readPluginStore(dataRoot) ?? { marketplaces: {}, plugins: {} };
}

/** Adds the marketplace in a folder, a git repository or a repository on GitHub. */
export async function addMarketplace(written: string, place: PluginPlace): Promise<Marketplace> {
  const source = marketplaceSource(written, (one) => resolvePath(one, place.cwd, place.env));
  const known = Object.entries(storeOf(place).marketplaces);
  return fetched(source, place, (file) => {
    const other = known.find(([name]) => name === file.name)?.[1];
    if (other && sourceText(other.source) !== sourceText(source))
      throw new UserError(
        `There is already a marketplace ${file.name}, from ${sourceText(other.source)}.`,
        `Remove it first with \`aca plugin marketplace remove ${file.name}\`.`,
      );
  });
}

/** Fetches it again. Installed plugins do not change. */
export async function updateMarketplace(name: string, place: PluginPlace): Promise<Marketplace> {
  const { source } = marketplaceNamed(name, place);
  return fetched(source, place, (file) => {
    if (file.name !== name)
      throw new UserError(
        `${sourceText(source)} now calls itself ${file.name}.`,
        `Remove ${name} and add it again if you trust it.`,
      );
  });
}

/** Plugins installed from it stay. */
export async function removeMarketplace(name: string, place: PluginPlace): Promise<void> {
  marketplaceNamed(name, place);
  await updatePluginStore(place.dataRoot, ({ marketplaces: { [name]: _, ...marketplaces }, plugins }) => ({
    marketplaces,
    plugins,
  }));
  rmSync(path.join(pluginFolders(place.dataRoot).marketplaces, name), { recursive: true, force: true });
}

/** As it was when it was last fetched; a folder as it is now. */
export function openMarketplace(name: string, place: PluginPlace): Marketplace {
  const { source } = marketplaceNamed(name, place);
  const root =
    source.type === 'folder' ? source.path : path.join(pluginFolders(place.dataRoot).marketplaces, name);
  return { ...readMarketplace(root, sourceText(source)), root, source };
}

function marketplaceNamed(name: string, place: PluginPlace): PluginStore['marketplaces'][string] {
  const { marketplaces } = storeOf(place);
  const found = Object.hasOwn(marketplaces, name) ? marketplaces[name] : undefined;
  if (!found)
    throw new UserError(
      `There is no marketplace ${name}.${didYouMean(name, Object.keys(marketplaces))}`,
      'Add it with `aca plugin marketplace add`, or see `aca plugin marketplace list`.',
    );
  return found;
}

async function fetched(
  source: MarketplaceSource,
  place: PluginPlace,
  check: (file: MarketplaceFile) => void,
): Promise<Marketplace> {
  const isFolder = source.type === 'folder';
  const root = isFolder ? source.path : await fetchSource(source, place);
  try {
    const file = readMarketplace(root, sourceText(source));
    check(file);
    const { marketplaces: copies } = pluginFolders(place.dataRoot);
    const kept = path.join(copies, file.name);
    makePrivateFolder(copies);
    await updatePluginStore(place.dataRoot, ({ marketplaces, plugins }) => {
      if (!isFolder) {
        rmSync(kept, { recursive: true, force: true });
        renameSync(root, kept);
      }
      const entry = { source, updatedAt: new Date().toISOString() };
      return { marketplaces: { ...marketplaces, [file.name]: entry }, plugins };
    });
    return { ...file, root: isFolder ? root : kept, source };
  } finally {
    if (!isFolder) rmSync(root, { recursive: true, force: true });
  }
}

/** A temporary copy of a repository; the caller removes it. */
export async function fetchSource(
  source: GitSource,
  { dataRoot, env, offline, signal }: PluginPlace,
): Promise<string> {
  const { url, ref, sha } = source;
  const host = /^[\w.-]+@([\w.-]+):/.exec(url)?.[1] ?? url;
  if (offline && !url.startsWith('file:') && !isNearby(host))
    throw new UserError(
      `Offline mode: ${withoutPasswords(url)} was not fetched.`,
      'Turn off the `offline` setting.',
    );
  const into = path.join(pluginFolders(dataRoot).root, `fetching-${randomUUID()}`);
  await fetchRepository(
    { url, ...(ref !== undefined && { ref }), ...(sha !== undefined && { sha }) },
    { into, env, signal },
  );
  return into;
}

function readMarketplace(root: string, place: string): MarketplaceFile {
  const file = path.join(root, MARKETPLACE_FILE);
  if (peek.file(file) === null)
    throw new UserError(`${place} has no ${MARKETPLACE_FILE}.`, 'Check that it is a marketplace of plugins.');
  if (!isInside(realpathSync(root), realpathSync(file)))
    throw new UserError(`${file} is a link that leads elsewhere.`, 'It was not read.');
  return parseMarketplace(peek.text(file), file);
}
