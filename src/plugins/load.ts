import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SlashCommand } from '../contract/command.ts';
import type { Tool } from '../contract/tool.ts';
import { raceAbort } from '../lib/async/abort.ts';
import { moduleEntry } from '../lib/module-entry.ts';
import { checkPlugin, type PluginHooks } from './plugin.ts';
import { pluginTool } from './plugin-tool.ts';

export type LoadedPlugin = {
  name: string;
  version: string;
  /** The loaded file. */
  file: string;
  /** The plugin's folder, with its skills in `skills`. Null for a single file. */
  folder: string | null;
  tools: Tool[];
  hooks: PluginHooks;
  commands: readonly SlashCommand[];
};

/** A skipped plugin, and the reason. */
export type PluginTrouble = { place: string; because: string };

export type LoadOptions = {
  /** Reserved names: MCP servers, whose tools are named the same way. */
  taken: ReadonlySet<string>;
  /** Time limit for loading each plugin's module. */
  timeoutMs?: number;
  /** Whether this runtime runs TypeScript. */
  typescript?: boolean;
};

const LOAD_MS = 10_000;

/** Loads them in parallel; a failing plugin affects only itself. */
export async function loadPlugins(
  places: readonly string[],
  options: LoadOptions,
): Promise<{ plugins: LoadedPlugin[]; troubles: PluginTrouble[] }> {
  const loaded = await Promise.all(
    places.map(async (place) => ({ place, found: await loadOne(place, options).catch(wordsOf) })),
  );
  const plugins: LoadedPlugin[] = [];
  const troubles: PluginTrouble[] = [];
  for (const { place, found } of loaded) {
    const because = typeof found === 'string' ? found : clash(found, plugins, options.taken);
    if (typeof found !== 'string' && because === null) plugins.push(found);
    else troubles.push({ place, because: because ?? '' });
  }
  return { plugins, troubles };
}

async function loadOne(place: string, options: LoadOptions): Promise<LoadedPlugin | string> {
  if (!path.isAbsolute(place))
    return `There is no such package. Install it first, for example with npm install ${place}.`;
  const file = moduleEntry(place);
  if (file === null) return 'There is no such file, and no folder with an index.js or a package.json.';
  if (/\.[cm]?ts$/.test(file) && !(options.typescript ?? runsTypeScript()))
    return `It is TypeScript, which Node ${process.version} does not run. Use Node 22.18 or later, or compile it to JavaScript.`;
  const module = await inTime(import(pathToFileURL(file).href), options.timeoutMs ?? LOAD_MS);
  const plugin = checkPlugin(exportOf(module));
  if (typeof plugin === 'string') return plugin;
  const { name, version, tools = [], hooks = {}, commands = [] } = plugin;
  const twice = tools.find((tool, i) => tools.findIndex((other) => other.name === tool.name) !== i);
  if (twice) return `It has two tools named ${twice.name}.`;
  return {
    name,
    version,
    file,
    folder: file === place ? null : place,
    tools: tools.map((tool) => pluginTool(name, tool)),
    hooks,
    commands,
  };
}

/** CommonJS compiled from an ES module has its default export one level deeper. */
function exportOf(module: unknown): unknown {
  const { default: first = module } = (module ?? {}) as { default?: unknown };
  const { default: second = first } = (first ?? {}) as { default?: unknown };
  return second;
}

function clash(
  { name }: LoadedPlugin,
  plugins: readonly LoadedPlugin[],
  taken: ReadonlySet<string>,
): string | null {
  const other = plugins.find((plugin) => plugin.name === name);
  if (other) return `Another plugin is named ${name}: ${other.file}.`;
  return taken.has(name) ? `An MCP server is named ${name}, too.` : null;
}

async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(`It did not load within ${ms / 1000}s.`)), ms);
  try {
    return await raceAbort(work, late.signal);
  } finally {
    clearTimeout(timer);
  }
}

function runsTypeScript(): boolean {
  // Newer than the Node types we build with.
  return Boolean((process.features as { typescript?: unknown }).typescript);
}

function wordsOf(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return line === '' ? 'It failed with no message.' : line;
}
