import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { type LoadedConfig, loadConfig } from '../config/load.ts';
import type { ConfigInput } from '../config/schema/schema.ts';
import { projectRoot } from '../config/trust.ts';
import { dataRoot } from '../lib/files/data-root.ts';
import { ruleProblem } from '../permissions/pattern/rule-problem.ts';
import { useTableIn } from '../providers/models/model-table.ts';
import { SessionStore } from '../session/store.ts';
import type { Host } from './host.ts';
import type { SessionOptions } from './options.ts';

export type Settings = LoadedConfig & { root: string };

export function loadSettings(options: Partial<SessionOptions>, { env, cwd }: Host): Settings {
  const root = dataRoot(env);
  useTableIn(root);
  const loaded = loadConfig({
    home: root,
    cwd,
    env,
    flags: flagsOf(options, cwd),
    trusted: options.trust === true,
  });
  return { ...loaded, notices: [...loaded.notices, ...ruleNotices(loaded, cwd)], root };
}

/** Rules that do not do what they seem to. Throws for text that is not a rule. */
export function ruleNotices(
  { rules, config }: Pick<LoadedConfig, 'rules' | 'config'>,
  cwd: string,
): string[] {
  const world = {
    cwd,
    root: projectRoot(cwd),
    home: homedir(),
    servers: Object.keys(config.mcpServers),
    exists: existsSync,
  };
  return rules.flatMap((rule) => ruleProblem(rule, world) ?? []);
}

export function sessionStore({ config, root }: Pick<Settings, 'config' | 'root'>): SessionStore {
  return new SessionStore(
    config.sessionDirectory ?? path.join(root, 'sessions'),
    path.join(root, 'grants.key'),
  );
}

function flagsOf(options: Partial<SessionOptions>, cwd: string): ConfigInput {
  const { model, maxTurns, mode, offline, budget = [], allow = [], deny = [], addDir = [] } = options;
  const verbosity = options.quiet ? 'quiet' : options.verbose ? 'verbose' : undefined;
  return {
    ...(model !== undefined && { model }),
    ...(offline && { offline }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(mode !== undefined && { mode }),
    ...(budget.length > 0 && { limits: { run: budget.join(' and ') } }),
    ...(verbosity !== undefined && { verbosity }),
    ...(options.debug && { log: { level: 'debug' as const } }),
    ...(allow.length + deny.length > 0 && { permissions: { allow, deny } }),
    ...(addDir.length > 0 && { additionalDirectories: addDir.map((folder) => path.resolve(cwd, folder)) }),
  };
}
