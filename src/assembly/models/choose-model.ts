import { accountOf } from '../../config/keys/accounts.ts';
import type { Config } from '../../config/schema/schema.ts';
import { UserError } from '../../contract/errors.ts';
import type { HttpClient } from '../../lib/network/http-client.ts';
import { isNearby } from '../../lib/network/nearby-address.ts';
import { didYouMean, nearest } from '../../lib/text/nearest.ts';
import {
  type DiscoverOptions,
  describeModel,
  discover,
  type LocalServer,
} from '../../providers/local/discover.ts';
import type { LocalModel, ServerKind } from '../../providers/local/local-model.ts';
import { isStale, type ModelProfile } from '../../providers/local/profile.ts';
import type { ServerState } from '../../providers/local/server-state.ts';
import { type Waiting, waitForServer } from '../../providers/local/wait-for-server.ts';
import {
  atTier,
  infoOf,
  nearestModels,
  type PricedModel,
  providerIn,
  resolveModel,
} from '../../providers/models/models.ts';
import { type Preset, presets } from '../../providers/presets.ts';
import { baseUrlOf } from './base-url.ts';
import { claudeCodeCloud, cloudModel } from './cloud-settings.ts';

type Key = { key: string; source: string; general?: true; account?: string };

/** A model with everything needed to connect to it. */
export type Choice = {
  preset: Preset;
  baseUrl: string;
  model: string;
  info: PricedModel;
  key: Key | null;
  /** Its measured profile, if still current. */
  profile?: ModelProfile;
  /** Details from its server, if it is a local or custom one. */
  facts?: LocalModel;
  /** The profile was measured for another model of the same name. */
  stale?: true;
  /** The user named no model: the first of these that the account has answers if it does not have the default. */
  older?: readonly string[];
};

export type ChooseDeps = {
  config: Config;
  env: NodeJS.ProcessEnv;
  findKey(preset: Preset): Promise<Key | null>;
  http?: HttpClient;
  /** Embedded models: the one that a name refers to, if any, and one that is ready to use. */
  embedded?: { named(text: string): Promise<Choice | null>; first(): Promise<Choice | null> };
  /** The measured profile of a model on a server. */
  profileOf?(server: string, model: string): Promise<ModelProfile | null>;
  /** Asks a vendor about a model that the model table does not have, before its facts are needed. */
  learn?(question: { preset: Preset; model: string; baseUrl: string; key: Key | null }): Promise<void>;
  /** How to wait for a server that is still loading its model; without it, such a server counts as absent. */
  waiting?: Waiting;
};

/**
 * The configured model, or else the first vendor with a key, or else a local server, or else an embedded
 * model. Null if there is none.
 */
export async function chooseModel(deps: ChooseDeps): Promise<Choice | null> {
  const { config } = deps;
  const known = presetsOf(config);
  if (config.model !== undefined) return chooseNamed(config.model, known, deps);
  const wanted = config.provider ?? (config.apiBaseUrl === undefined ? undefined : 'local');
  if (wanted === 'embedded') return (await deps.embedded?.first()) ?? null;
  if (wanted !== undefined) return choosePreset(presetNamed(wanted, known), deps);
  const cloud = claudeCodeCloud(deps.env);
  if (cloud) return choiceOf(presetNamed(cloud.provider, known), cloud.model, deps);

  const isReachable = (row: Preset) => !config.offline || isNearby(baseUrlOf(row, deps));
  const vendors = known.filter((row) => !row.local && row.defaultModel !== undefined && isReachable(row));
  for (const preset of vendors) {
    if (await deps.findKey(preset)) return choosePreset(preset, deps);
  }
  const servers = await discoverLocal(deps);
  for (const server of servers) {
    const model = firstChatModel(server);
    if (model !== undefined) return choiceOf(presetNamed(server.provider, known), model, deps);
  }
  const loading = deps.waiting && servers.find(({ state }) => state === 'loading');
  if (loading) return choosePreset(presetNamed(loading.provider, known), deps);
  return (await deps.embedded?.first()) ?? null;
}

/** The built-in vendors with the user's overrides, and custom vendors. */
export function presetsOf(config: Config): Preset[] {
  const changed = presets.map((preset) => ({ ...preset, ...changesTo(preset.name, config) }));
  const added = Object.entries(config.providers)
    .filter(([name]) => !presets.some((preset) => preset.name === name))
    .map(([name, row]): Preset => {
      if (row.baseUrl === undefined) {
        throw new UserError(
          `The provider ${name} has no base URL.`,
          `Set providers.${name}.baseUrl in the config file.`,
        );
      }
      const keyless = row.apiKey === undefined && row.apiKeyEnv === undefined;
      const base = {
        name,
        label: name,
        protocol: row.protocol ?? 'openai-chat',
        baseUrl: row.baseUrl,
        keyEnv: [],
        // Which field a server reads is unknown.
        quirks: { thoughtsBackAs: 'both' },
      } as const;
      return { ...base, ...changesTo(name, config), ...(keyless && { local: true }) };
    });
  return [...changed, ...added];
}

/** Models on the user's own machine are free. */
const FREE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** Facts about a model; the user's overrides win over the built-in table. */
export function modelInfo(preset: Preset, model: string, config: Config): PricedModel {
  const overrides = config.models[`${preset.name}/${model}`];
  const usual = infoOf(preset.tableOf ?? preset.name, model, { overrides });
  // A price that the user set is the one that applies.
  const info = overrides?.price === undefined ? atTier(usual, tierOf(preset, config)?.price) : usual;
  return {
    ...info,
    ...(!info.effort && preset.effort && { effort: preset.effort }),
    price: info.price ?? (preset.local ? FREE : null),
    contextWindow: Math.min(info.contextWindow, config.maxContextTokens ?? Number.POSITIVE_INFINITY),
  };
}

/** The vendor's own tier for the one in the settings; absent if it has none. */
export function tierOf(
  { tiers }: Pick<Preset, 'tiers'>,
  { tier }: Pick<Config, 'tier'>,
): { name: string; price: number } | undefined {
  return tier && tiers?.[tier];
}

/** All model servers that currently answer on this machine. */
export function discoverLocal(
  { config, env, http, findKey }: Pick<ChooseDeps, 'config' | 'env' | 'http'> & Partial<ChooseDeps>,
  depth: NonNullable<DiscoverOptions['depth']> = 'names',
): Promise<LocalServer[]> {
  const candidates = presetsOf(config)
    .filter((preset) => preset.local && preset.name !== 'local')
    .map((preset) => ({
      ...candidateOf(preset, { config, env }),
      // Anything may listen on a server's usual port: it gets no key that belongs to another vendor.
      keyHeaders: async () => {
        const key = await findKey?.(preset);
        return key?.general ? {} : headersWith(key ?? null);
      },
    }))
    .filter(({ baseUrl }) => !config.offline || isNearby(baseUrl));
  return discover(candidates, { ...(http && { http }), depth });
}

function candidateOf(preset: Preset, { config, env }: Pick<ChooseDeps, 'config' | 'env'>) {
  const { name } = preset;
  const headers = config.providers[name]?.headers ?? {};
  return {
    provider: name,
    baseUrl: baseUrlOf(preset, { config, env }),
    kind: serverKind(preset),
    headers,
  };
}

function headersWith(key: Key | null): Record<string, string> {
  return key ? { authorization: `Bearer ${key.key}` } : {};
}

function serverKind({ name, protocol }: Preset): ServerKind {
  if (protocol === 'ollama') return 'ollama';
  return name === 'lmstudio' || name === 'llamacpp' || name === 'vllm' ? name : 'openai';
}

const NOT_CHAT = /embed|rerank|minilm|(^|[^a-z])(bge|e5|gte)([^a-z]|$)/i;

/** Prefers a loaded model, which answers at once; skips embedding models, which cannot chat. */
export function firstChatModel({ models }: LocalServer): string | undefined {
  const chatModels = models.filter(({ name }) => !NOT_CHAT.test(name));
  return (chatModels.find(({ loaded }) => loaded) ?? chatModels[0])?.name;
}

function changesTo(name: string, config: Config): Partial<Preset> {
  const row = config.providers[name];
  if (!row) return {};
  return {
    ...(row.protocol && { protocol: row.protocol }),
    ...(row.baseUrl && { baseUrl: row.baseUrl }),
    ...(row.apiKeyEnv && { keyEnv: [row.apiKeyEnv] }),
  };
}

/** Throws a `UserError` if a name means no model. Asks nobody but servers on this machine, and needs no key. */
export async function requireModel(text: string, deps: ChooseDeps): Promise<void> {
  await meaningOf(text, presetsOf(deps.config), deps);
}

async function chooseNamed(text: string, known: readonly Preset[], deps: ChooseDeps): Promise<Choice> {
  const meant = await meaningOf(text, known, deps);
  return 'info' in meant ? meant : choiceOf(meant.preset, meant.id, deps);
}

/** An embedded model is found already. */
async function meaningOf(
  text: string,
  known: readonly Preset[],
  deps: ChooseDeps,
): Promise<Choice | { preset: Preset; id: string }> {
  const { config } = deps;
  const named = config.aliases[text] ?? text;
  const names = known.map((preset) => preset.name);
  // A server's model may be called like a file.
  const embedded = providerIn(named, names) === null ? await deps.embedded?.named(named) : null;
  if (embedded) return embedded;
  const { provider, id } = resolveModel(named, names);
  const chosen = config.provider ?? claudeCodeCloud(deps.env)?.provider;
  const name = provider ?? chosen ?? (config.apiBaseUrl === undefined ? undefined : 'local');
  // The same model at the user's cloud, unless the name says which vendor to use.
  const resold = chosen === undefined || named.includes('/') ? null : cloudModel(chosen, id);
  if (chosen !== undefined && resold !== null) return { preset: presetNamed(chosen, known), id: resold };
  const own = name === 'embedded' ? await deps.embedded?.named(`embedded/${id}`) : null;
  if (own) return own;
  if (name !== undefined) return { preset: presetNamed(name, known), id };

  for (const server of await discoverLocal(deps)) {
    if (server.models.some(({ name }) => name === id))
      return { preset: presetNamed(server.provider, known), id };
  }
  if (/\.gguf$/i.test(named)) {
    throw new UserError(
      `No file and no local server has the model "${named}".`,
      'Check the path, or see what there is with `aca models list`.',
    );
  }
  const suggestion = suggestionFor(named, known);
  throw new UserError(
    `No known provider for the model "${named}".`,
    `${suggestion}Run \`aca models list\` to see what you can use, or use provider/model, for example openrouter/${named}.`,
  );
}

/** A mistyped provider before the slash, or a model with a similar name. */
function suggestionFor(text: string, known: readonly Preset[]): string {
  const [head = '', ...rest] = text.split('/');
  const provider =
    rest.length > 0
      ? nearest(
          head,
          known.map((preset) => preset.name),
        )
      : null;
  const close = provider ? [[provider, ...rest].join('/')] : nearestModels(text);
  return close.length > 0 ? `Did you mean ${close.join(' or ')}? ` : '';
}

async function choosePreset(preset: Preset, deps: ChooseDeps): Promise<Choice> {
  const { defaultModel, olderModels } = preset;
  if (defaultModel !== undefined) {
    const choice = await choiceOf(preset, defaultModel, deps);
    return olderModels === undefined ? choice : { ...choice, older: olderModels };
  }
  if (preset.cloud) {
    const hint = `Name one of your deployments: --model ${preset.name}/DEPLOYMENT.`;
    throw new UserError(`No model for ${preset.label}.`, hint);
  }
  const key = await deps.findKey(preset);
  const candidate = candidateOf(preset, deps);
  const { baseUrl, headers } = candidate;
  const keyed = { ...candidate, headers: { ...headers, ...headersWith(key) } };
  const http = deps.http && { http: deps.http };
  const look = async () => (await discover([keyed], { ...http, depth: 'all' }))[0];
  const server = await untilLoaded(look, preset, deps);
  const model = server && firstChatModel(server);
  if (model !== undefined) return choiceOf(preset, model, deps);
  if (server?.state === 'needs key') throw needsKey(preset, { key, baseUrl });
  const hint = `Choose a model: --model ${preset.name}/MODEL.`;
  throw new UserError(
    server
      ? `${preset.label} at ${baseUrl} has no models.`
      : `${preset.label} is not responding at ${baseUrl}.`,
    hint,
  );
}

async function choiceOf(preset: Preset, model: string, deps: ChooseDeps): Promise<Choice> {
  if (deps.config.offline && !isNearby(baseUrlOf(preset, deps))) {
    throw new UserError(
      `Offline mode: ${preset.name}/${model} is not on this machine or its network.`,
      'Choose a local model, or turn off offline mode (--offline, setting `offline`).',
    );
  }
  const key = await deps.findKey(preset);
  const account = accountOf(preset.name, deps.config);
  if (!key && !preset.local && account !== undefined) {
    throw new UserError(
      `There is no account "${account}" for ${preset.name}.`,
      `Store its key with \`aca keys set ${preset.name} --name ${account}\`. \`aca keys list\` shows those you have.`,
    );
  }
  if (!key && !preset.local && !preset.cloud) {
    const env = preset.keyEnv.join(' or ');
    const hint = `Set ${env}, run \`aca keys set ${preset.name}\`, or choose a local model with --model.`;
    throw new UserError(
      `No API key for ${preset.name}.`,
      preset.keyUrl ? `${hint} Get a key at ${preset.keyUrl}` : hint,
    );
  }
  const baseUrl = baseUrlOf(preset, deps);
  if (!preset.local && !preset.cloud) await deps.learn?.({ preset, model, baseUrl, key });
  const info = modelInfo(preset, model, deps.config);
  const choice = { preset, model, baseUrl, info, key };
  return preset.local ? withServerFacts(choice, deps) : choice;
}

/** Facts from the server and the measured profile take precedence over the model table. */
async function withServerFacts(choice: Choice, deps: ChooseDeps): Promise<Choice> {
  const { preset, model, baseUrl, info, key } = choice;
  const { config, http, profileOf } = deps;
  const candidate = candidateOf(preset, deps);
  const keyed = { ...candidate, headers: { ...candidate.headers, ...headersWith(key) } };
  const describe = () => describeModel(keyed, model, http ? { http } : {});
  const [{ facts, state }, found] = await Promise.all([
    untilLoaded(describe, preset, deps),
    profileOf?.(baseUrl, model) ?? null,
  ]);
  if (state === 'needs key') throw needsKey(preset, { key, baseUrl });
  const stale = found !== null && isStale(found, facts?.digest);
  const profile = stale ? null : found;
  const own = config.models[`${preset.name}/${model}`];
  const reported = facts?.contextWindow;
  const measured = profile?.reportedWindow === reported ? profile?.contextWindow : undefined;
  const window = own?.contextWindow ?? measured ?? reported ?? info.contextWindow;
  const contextWindow = Math.min(window, config.maxContextTokens ?? window);
  return {
    ...choice,
    ...(facts && { facts }),
    ...(profile && { profile }),
    ...(stale && { stale }),
    info: {
      ...info,
      contextWindow,
      maxOutputTokens: own?.maxOutputTokens ?? Math.min(info.maxOutputTokens, outputShare(contextWindow)),
      abilities: { ...info.abilities, ...facts?.abilities, ...own?.abilities },
    },
  };
}

/** The output limit of a local model: one as large as the window would leave no space for the prompt. */
export function outputShare(contextWindow: number): number {
  return Math.floor(contextWindow / 4);
}

/** The result of `look` once the server has loaded its model, or cannot be waited for any longer. */
function untilLoaded<Seen extends { state?: ServerState } | undefined>(
  look: () => Promise<Seen>,
  { label }: Preset,
  { waiting }: ChooseDeps,
): Promise<Seen> {
  return waiting ? waitForServer(look, { ...waiting, label }) : look();
}

function needsKey(preset: Preset, { key, baseUrl }: Pick<Choice, 'key' | 'baseUrl'>): UserError {
  const env = preset.keyEnv.length > 0 ? `Set ${preset.keyEnv.join(' or ')}, or store` : 'Store';
  return new UserError(
    key ? `${preset.label} at ${baseUrl} rejected your key.` : `${preset.label} at ${baseUrl} needs a key.`,
    `${env} one with \`aca keys set ${preset.name}\`.`,
  );
}

function presetNamed(name: string, known: readonly Preset[]): Preset {
  const preset = known.find((row) => row.name === name);
  if (preset) return preset;
  const names = known.map((row) => row.name);
  throw new UserError(
    `Unknown provider "${name}".${didYouMean(name, names)}`,
    `Available providers: ${names.join(', ')}.`,
  );
}
