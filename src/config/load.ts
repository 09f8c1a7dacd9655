import path from 'node:path';
import { resolvePath } from '../lib/files/data-root.ts';
import { type CheckedInput, checkInput, parseConfig, readConfigFile } from './config-file.ts';
import { type Env, readEnvironment, switchOf } from './environment.ts';
import { isExtension } from './extension-files.ts';
import { formatKeyPath } from './key-path.ts';
import { MCP_FILE, parseMcpFile } from './mcp-file.ts';
import { leavesOf, mergeConfig, withoutUndefined } from './merge.ts';
import { projectReadings, type UserReading, userReadings } from './other-assistants/find.ts';
import { unappliedFiles } from './other-assistants/other-files.ts';
import type { Reading, WrittenRule } from './other-assistants/read.ts';
import type { ProjectContent } from './project-content.ts';
import { pluginPlace } from './project-extensions.ts';
import { tighten, withoutUserOnly } from './project-rules.ts';
import { settled } from './schema/check-settings.ts';
import type { McpServerInput } from './schema/mcp-server.ts';
import type { AssistantName } from './schema/other-assistants.ts';
import type { Config, ConfigInput } from './schema/schema.ts';
import {
  type ContentChange,
  findProjectFile,
  projectContent,
  projectRoot,
  type Trust,
  trustOf,
} from './trust.ts';

/** Settings from the command line; undefined counts as absent. */
type ConfigFlags = { [Key in keyof ConfigInput]?: ConfigInput[Key] | undefined };

export type LoadOptions = {
  /** The data root. */
  home: string;
  cwd: string;
  env: Env;
  flags?: ConfigFlags;
  /** Trust for this run; AI_ASSISTANT_TRUST=1 has the same effect, and 0 the opposite. Otherwise the stored trust is used. */
  trusted: boolean;
};

export type LoadedConfig = {
  config: Config;
  /** For the user: what was ignored, and why. */
  notices: string[];
  /**
   * The origin of each key: a file, an environment variable or the command line. Keys not listed have their
   * default.
   */
  origins: Record<string, string>;
  trusted: boolean;
  /** Null if the folder is trusted, or trust would change nothing. */
  pending: PendingTrust | null;
  /** What trusting the folder would cover, where the user has not decided and it would apply no settings; otherwise null. */
  trustable: ProjectContent[] | null;
  /** The permission rules, each with the place it was written at. */
  rules: WrittenRule[];
  /** The project's settings file, if there is one. */
  projectFile: string | null;
  /** The project's files that define commands, skills and subagents, as approved; none without trust. */
  extensions: ProjectContent[];
  /** Settings files of other assistants: all that were read, and what of the user's waits for a decision. */
  others: { found: readonly Reading[]; waiting: readonly WaitingFile[] };
};

type WaitingFile = { assistant: AssistantName; file: string; settings: string[] };

/**
 * What the user should see before trusting a folder: the settings that would apply, and what is new in the
 * files.
 */
type PendingTrust = { content: ProjectContent[]; loosens: string[]; changes: ContentChange[] };

/** What has been read so far; later sources override earlier ones. */
type Layers = Pick<LoadedConfig, 'notices' | 'origins' | 'rules'> & {
  merged: ConfigInput;
  /** What an untrusted project would loosen. */
  loosens: string[];
  add(input: ConfigInput, base: string, source: (key: string) => string): void;
};

/** For this run; null if the stored trust applies. */
function statedTrust({ env, trusted }: Pick<LoadOptions, 'env' | 'trusted'>): Trust | null {
  const stated = trusted || switchOf(env, 'AI_ASSISTANT_TRUST');
  return stated === undefined ? null : { type: stated ? 'trusted' : 'unknown' };
}

/**
 * Defaults, then other assistants' files of the user, the user's file, the same of the project, the environment
 * and the command line: each overrides the previous.
 */
export function loadConfig({ home, cwd, env, flags = {}, trusted }: LoadOptions): LoadedConfig {
  const content = projectContent(cwd, home);
  const stated = statedTrust({ env, trusted });
  const trust = stated ?? trustOf(home, cwd, content);
  const isTrusted = trust.type === 'trusted';
  const layers = emptyLayers({ env, home, cwd });

  const userFile = userConfigFile(home);
  const user = readConfigFile(userFile);
  const folders = [...new Set([path.resolve(cwd), projectRoot(cwd)])];
  const answers = user?.input.otherAssistants ?? {};
  const found = userReadings({ env, folders }, answers);
  const others = addUserReadings(found, layers);
  layers.notices.push(...unappliedFiles({ home: env.HOME || env.USERPROFILE || null, folders }, answers));
  if (user) {
    layers.notices.push(...user.notices);
    layers.add(user.input, home, () => userFile);
    layers.rules.push(...rulesIn(user));
  }
  const projects = projectReadings(content, env);
  addProjectReadings(projects, layers, trust);
  const projectFile = findProjectFile(cwd);
  // The checked text is the parsed text: changing the file in between has no effect.
  const written = content.find(({ file }) => file === projectFile);
  if (written) addProjectFile(written, layers, { trust, userFile });
  const servers = content.find(({ file }) => path.basename(file) === MCP_FILE);
  if (servers) addServers(servers, layers, trust);
  const extensions = content.filter(isExtension);
  if (!isTrusted && extensions.length > 0) {
    const waiting = extensions.map(({ name }) => name);
    layers.loosens.push(...waiting);
    layers.notices.push(...untrustedNotice(projectRoot(cwd), waiting, trust));
  }
  const changes = trust.type === 'changed' ? trust.changes : [];
  const { loosens } = layers;
  const pending = loosens.length + changes.length > 0 ? { content, loosens, changes } : null;

  const environment = readEnvironment(env);
  layers.add(environment.input, cwd, (key) => `environment variable ${environment.names.get(key)}`);

  const chosen = checkInput(withoutUndefined(flags), () => 'command line');
  layers.add(chosen.input, cwd, () => 'command line');
  layers.rules.push(...rulesIn(chosen));

  const disabled = [...found, ...projects].flatMap(({ disables }) => disables);
  const own = Object.keys(user?.input.mcpServers ?? {});
  return {
    config: settled(
      withoutServers(
        layers.merged,
        disabled.filter((name) => !own.includes(name)),
      ),
    ),
    notices: layers.notices,
    origins: layers.origins,
    trusted: isTrusted,
    pending,
    trustable: stated === null && !isTrusted && pending === null ? content : null,
    rules: layers.rules,
    projectFile,
    extensions: isTrusted ? extensions : [],
    others: { found: [...found, ...projects], waiting: others },
  };
}

function emptyLayers(place: { env: Env; home: string; cwd: string }): Layers {
  const layers: Layers = {
    merged: {},
    origins: {},
    notices: [],
    rules: [],
    loosens: [],
    add(input, base, source) {
      layers.merged = mergeConfig(layers.merged, absolutePaths(input, base, place));
      recordOrigins(layers.origins, input, source);
    },
  };
  return layers;
}

/** Those the user has not decided on may only restrict; returns what waits for the decision. */
function addUserReadings(readings: readonly UserReading[], layers: Layers): WaitingFile[] {
  return readings.flatMap((reading) => {
    const { assistant, file, consent } = reading;
    const ignored = addReading(reading, layers, { isTrusted: consent === 'use' });
    if (consent === 'use' || ignored.length === 0) return [];
    layers.notices.push(
      `${file}: only what restricts applies until you decide; ignored: ${ignored.join(', ')}. Run \`aca import\`.`,
    );
    return [{ assistant, file, settings: ignored }];
  });
}

function addProjectReadings(readings: readonly Reading[], layers: Layers, trust: Trust): void {
  for (const reading of readings) {
    // A server set up by the user is never replaced by another of the same name.
    const fresh = newServers(reading.input.mcpServers ?? {}, layers, reading.base);
    const { input: theirs, refused } = withoutUserOnly(reading.input);
    const input = { ...theirs, ...(theirs.mcpServers && { mcpServers: fresh }) };
    const ignored = addReading({ ...reading, input }, layers, { isTrusted: trust.type === 'trusted' });
    layers.loosens.push(...ignored);
    layers.notices.push(
      ...refused.map((key) => `${reading.file}: ${key} is ignored; only your own settings may set it.`),
    );
    layers.notices.push(...untrustedNotice(reading.file, ignored, trust));
    layers.notices.push(...keysInProject(input, reading.file));
  }
}

/** Returns what is ignored without trust. */
function addReading(reading: Reading, layers: Layers, { isTrusted }: { isTrusted: boolean }): string[] {
  const sifted = tighten(settled(layers.merged), reading.input);
  const input = isTrusted ? reading.input : sifted.accepted;
  layers.notices.push(...reading.notices);
  layers.add(input, reading.base, () => reading.file);
  const isUsed = ({ verdict, rule }: WrittenRule) => input.permissions?.[verdict]?.includes(rule);
  layers.rules.push(...reading.rules.filter(isUsed));
  return isTrusted ? [] : sifted.ignored;
}

function addProjectFile(
  { file, text }: ProjectContent,
  layers: Layers,
  { trust, userFile }: { trust: Trust; userFile: string },
): void {
  const parsed = parseConfig(text, file);
  const { input: theirs, refused } = withoutUserOnly(parsed.input);
  const isTrusted = trust.type === 'trusted';
  const sifted = tighten(settled(layers.merged), theirs);
  const input = isTrusted ? theirs : sifted.accepted;
  const loosens = isTrusted ? [] : sifted.ignored;
  layers.loosens.push(...loosens);
  layers.notices.push(
    ...refused.map((key) => `${file}: ${key} is ignored; set it in ${userFile} instead.`),
    ...untrustedNotice(file, loosens, trust),
    ...parsed.notices,
    ...keysInProject(input, file),
  );
  layers.add(input, path.dirname(file), () => file);
  layers.rules.push(...rulesIn({ ...parsed, input }));
}

function addServers({ file, text }: ProjectContent, layers: Layers, trust: Trust): void {
  const read = parseMcpFile(text, file);
  const folder = path.dirname(file);
  const fresh = newServers(read.servers, layers, folder);
  if (trust.type === 'trusted') {
    layers.notices.push(...read.notices);
    layers.add({ mcpServers: fresh }, folder, () => file);
    return;
  }
  const waiting = Object.keys(fresh).map((name) => formatKeyPath(['mcpServers', name]));
  layers.loosens.push(...waiting);
  layers.notices.push(...untrustedNotice(file, waiting, trust));
}

/** Those whose names are not taken; they start in the project's folder. */
function newServers(
  servers: Record<string, McpServerInput>,
  { merged }: Layers,
  cwd: string,
): Record<string, McpServerInput> {
  const fresh = Object.entries(servers).filter(([name]) => !Object.hasOwn(merged.mcpServers ?? {}, name));
  return Object.fromEntries(fresh.map(([name, server]) => [name, { cwd, ...server }]));
}

/** With these MCP servers turned off. */
function withoutServers(input: ConfigInput, names: readonly string[]): ConfigInput {
  const { mcpServers } = input;
  if (!mcpServers || names.length === 0) return input;
  const all = Object.entries(mcpServers).map(([name, server]) => [
    name,
    names.includes(name) ? { ...server, disabled: true } : server,
  ]);
  return { ...input, mcpServers: Object.fromEntries(all) };
}

export function userConfigFile(home: string): string {
  return path.join(home, 'config.json');
}

function rulesIn({ input: { permissions = {} }, locate }: CheckedInput): WrittenRule[] {
  return (['deny', 'ask', 'allow', 'trust'] as const).flatMap((verdict) =>
    (permissions[verdict] ?? []).map((rule, i) => ({
      verdict,
      rule,
      place: locate(['permissions', verdict, i]),
    })),
  );
}

function untrustedNotice(file: string, loosens: readonly string[], trust: Trust): string[] {
  const isChanged =
    trust.type === 'changed' && trust.changes.some(({ name }) => path.basename(name) === path.basename(file));
  const news = [
    ...(isChanged ? ['changed since you trusted this folder, so it is no longer trusted'] : []),
    ...(loosens.length > 0 ? [`ignored until this folder is trusted: ${loosens.join(', ')}`] : []),
  ];
  if (news.length === 0) return [];
  return [
    `${file}: ${news.join('; ')}. Review and accept it with \`aca trust\`, or pass --trust for one run.`,
  ];
}

function keysInProject(input: ConfigInput, file: string): string[] {
  const keys = [...leavesOf(input)].map(([names]) => names).filter((names) => names.at(-1) === 'apiKey');
  if (keys.length === 0) return [];
  return [
    `${file}: ${keys.map(formatKeyPath).join(', ')} stores a secret in the project, where others can read it. Store it with \`aca keys set\` instead.`,
  ];
}

/** Resolves paths relative to the file that contains them. Patterns are left unchanged. */
function absolutePaths(
  input: ConfigInput,
  base: string,
  { env, home, cwd }: { env: Env; home: string; cwd: string },
): ConfigInput {
  const absolute = (written: string) => resolvePath(written, base, env);
  const { sessionDirectory, additionalDirectories, network, mcpServers, plugins, log } = input;
  // What the user names is never looked up in a project.
  const root = base === home ? home : projectRoot(cwd);
  const place = (written: string) =>
    pluginPlace(written.startsWith('~') ? absolute(written) : written, base, { root, dataRoot: home });
  return {
    ...input,
    ...(plugins === undefined ? {} : { plugins: plugins.map(place) }),
    ...(mcpServers === undefined
      ? {}
      : { mcpServers: Object.fromEntries(Object.entries(mcpServers).map(inFolder(absolute))) }),
    ...(sessionDirectory === undefined ? {} : { sessionDirectory: absolute(sessionDirectory) }),
    ...(additionalDirectories === undefined
      ? {}
      : { additionalDirectories: additionalDirectories.map(absolute) }),
    ...(log?.file === undefined ? {} : { log: { ...log, file: absolute(log.file) } }),
    ...(network?.caFile === undefined ? {} : { network: { ...network, caFile: absolute(network.caFile) } }),
  };
}

/** A path with an environment variable cannot be resolved yet. */
function inFolder(absolute: (written: string) => string) {
  return ([name, server]: [string, McpServerInput]): [string, McpServerInput] => [
    name,
    server.cwd === undefined || server.cwd.startsWith('${')
      ? server
      : { ...server, cwd: absolute(server.cwd) },
  ];
}

function recordOrigins(
  origins: Record<string, string>,
  input: ConfigInput,
  source: (key: string) => string,
): void {
  for (const [names, value] of leavesOf(input)) {
    if (Array.isArray(value) && value.length === 0) continue;
    const key = formatKeyPath(names);
    const before = Array.isArray(value) ? origins[key] : undefined;
    const now = source(names[0] ?? '');
    origins[key] = before === undefined ? now : `${before}, ${now}`;
  }
}
