import path from 'node:path';
import type { PluginAgent } from '../../config/agents.ts';
import { parseMcpFile } from '../../config/mcp-file.ts';
import { readClaudeHooks } from '../../config/other-assistants/claude-hooks.ts';
import type { McpServerInput } from '../../config/schema/mcp-server.ts';
import { FolderError, type FolderFile, folderHash, readFolder } from '../../lib/files/folder-content.ts';
import { peek } from '../../lib/files/peek.ts';
import { moduleEntry } from '../../lib/module-entry.ts';
import { isObject } from '../../lib/text/json.ts';
import type { HookOrigin, HookRows } from '../../plugins/hooks/handlers.ts';
import { type PluginParts, readParts } from '../../plugins/marketplace/plugin-parts.ts';
import { type InstalledPlugin, pluginFolders, readPluginStore } from '../../plugins/marketplace/store.ts';

/** An installed plugin, ready to be used. `id` is `name@marketplace`. */
export type PluginBundle = {
  id: string;
  parts: PluginParts;
  hooks: HookRows;
  servers: Record<string, McpServerInput>;
  notices: string[];
};

/** More than any plugin needs. */
const LIMITS = { files: 10_000, bytes: 64 * 1024 ** 2, depth: 30 };

/** The files of a plugin. Throws a `FolderError` if it must not be used. */
export function pluginFiles(root: string): FolderFile[] {
  return readFolder(root, LIMITS);
}

/** What a user trusts: the files, and what the marketplace says about them. */
export function pluginHash(files: readonly FolderFile[], entry: InstalledPlugin['entry']): string {
  return folderHash(files, JSON.stringify(entry));
}

/** The enabled plugins whose content is what the user trusted; a notice for each of the others. */
export function loadBundles(dataRoot: string): { bundles: PluginBundle[]; notices: string[] } {
  const bundles: PluginBundle[] = [];
  const notices: string[] = [];
  const store = readPluginStore(dataRoot);
  for (const [id, plugin] of Object.entries(store?.plugins ?? {})) {
    if (!plugin.enabled) continue;
    const found = checkedFiles(dataRoot, plugin);
    if (typeof found === 'string') notices.push(`The plugin ${id} is not used: ${found}`);
    else bundles.push(bundleOf(id, { root: copyOf(dataRoot, plugin), files: found, entry: plugin.entry }));
  }
  notices.push(
    ...bundles.flatMap(({ id, notices: said }) => said.map((text) => `The plugin ${id}: ${text}`)),
  );
  return { bundles, notices };
}

/** The folder of an installed plugin. */
export function copyOf(dataRoot: string, { folder }: Pick<InstalledPlugin, 'folder'>): string {
  return path.join(pluginFolders(dataRoot).copies, folder);
}

/** Its files; or a message that says why they cannot be used. */
function checkedFiles(dataRoot: string, plugin: InstalledPlugin): FolderFile[] | string {
  const root = copyOf(dataRoot, plugin);
  if (peek.folder(root) === null) return 'its files are gone. Install it again with `aca plugin install`.';
  try {
    const files = pluginFiles(root);
    if (pluginHash(files, plugin.entry) === plugin.hash) return files;
  } catch (error) {
    if (!(error instanceof FolderError)) throw error;
  }
  return 'it was changed since you trusted it. Review and accept it with `aca plugin enable`.';
}

export type BundleFolder = { root: string; files: readonly FolderFile[]; entry: InstalledPlugin['entry'] };

export function bundleOf(id: string, { root, files, entry }: BundleFolder): PluginBundle {
  const [name = id] = id.split('@');
  const isModule = moduleEntry(root) !== null;
  const parts = readParts({ name, root, files, entry, isModule });
  const notices = [...parts.troubles];
  const hooks: Record<string, unknown[]> = {};
  for (const table of parts.hooks) {
    const read = readClaudeHooks(table);
    notices.push(...read.ignored.map(({ key, note }) => `hooks.${key}: ${note}`));
    for (const [event, rows] of Object.entries(read.hooks))
      hooks[event] = [...(hooks[event] ?? []), ...(rows ?? [])];
  }
  const servers: PluginBundle['servers'] = {};
  for (const table of parts.servers) {
    const read = parseMcpFile(JSON.stringify({ mcpServers: table }), 'MCP servers');
    notices.push(...read.notices);
    for (const [server, settings] of Object.entries(read.servers))
      servers[`plugin_${name}_${server}`.slice(0, 64)] = withRoot(settings, root);
  }
  if (parts.unused.length > 0) notices.push(`${parts.unused.join(', ')}: not supported, no effect.`);
  // Its rows were checked one by one.
  return { id, parts, hooks: hooks as HookRows, servers, notices };
}

function withRoot(server: McpServerInput, root: string): McpServerInput {
  if (server.command === undefined) return server;
  return { ...server, env: { CLAUDE_PLUGIN_ROOT: root, ...(isObject(server.env) && server.env) } };
}

/** The subagents of plugins are named `plugin:name`. */
export function agentsOf(bundles: readonly PluginBundle[]): PluginAgent[] {
  return bundles.flatMap(({ parts }) =>
    parts.agents.map(({ file, text }) => ({ file, text, prefix: `${parts.name}:` })),
  );
}

export function hooksOf({ hooks, parts }: PluginBundle): { rows: HookRows; origin: HookOrigin } {
  return { rows: hooks, origin: { plugin: parts.name, root: parts.root } };
}
