import { cpSync, existsSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import type { Choice } from '../../assembly/models/choose-model.ts';
import { modelInfo, presetsOf } from '../../assembly/models/choose-model.ts';
import type { Session } from '../../contract/session.ts';
import { defineTool, fail, type Tool } from '../../contract/tool.ts';
import { makeFolder } from '../../lib/files/make-folder.ts';
import type { Host } from '../host.ts';
import { loadSettings, type Settings } from '../settings.ts';
import type { Script } from './script.ts';

/** What stands in for parts of the original session that a replay does not use. */

/** The model that answered: only its limits matter. It is free, because it is not asked. */
export function recordedModel({ settings: { model } }: Session, { config }: Settings): Choice {
  const [vendor = '', ...rest] = model.split('/');
  const name = rest.join('/') || 'unknown';
  const preset = presetsOf(config).find((one) => one.name === vendor) ?? {
    name: vendor || 'replay',
    label: vendor,
    protocol: 'openai-chat' as const,
    baseUrl: 'http://replay.invalid',
    keyEnv: [],
    local: true,
  };
  const price = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const info = { ...modelInfo(preset, name, config), price };
  return { preset, baseUrl: 'http://replay.invalid', model: name, info, key: null };
}

/** Tools that reach MCP servers by the names they are given. */
const SERVER_TOOLS = /^(mcp_|Mcp(Search|Call|Read)$)/;

/** Tools of MCP servers, as the session called them: the servers are not started. */
export function serverTools({ calls }: Script): Tool[] {
  const all = [...calls.values()].flat();
  const servers = new Set(all.flatMap(({ result }) => result.metadata?.server ?? []));
  const isOfServer = (name: string) => SERVER_TOOLS.test(name) || servers.has(name.split(/:|__/)[0] ?? '');
  return [...new Set(all.flatMap(({ name, result }) => [name, result.name]))].filter(isOfServer).map((name) =>
    defineTool({
      name,
      description: 'Answered from the journal.',
      input: () => z.looseObject({}),
      title: () => name,
      access: () => [],
      run: async () => fail('This call is not in the journal, so it has no answer.'),
    }),
  );
}

/** What the data root of a replay has in common with the user's. */
const SHARED = ['firewall.key', 'AGENTS.md', 'agents', 'commands', 'skills', 'output-styles'];

/** What another model costs counts like everything else that the user spends. */
function shareSpending(userRoot: string, root: string): void {
  makeFolder(root, 0o700);
  for (const name of ['ledger', 'quota']) {
    const folder = path.join(userRoot, name);
    makeFolder(folder, 0o700);
    symlinkSync(folder, path.join(root, name));
  }
}

type ReplaySettingsPlace = {
  folder: string;
  root: string;
  host: Host;
  user: Settings;
  /** Whether a real model is asked. */
  spends: boolean;
};

/** The user's settings for the copy of the folder, with a data root of its own, and nothing that reaches further. */
export function replaySettings(
  { workingDirectory, settings: { mode } }: Session,
  place: ReplaySettingsPlace,
): Settings {
  const { folder, root, host, user, spends } = place;
  const { trusted } = loadSettings(
    {},
    { ...host, cwd: existsSync(workingDirectory) ? workingDirectory : folder },
  );
  const settings = loadSettings({ trust: trusted, offline: true }, { ...host, cwd: folder });
  for (const name of SHARED) {
    const from = path.join(user.root, name);
    if (existsSync(from)) cpSync(from, path.join(root, name), { recursive: true });
  }
  if (spends) shareSpending(user.root, root);
  const { sessionDirectory: _, ...config } = settings.config;
  const { level } = config.sandbox;
  const { limits } = user.config;
  return {
    ...settings,
    root,
    config: {
      ...config,
      mode: (mode as Settings['config']['mode'] | undefined) ?? 'default',
      saveHistory: true,
      maxTurns: 100_000,
      // What one run may cost is the limit of the whole comparison.
      limits: spends ? { ...limits, ...(limits.run !== undefined && { session: limits.run }) } : {},
      mcpServers: {},
      additionalDirectories: [],
      memory: { ...config.memory, enabled: false },
      telemetry: { ...config.telemetry, enabled: false },
      cache: { ...config.cache, enabled: false },
      sandbox: {
        ...config.sandbox,
        level: level === 'permissive' ? 'standard' : level,
        allowedDomains: [],
        writablePaths: [],
      },
    },
  };
}
