import path from 'node:path';
import { resolvePath } from '../lib/files/data-root.ts';
import { type CheckedInput, checkInput, parseConfig, readConfigFile } from './config-file.ts';
import { type Env, readEnvironment, switchOf } from './environment.ts';
import { isExtension } from './extension-files.ts';
import { formatKeyPath } from './key-path.ts';
import { MCP_FILE, parseMcpFile } from './mcp-file.ts';
import { leavesOf, mergeConfig, withoutUndefined } from './merge.ts';
import type { ProjectContent } from './project-content.ts';
import { pluginPlace } from './project-extensions.ts';
import { tighten, withoutUserOnly } from './project-rules.ts';
import { settled } from './schema/check-settings.ts';
import type { McpServerInput } from './schema/mcp-server.ts';
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
  /** Trust for this run; AI_ASSISTANT_TRUST=1 has the same effect. Otherwise the stored trust is used. */
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
  /** The permission rules, each with the place it was written at. */
  rules: WrittenRule[];
  /** The project's settings file, if there is one. */
  projectFile: string | null;
  /** The project's files that define commands, skills and subagents, as approved; none without trust. */
  extensions: ProjectContent[];
};

type WrittenRule = { verdict: 'allow' | 'ask' | 'deny'; rule: string; place: string };

/**
 * What the user should see before trusting a folder: the settings that would apply, and what is new in the
 * files.
 */
type PendingTrust = { content: ProjectContent[]; loosens: string[]; changes: ContentChange[] };

/**
 * Defaults, then the user's file, the project's, the environment and the command line: each overrides the
 * previous.
 */
export function loadConfig({ home, cwd, env, flags = {}, trusted }: LoadOptions): LoadedConfig {
  const content = projectContent(cwd, home);
  const said = trusted || switchOf(env, 'AI_ASSISTANT_TRUST') === true;
  const trust: Trust = said ? { type: 'trusted' } : trustOf(home, cwd, content);
  const isTrusted = trust.type === 'trusted';
  const origins: Record<string, string> = {};
  const notices: string[] = [];
  const rules: WrittenRule[] = [];
  let merged: ConfigInput = {};
  const add = (input: ConfigInput, base: string, source: (key: string) => string) => {
    merged = mergeConfig(merged, absolutePaths(input, base, { env, home, cwd }));
    recordOrigins(origins, input, source);
  };

  const userFile = userConfigFile(home);
  const user = readConfigFile(userFile);
  if (user) {
    notices.push(...user.notices);
    add(user.input, home, () => userFile);
    rules.push(...rulesIn(user));
  }

  const projectFile = findProjectFile(cwd);
  let loosens: string[] = [];
  // The checked text is the parsed text: changing the file in between has no effect.
  const written = content.find(({ file }) => file === projectFile);
  if (written && projectFile !== null) {
    const parsed = parseConfig(written.text, projectFile);
    const { input: theirs, refused } = withoutUserOnly(parsed.input);
    const project = { ...parsed, input: theirs };
    notices.push(
      ...refused.map((key) => `${projectFile}: ${key} is ignored; set it in ${userFile} instead.`),
    );
    const sifted = tighten(settled(merged), project.input);
    if (!isTrusted) loosens = sifted.ignored;
    const input = isTrusted ? project.input : sifted.accepted;
    notices.push(...untrustedNotice(projectFile, loosens, trust));
    notices.push(...project.notices, ...keysInProject(input, projectFile));
    add(input, path.dirname(projectFile), () => projectFile);
    rules.push(...rulesIn({ ...parsed, input }));
  }
  const servers = content.find(({ file }) => path.basename(file) === MCP_FILE);
  if (servers) {
    const { file, text } = servers;
    const read = parseMcpFile(text, file);
    // A server set up by the user is never replaced by another of the same name.
    const fresh = Object.entries(read.servers).filter(
      ([name]) => !Object.hasOwn(merged.mcpServers ?? {}, name),
    );
    if (isTrusted) {
      notices.push(...read.notices);
      const cwd = path.dirname(file);
      const mcpServers = Object.fromEntries(fresh.map(([name, server]) => [name, { cwd, ...server }]));
      add({ mcpServers }, cwd, () => file);
    } else {
      const waiting = fresh.map(([name]) => formatKeyPath(['mcpServers', name]));
      loosens = [...loosens, ...waiting];
      notices.push(...untrustedNotice(file, waiting, trust));
    }
  }
  const extensions = content.filter(isExtension);
  if (!isTrusted && extensions.length > 0) {
    const waiting = extensions.map(({ name }) => name);
    loosens = [...loosens, ...waiting];
    notices.push(...untrustedNotice(projectRoot(cwd), waiting, trust));
  }
  const changes = trust.type === 'changed' ? trust.changes : [];
  const pending = loosens.length + changes.length > 0 ? { content, loosens, changes } : null;

  const environment = readEnvironment(env);
  add(environment.input, cwd, (key) => `environment variable ${environment.names.get(key)}`);

  const chosen = checkInput(withoutUndefined(flags), () => 'command line');
  add(chosen.input, cwd, () => 'command line');
  rules.push(...rulesIn(chosen));

  return {
    config: settled(merged),
    notices,
    origins,
    trusted: isTrusted,
    pending,
    rules,
    projectFile,
    extensions: isTrusted ? extensions : [],
  };
}

export function userConfigFile(home: string): string {
  return path.join(home, 'config.json');
}

function rulesIn({ input: { permissions = {} }, locate }: CheckedInput): WrittenRule[] {
  return (['deny', 'ask', 'allow'] as const).flatMap((verdict) =>
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
