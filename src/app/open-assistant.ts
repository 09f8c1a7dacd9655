import { assemble } from '../assembly/assemble.ts';
import type { Assistant } from '../assembly/assistant.ts';
import type { StartedServers } from '../assembly/extensions/start-servers.ts';
import {
  type Choice,
  chooseModel,
  discoverLocal,
  firstToTalk,
  presetsOf,
} from '../assembly/models/choose-model.ts';
import { chooseEmbedded, firstEmbedded } from '../assembly/models/embedded-model.ts';
import { profileStore } from '../assembly/models/model-profiles.ts';
import type { Parts } from '../assembly/parts.ts';
import { readAgents } from '../config/agents.ts';
import { redisVariables } from '../config/environment.ts';
import { createKeychain } from '../config/keys/keychain.ts';
import { findKey } from '../config/keys/keys.ts';
import type { Config } from '../config/schema/schema.ts';
import { type ProviderError, UserError } from '../contract/errors.ts';
import type { AgentEvent } from '../contract/event.ts';
import type { Approver, Permission } from '../contract/permission.ts';
import type { SessionSettings } from '../contract/session.ts';
import type { ToolContext } from '../contract/tool.ts';
import { inTurn, once } from '../lib/async/closing.ts';
import { EventChannel } from '../lib/async/event-channel.ts';
import { isNearby } from '../lib/network/nearby-address.ts';
import { hasProxy, type Network, openNetwork } from '../lib/network/network.ts';
import { visible } from '../lib/text/printable.ts';
import { version } from '../lib/version.ts';
import type { Watcher } from '../observability/watcher.ts';
import { type Preset, presets } from '../providers/presets.ts';
import { lostRecords } from '../session/lost-records.ts';
import type { OpenSession, SessionStore } from '../session/store.ts';
import { PendingApprovals } from './conversation/pending-approvals.ts';
import type { Host } from './host.ts';
import { openSession } from './opening/choose-session.ts';
import { type ReachDeps, reachModel } from './opening/connect-model.ts';
import { recordSession, type SessionRecord } from './opening/session-record.ts';
import { type StartedTelemetry, startTelemetry } from './opening/start-telemetry.ts';
import type { SessionOptions } from './options.ts';
import { type Settings, sessionStore } from './settings.ts';

export type Opened = Assistant & {
  choice: Choice;
  config: Config;
  settings: Settings;
  notices: string[];
  opened: OpenSession;
  store: SessionStore;
  record: SessionRecord;
  approvals: PendingApprovals;
};

/** The model to use, or null when none is configured or found. */
export async function findModel({ config, root }: Settings, { env, cwd }: Host): Promise<Choice | null> {
  const { http } = await userNetwork(config, env);
  const place = { dataRoot: root, cwd, config, env };
  return chooseModel({
    config,
    env,
    findKey: (preset) => keyOf(preset, { config, root, env }),
    http,
    profileOf: (server, model) => profileStore(root).find(server, model),
    embedded: { named: (text) => chooseEmbedded(text, place), first: () => firstEmbedded(place) },
  });
}

/** Assembles everything for one conversation. */
export async function openAssistant(
  choice: Choice,
  {
    settings,
    options,
    terminal,
    session,
    servers,
    telemetry,
    host,
    approver,
    ask,
  }: {
    settings: Settings;
    options: Partial<SessionOptions>;
    terminal: Host;
    /** Already open; without it the options select one. */
    session?: OpenSession;
    /** Owned and stopped by the caller; without them the assistant starts and stops its own. */
    servers?: StartedServers;
    /** Same ownership as `servers`. */
    telemetry?: StartedTelemetry | undefined;
    host?: Parts['host'];
    /**
     * Shows approval requests to the user; they can also be answered by their id. Without it they are
     * refused.
     */
    approver?: Approver;
    ask?: ToolContext['ask'];
  },
): Promise<Opened> {
  const { config, root, trusted } = settings;
  const { env, cwd } = terminal;
  const { http } = await userNetwork(config, env);
  const store = sessionStore(settings);
  const { preset } = choice;
  const events = new EventChannel<AgentEvent>();
  const warn = (text: string) => events.emit({ type: 'notice', level: 'warn', text });
  const reach: ReachDeps = {
    config,
    http,
    profiles: profileStore(root),
    embedded: { dataRoot: root, cwd, config, env },
    notice: warn,
  };
  const [provider, opened] = await Promise.all([
    reachModel(choice, reach),
    session ??
      openSession(options, {
        store,
        cwd,
        settings: sessionSettings(`${preset.name}/${choice.model}`, config),
      }),
  ]);
  const own = servers ? undefined : await startServers(settings, terminal);
  const bring = (servers ?? own)?.bring;
  const { agents, notices: troubles } = readAgents(root, settings.extensions);
  const record = recordSession(settings, opened.session, warn);
  const measured = telemetry ?? (await startTelemetry(settings, options, terminal));
  const watchers: Watcher[] = [record.watch, ...(measured ? [measured.telemetry.join({ warn })] : [])];
  const approvals = new PendingApprovals();
  if (approver) approvals.askThrough(approver);
  const assistant = assemble({
    config,
    env,
    cwd,
    dataRoot: root,
    trusted,
    choice,
    provider,
    openModel: async (name) => {
      const other = await anotherModel(name, choice, { settings, terminal });
      return { choice: other, provider: await reachModel(other, reach) };
    },
    otherModel: (error) => otherModel(error, choice, { config, root, env }),
    keyVariables: keyVariables(config),
    opened,
    web: await webRoute(config, env),
    ...(bring && { servers: bring }),
    ...(host && { host }),
    agents,
    projectFiles: settings.extensions,
    watch(event, about) {
      for (const watcher of watchers) watcher(event, about);
    },
    events,
    ...(approver && { approver: approvals.approver }),
    ...(ask && { ask }),
  });
  const found = findingsIn(opened);
  // The rest of a long session is loaded later.
  void opened.ready.then(() => {
    for (const text of findingsIn(opened)) if (!found.includes(text)) warn(text);
  });
  const news = measured?.notices.splice(0) ?? [];
  const notices = [...settings.notices, ...news, ...troubles, ...found];
  const close = once(() =>
    inTurn(
      () => assistant.close(),
      () => record.close(),
      () => own?.close(),
      () => (measured === telemetry ? undefined : measured?.telemetry.close()),
    ),
  );
  return { ...assistant, choice, config, settings, notices, opened, store, record, approvals, close };
}

/**
 * Starts the configured MCP servers for the whole process and all its sessions; they may still be connecting.
 */
export async function startServers(
  { config, root, trusted }: Pick<Settings, 'config' | 'root' | 'trusted'>,
  { env, cwd }: Host,
): Promise<StartedServers | undefined> {
  if (Object.keys(config.mcpServers).length === 0) return undefined;
  const [start, { fetch }] = await Promise.all([
    import('../assembly/extensions/start-servers.ts'),
    openNetwork(env, config.network),
  ]);
  return start.startServers({ config, env, cwd, dataRoot: root, trusted, fetch, version });
}

/** Notices about the session file for a user who resumes it. */
function findingsIn({ damaged, foreign, session }: OpenSession): string[] {
  const patterns = (grants: readonly Permission[]) =>
    [...new Set(grants.map(({ pattern }) => visible(pattern)))].join(', ');
  const granted = session.permissions.filter(({ action }) => action === 'allow');
  return [
    ...(damaged.length === 0
      ? []
      : [
          `This session's file was damaged. Lost: ${lostRecords(damaged).join(', ')}. The damaged lines are saved in ${session.id}.damaged.txt next to the session.`,
        ]),
    ...(granted.length === 0
      ? []
      : [`Still allowed in this session: ${patterns(granted)}. Revoke with /permissions.`]),
    ...(foreign.length === 0
      ? []
      : [`Ignored permissions that this program did not save: ${patterns(foreign)}.`]),
  ];
}

/** Value of `fallbackModel` for any local server. */
const ANY_LOCAL = 'local';

/** The main vendor's address and key must not be used for another vendor. */
async function anotherModel(
  name: string,
  { preset, baseUrl, key }: Choice,
  { settings, terminal }: { settings: Settings; terminal: Host },
): Promise<Choice> {
  const { apiBaseUrl: _, ...config } = settings.config;
  const provider = config.provider ?? preset.name;
  const model = name === ANY_LOCAL ? await localModel(preset, { ...settings, env: terminal.env }) : name;
  if (model === null) throw new UserError('No local server found.', 'Start one, such as Ollama.');
  const other = await findModel({ ...settings, config: { ...config, provider, model } }, terminal);
  if (!other) throw new UserError(`There is no model "${name}".`, '`aca models` lists them.');
  return other.preset.name === preset.name ? { ...other, baseUrl, key } : other;
}

type Place = { config: Config; root: string; env: NodeJS.ProcessEnv };

/**
 * The first other vendor with a known key, or else a local server. When nothing is reachable, local servers
 * come first: other vendors are probably unreachable, too.
 */
async function otherModel({ kind }: ProviderError, choice: Choice, place: Place): Promise<string | null> {
  const ways = [() => vendorModel(choice, place), () => localModel(choice.preset, place)];
  for (const way of kind === 'network' || place.config.offline ? ways.reverse() : ways) {
    const name = await way();
    if (name !== null) return name;
  }
  return null;
}

async function localModel(
  preset: Preset,
  { config, env }: Pick<Place, 'config' | 'env'>,
): Promise<string | null> {
  const { apiBaseUrl: _, ...others } = config;
  for (const server of await discoverLocal({ config: others, env })) {
    const model = server.provider === preset.name ? undefined : firstToTalk(server);
    if (model !== undefined) return `${server.provider}/${model}`;
  }
  return null;
}

async function vendorModel({ preset }: Choice, place: Place): Promise<string | null> {
  if (place.config.offline) return null;
  // The main vendor's settings do not apply to another vendor.
  const config = { ...place.config, provider: preset.name };
  const others = presetsOf(config).filter(({ name, local, keyEnv }) => {
    return !local && name !== preset.name && !keyEnv.some((key) => preset.keyEnv.includes(key));
  });
  for (const other of others) {
    if (other.defaultModel !== undefined && (await keyOf(other, { ...place, config })))
      return `${other.name}/${other.defaultModel}`;
  }
  return null;
}

/** Uses the user's proxy and certificates. Offline, only local addresses are reachable. */
export async function userNetwork({ network, offline }: Config, env: NodeJS.ProcessEnv): Promise<Network> {
  const { http, fetch } = await openNetwork(env, network).catch((error: Error) => {
    throw new UserError(error.message, 'Check network.caFile and HTTPS_PROXY.', {
      cause: error,
    });
  });
  if (!offline) return { http, fetch };
  const assertNearby = (address: string) => {
    if (!isNearby(address)) throw new Error(`Offline mode: not connecting to ${new URL(address).host}.`);
  };
  return {
    async http(request) {
      assertNearby(request.url);
      return http(request);
    },
    async fetch(input, init) {
      assertNearby(input instanceof Request ? input.url : String(input));
      return fetch(input, init);
    },
  };
}

/** How pages are fetched: through the user's proxy, or directly with the user's certificates. */
async function webRoute(config: Config, env: NodeJS.ProcessEnv): Promise<NonNullable<Parts['web']>> {
  if (config.offline || hasProxy(env)) return { fetch: (await userNetwork(config, env)).fetch };
  const { caFile } = config.network;
  if (caFile === undefined) return {};
  return {
    certificates: async () => (await import('../lib/network/routed-network.ts')).certificates(env, caFile),
  };
}

function sessionSettings(model: string, { maxTokens, temperature, mode }: Config): SessionSettings {
  return {
    model,
    mode,
    ...(maxTokens !== undefined && { maxTokens }),
    ...(temperature !== undefined && { temperature }),
  };
}

/** All variables that may hold an API key, including those of unused vendors. */
export function keyVariables(config: Config): string[] {
  return [
    'AI_ASSISTANT_API_KEY',
    ...redisVariables,
    ...[...presets, ...presetsOf(config)].flatMap((row) => row.keyEnv),
  ];
}

export function keyOf(
  preset: Preset,
  { config, root, env }: { config: Config; root: string; env: NodeJS.ProcessEnv },
) {
  return findKey(preset.name, {
    keyEnv: preset.keyEnv,
    env,
    config,
    keychain: createKeychain({ home: root, env }),
  });
}
