import { existsSync } from 'node:fs';
import path from 'node:path';
import { resolvePath } from '../lib/data-root.ts';
import { checkInput, readConfigFile } from './config-file.ts';
import { type Env, readEnvironment, switchOf } from './environment.ts';
import { formatKeyPath } from './key-path.ts';
import { leavesOf, mergeConfig, withoutUndefined } from './merge.ts';
import { tighten } from './project-rules.ts';
import { type Config, type ConfigInput, checkOnce, configSchema } from './schema.ts';

/** Settings from the command line; an undefined one counts as absent. */
type ConfigFlags = { [Key in keyof ConfigInput]?: ConfigInput[Key] | undefined };

export type LoadOptions = {
  /** The data root. */
  home: string;
  cwd: string;
  env: Env;
  flags?: ConfigFlags;
  /** Whether the user accepts all that the project's file says; AI_ASSISTANT_TRUST=1 does, too. */
  trusted: boolean;
};

export type LoadedConfig = {
  config: Config;
  /** For the user: what was ignored and why. */
  notices: string[];
  /** Who set each key: a file, an environment variable or the command line. A key not named has its default. */
  origins: Record<string, string>;
  trusted: boolean;
  /** The project's file, if there is one. */
  projectFile: string | null;
};

/** Defaults, then the user's file, the project's, the environment and the command line: each over the last. */
export function loadConfig({ home, cwd, env, flags = {}, trusted }: LoadOptions): LoadedConfig {
  const isTrusted = trusted || switchOf(env, 'AI_ASSISTANT_TRUST') === true;
  const origins: Record<string, string> = {};
  const notices: string[] = [];
  let merged: ConfigInput = {};
  const add = (input: ConfigInput, base: string, source: (key: string) => string) => {
    merged = mergeConfig(merged, absolutePaths(input, base, env));
    recordOrigins(origins, input, source);
  };

  const userFile = userConfigFile(home);
  const user = readConfigFile(userFile);
  if (user) {
    notices.push(...user.notices);
    add(user.input, home, () => userFile);
  }

  const projectFile = findProjectFile(cwd);
  const project = projectFile === null ? null : readConfigFile(projectFile);
  if (project && projectFile !== null) {
    const input = isTrusted
      ? project.input
      : sifted(project.input, configSchema.parse(merged, checkOnce), { file: projectFile, notices });
    notices.push(...project.notices, ...keysInProject(input, projectFile));
    add(input, path.dirname(projectFile), () => projectFile);
  }

  const environment = readEnvironment(env);
  add(environment.input, cwd, (key) => `environment variable ${environment.names.get(key)}`);

  const chosen = checkInput(withoutUndefined(flags), () => 'command line');
  add(chosen.input, cwd, () => 'command line');

  return { config: configSchema.parse(merged, checkOnce), notices, origins, trusted: isTrusted, projectFile };
}

export function userConfigFile(home: string): string {
  return path.join(home, 'config.json');
}

/**
 * The nearest `.ai-assistant.json` from the working directory up to the root of its git repository. Outside
 * a repository only the working directory counts: a shared parent such as /tmp is nobody's project.
 */
export function findProjectFile(cwd: string): string | null {
  const folders = [path.resolve(cwd)];
  for (let folder = path.resolve(cwd); !existsSync(path.join(folder, '.git')); ) {
    const parent = path.dirname(folder);
    if (parent === folder) {
      folders.length = 1;
      break;
    }
    folders.push(parent);
    folder = parent;
  }
  return (
    folders.map((folder) => path.join(folder, '.ai-assistant.json')).find((file) => existsSync(file)) ?? null
  );
}

function sifted(input: ConfigInput, base: Config, report: { file: string; notices: string[] }): ConfigInput {
  const { accepted, ignored } = tighten(base, input);
  if (ignored.length > 0) {
    report.notices.push(
      `${report.file}: ignored until this folder is trusted: ${ignored.join(', ')}. To accept what the file says, start with --trust or set AI_ASSISTANT_TRUST=1.`,
    );
  }
  return accepted;
}

function keysInProject(input: ConfigInput, file: string): string[] {
  const keys = [...leavesOf(input)].map(([names]) => names).filter((names) => names.at(-1) === 'apiKey');
  if (keys.length === 0) return [];
  return [
    `${file}: ${keys.map(formatKeyPath).join(', ')} keeps a secret in the project, where others can read it. Move it out with \`keys set\`.`,
  ];
}

/** Paths in a file are written from where the file is. Patterns stay as written. */
function absolutePaths(input: ConfigInput, base: string, env: Env): ConfigInput {
  const absolute = (written: string) => resolvePath(written, base, env);
  const { sessionDirectory, additionalDirectories, network } = input;
  return {
    ...input,
    ...(sessionDirectory === undefined ? {} : { sessionDirectory: absolute(sessionDirectory) }),
    ...(additionalDirectories === undefined
      ? {}
      : { additionalDirectories: additionalDirectories.map(absolute) }),
    ...(network?.caFile === undefined ? {} : { network: { ...network, caFile: absolute(network.caFile) } }),
  };
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
