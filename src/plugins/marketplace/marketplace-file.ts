import { UserError } from '../../contract/errors.ts';
import { isObject, parseObject } from '../../lib/text/json.ts';
import { type PluginSource, pluginSource } from './source.ts';

/** Where a marketplace lists its plugins. */
export const MARKETPLACE_FILE = '.claude-plugin/marketplace.json';

/** Keys of an entry that name parts of the plugin, as in its manifest. */
export const COMPONENT_KEYS = [
  'commands',
  'agents',
  'skills',
  'outputStyles',
  'hooks',
  'mcpServers',
] as const;

/** `entry` is what the marketplace says about the plugin beside where it is. */
export type ListedPlugin = {
  name: string;
  description: string;
  version: string;
  source: PluginSource | string;
  entry: Record<string, unknown>;
};

export type MarketplaceFile = { name: string; plugins: ListedPlugin[]; troubles: string[] };

const NAME = /^[a-z][a-z0-9_-]{0,63}$/;

/** Names become folders, commands and servers, so nothing else may be in them. */
export function isPluginName(name: unknown): name is string {
  return typeof name === 'string' && NAME.test(name);
}

export function parseMarketplace(text: string, file: string): MarketplaceFile {
  const value = parseObject(text.replace(/^\uFEFF/, ''));
  if (!value || !Array.isArray(value.plugins))
    throw new UserError(`${file} is not a list of plugins.`, 'It needs a name and a list of plugins.');
  const { name, metadata } = value;
  if (!isPluginName(name))
    throw new UserError(
      `${file}: ${JSON.stringify(name)} cannot be the name of a marketplace.`,
      'Use lowercase letters, digits, "-" and "_".',
    );
  const pluginRoot = isObject(metadata) && typeof metadata.pluginRoot === 'string' ? metadata.pluginRoot : '';
  const plugins: ListedPlugin[] = [];
  const troubles: string[] = [];
  for (const listed of value.plugins as unknown[]) {
    if (!isObject(listed) || !isPluginName(listed.name))
      troubles.push(
        `Skipped a plugin: ${JSON.stringify(isObject(listed) ? listed.name : listed)} is no name.`,
      );
    else if (plugins.some((other) => other.name === listed.name))
      troubles.push(`Skipped a plugin: ${listed.name} is listed twice.`);
    else plugins.push(listedPlugin(listed, listed.name, pluginRoot));
  }
  return { name, plugins, troubles };
}

function listedPlugin(listed: Record<string, unknown>, name: string, pluginRoot: string): ListedPlugin {
  const { source, description, version } = listed;
  return {
    name,
    description: typeof description === 'string' ? description : '',
    version: typeof version === 'string' ? version : '',
    source: pluginSource(source, pluginRoot),
    entry: Object.fromEntries(COMPONENT_KEYS.flatMap((key) => (key in listed ? [[key, listed[key]]] : []))),
  };
}

/** `name@marketplace`; the marketplace may be missing. */
export function parsePluginId(id: string): { name: string; marketplace: string | null } {
  const [name, marketplace, ...rest] = id.split('@');
  const isValid = isPluginName(name) && (marketplace === undefined || isPluginName(marketplace));
  if (!isValid || rest.length > 0)
    throw new UserError(`${JSON.stringify(id)} is not a plugin.`, 'Write it as name@marketplace.');
  return { name, marketplace: marketplace ?? null };
}
