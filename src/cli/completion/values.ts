import path from 'node:path';
import { type LoadedConfig, loadConfig } from '../../config/load.ts';
import { settingsReference } from '../../config/schema/reference.ts';
import { UserError } from '../../contract/errors.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { dataRoot } from '../../lib/files/data-root.ts';
import { type Askable, askable } from './places.ts';

/** Queried at every Tab; a longer list is of no use. */
const MAX_SESSIONS = 50;
const ID_LENGTH = 8;

/**
 * `aca __complete WHAT`, called by the completion scripts: one value per line, with its description after a
 * tab. Makes no network requests, and any error gives an empty list: completion must not print errors.
 */
export async function listValues(what: string | undefined, terminal: Terminal): Promise<void> {
  const known = askable.find((name) => name === what);
  if (known === undefined) return;
  const rows = await lists[known](terminal).catch((error: unknown): string[][] => {
    if (error instanceof UserError) return [];
    throw error;
  });
  terminal.stdout.write(rows.map((row) => `${row.map(oneLine).join('\t')}\n`).join(''));
}

type Place = Pick<Terminal, 'env' | 'cwd'>;

const lists: Record<Askable, (place: Place) => Promise<string[][]>> = {
  sessions,
  models,
  settings,
  providers,
  servers,
};

function load({ env, cwd }: Place): LoadedConfig & { root: string } {
  const root = dataRoot(env);
  return { ...loadConfig({ home: root, cwd, env, trusted: false }), root };
}

async function sessions(place: Place): Promise<string[][]> {
  const { config, root } = load(place);
  const { Catalog } = await import('../../session/catalog.ts');
  return new Catalog(config.sessionDirectory ?? path.join(root, 'sessions'))
    .list()
    .slice(0, MAX_SESSIONS)
    .map(({ id, title, firstPrompt, updatedAt }) => [
      id.slice(0, ID_LENGTH),
      `${title ?? firstPrompt} (${updatedAt.slice(0, 10)})`,
    ]);
}

async function models(place: Place): Promise<string[][]> {
  const { config, root } = load(place);
  const [{ modelTable }, { ModelStore }] = await Promise.all([
    import('../../providers/models/model-table.ts'),
    import('../../embedded/models/model-store.ts'),
  ]);
  const { aliases, models } = modelTable();
  const own = Object.entries({ ...aliases, ...config.aliases });
  const fetched = await new ModelStore(root).list();
  return [
    ...own,
    ...fetched.map(({ name }) => [`embedded/${name}`, 'on this machine']),
    ...Object.entries(models).flatMap(([provider, rows]) =>
      Object.keys(rows).map((id) => [`${provider}/${id}`]),
    ),
  ];
}

async function settings(): Promise<string[][]> {
  return settingsReference()
    .filter(({ key }) => !key.includes('*'))
    .map(({ key, description }) => [key, description]);
}

async function providers(place: Place): Promise<string[][]> {
  const { presets } = await import('../../providers/presets.ts');
  const own = Object.keys(load(place).config.providers).map((name) => [name, 'from your settings']);
  return [...presets.map(({ name, label }) => [name, label]), ...own];
}

async function servers(place: Place): Promise<string[][]> {
  return Object.keys(load(place).config.mcpServers).map((name) => [name]);
}

/** Titles are free text; line breaks and control characters must not reach the terminal. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
}
