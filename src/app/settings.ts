import path from 'node:path';
import { type LoadedConfig, loadConfig } from '../config/load.ts';
import type { ConfigInput } from '../config/schema/schema.ts';
import { dataRoot } from '../lib/files/data-root.ts';
import { useTableIn } from '../providers/models/model-table.ts';
import { SessionStore } from '../session/store.ts';
import type { Host } from './host.ts';
import type { SessionOptions } from './options.ts';

export type Settings = LoadedConfig & { root: string };

export function loadSettings(options: Partial<SessionOptions>, { env, cwd }: Host): Settings {
  const root = dataRoot(env);
  useTableIn(root);
  return {
    ...loadConfig({ home: root, cwd, env, flags: flagsOf(options, cwd), trusted: options.trust === true }),
    root,
  };
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
