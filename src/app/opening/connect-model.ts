import type { Choice } from '../../assembly/models/choose-model.ts';
import { modelInfo, outputShare, tierOf } from '../../assembly/models/choose-model.ts';
import { cloudSettings } from '../../assembly/models/cloud-settings.ts';
import { type EmbeddedPlace, openEmbedded } from '../../assembly/models/embedded-model.ts';
import { type ProfileStore, profileStore } from '../../assembly/models/model-profiles.ts';
import { sessionEnvironment } from '../../config/environment.ts';
import type { Config } from '../../config/schema/schema.ts';
import type { Provider } from '../../contract/provider.ts';
import type { NamedSecret } from '../../firewall/looks-secret.ts';
import { limited } from '../../lib/async/abort.ts';
import type { HttpClient } from '../../lib/network/http-client.ts';
import { type CreateOptions, createProvider } from '../../providers/index.ts';
import { learnedProfile, type ModelProfile, thinkModeOf } from '../../providers/local/profile.ts';
import type { RequestFormat } from '../../providers/wrappers/adapt.ts';
import { withDefaultLimit } from '../../providers/wrappers/default-limit.ts';
import { FLEX_PATIENCE_MS } from '../../providers/wrappers/flex.ts';
import { withStatedWindow } from '../../providers/wrappers/window.ts';
import type { Host } from '../host.ts';
import type { Settings } from '../settings.ts';

export type ReachDeps = {
  config: Config;
  env: NodeJS.ProcessEnv;
  http: HttpClient;
  profiles: ProfileStore;
  /** Where embedded models are stored. */
  embedded: EmbeddedPlace;
  /** One line for the user. */
  notice(text: string): void;
};

/** An automatic measurement is aborted after this time; the model is then used unmeasured. */
const MEASURE_MS = 60_000;

type ConnectOptions = Pick<ReachDeps, 'http' | 'notice'> & { settings: Settings; host: Host };

/** Connects to the models of one conversation; `close` ends the processes of embedded ones. */
export function connectTo({ settings: { config, root }, host: { env, cwd }, http, notice }: ConnectOptions) {
  const deps: ReachDeps = {
    config,
    env: sessionEnvironment(env, config),
    http,
    profiles: profileStore(root),
    embedded: { dataRoot: root, cwd, config, env },
    notice,
  };
  const connected: Connected[] = [];
  let credentials: readonly NamedSecret[] = [];
  const onSecret = (value: string) => {
    if (credentials.some((known) => known.value === value)) return;
    credentials = [...credentials, { name: 'credential', value }];
  };
  return {
    /** Those that a cloud's own library found so far. */
    credentials: () => credentials,
    async reach(choice: Choice): Promise<Provider> {
      const provider = await reachModel(choice, { ...deps, onSecret });
      connected.push(provider);
      return provider;
    },
    async close(): Promise<void> {
      await Promise.all(connected.map((provider) => provider.close?.()));
    },
  };
}

/** `onSecret`: called with every credential that a cloud's own library finds. */
type OpenDeps = ReachDeps & { onSecret(value: string): void };

type Connected = Provider & { close?(): Promise<void> };

/** Uses what is known about its capabilities. */
async function reachModel(choice: Choice, deps: OpenDeps): Promise<Connected> {
  const provider: Connected = await (choice.preset.protocol === 'embedded'
    ? openEmbedded(choice, { ...deps.embedded, warn: deps.notice })
    : choice.stale
      ? measuredFirst(choice, deps)
      : open(choice, deps));
  return choice.preset.local ? withDefaultLimit(provider, choice.info) : provider;
}

/** Measures this model on request and saves the result. */
export async function measureModel(
  choice: Choice,
  deps: Omit<ReachDeps, 'notice' | 'embedded'>,
  { signal, onStep }: { signal: AbortSignal; onStep?: (words: string) => void },
): Promise<ModelProfile> {
  const { probe } = await import('../../providers/local/probe.ts');
  const profile = await probe(choice.preset, {
    ...wayTo(choice, deps),
    model: choice.model,
    baseUrl: choice.baseUrl,
    facts: choice.facts ?? null,
    signal,
    ...(onStep && { onStep }),
  });
  await deps.profiles.keep(profile);
  return profile;
}

async function open(choice: Choice, deps: OpenDeps): Promise<Provider> {
  const { preset, baseUrl, facts, info } = choice;
  const usual = mannersOf(choice, deps.config);
  const place = { server: baseUrl, model: choice.model, ...(facts?.digest && { digest: facts.digest }) };
  let profile = choice.profile;
  const keep = (learned: Partial<ModelProfile>) => {
    profile = { ...(profile ?? learnedProfile(place, { ...NATIVE, ...usual })), ...learned, by: 'run' };
    // If the disk cannot be written, it is learned again next time.
    deps.profiles.keep(profile).catch(() => undefined);
  };
  const learnWindow = (model: string, contextWindow: number) => {
    if (model !== choice.model || contextWindow >= info.contextWindow) return;
    deps.notice(`${preset.name}/${model} has a context window of ${contextWindow} tokens.`);
    // Every request reads its limits from here.
    info.contextWindow = contextWindow;
    info.maxOutputTokens = Math.min(info.maxOutputTokens, outputShare(contextWindow));
    const reported = facts?.contextWindow;
    keep({ contextWindow, ...(reported !== undefined && { reportedWindow: reported }) });
  };
  const provider = await createProvider(preset, {
    ...wayTo(choice, deps),
    ...usual,
    onSecret: deps.onSecret,
    onLoading: () => deps.notice(`${preset.label} is still loading ${choice.model}; waiting.`),
    ...(preset.local && {
      onAdapt: (model, { format, because }) => {
        deps.notice(`${preset.name}/${model} ${because}.`);
        if (model === choice.model) keep(format);
      },
    }),
  });
  return preset.local ? withStatedWindow(provider, learnWindow) : provider;
}

/** How a model is addressed that nothing is known about. */
const NATIVE: RequestFormat = { toolMode: 'native', resultRole: 'tool', systemRole: true };

function wayTo(
  { preset, baseUrl, key, info, model }: Choice,
  { config, env, http }: Pick<ReachDeps, 'config' | 'env' | 'http'>,
): CreateOptions {
  const row = config.providers[preset.name];
  const tier = tierOf(preset, config);
  return {
    baseUrl,
    ...(key && { apiKey: key.key }),
    ...(preset.cloud && { cloud: cloudSettings(preset, { config, env }) }),
    ...(row?.headers && { headers: row.headers }),
    ...silenceFor(config),
    ...(tier && { tier: tier.name }),
    http,
    infoOf: (name) => (name === model ? info : modelInfo(preset, name, config)),
  };
}

/** A request of the cheaper tier may wait for its turn. */
function silenceFor({ network, tier }: Config): Pick<CreateOptions, 'silenceMs'> {
  const silenceMs = network.silenceMs ?? (tier === 'flex' ? FLEX_PATIENCE_MS : undefined);
  return silenceMs === undefined ? {} : { silenceMs };
}

/** The user's settings first, then measurements, then what the server reports. */
function mannersOf(
  { preset, profile, info }: Choice,
  config: Config,
): Partial<RequestFormat> & Pick<CreateOptions, 'think'> {
  const usual = info.abilities.tools ? 'native' : 'xml';
  const toolMode = config.providers[preset.name]?.toolMode ?? profile?.toolMode ?? usual;
  if (!profile) return { toolMode };
  const think = thinkModeOf(profile);
  return {
    toolMode,
    systemRole: profile.systemRole,
    ...(toolMode === profile.toolMode && { resultRole: profile.resultRole }),
    ...(think && { think }),
  };
}

/** The name now refers to another model than the measured one: measure it with the first request. */
function measuredFirst(choice: Choice, deps: OpenDeps): Provider {
  let line: Promise<Provider> | undefined;
  const { stale: _, ...bare } = choice;
  const measure = async (signal: AbortSignal) => {
    deps.notice(
      `${choice.preset.name}/${choice.model} has changed since it was measured; measuring it again.`,
    );
    const profile = await measureModel(bare, deps, { signal: limited(MEASURE_MS, signal) }).catch(() => {
      signal.throwIfAborted();
      // Unmeasured: used like any unknown model.
      return null;
    });
    return open(profile ? { ...bare, profile } : bare, deps);
  };
  const ready = (signal: AbortSignal) => {
    line ??= measure(signal).catch((error: unknown) => {
      line = undefined;
      throw error;
    });
    return line;
  };
  return {
    name: choice.preset.name,
    async *stream(request, signal) {
      yield* (await ready(signal)).stream(request, signal);
    },
    countTokens: async (request, signal) => (await ready(signal)).countTokens(request, signal),
  };
}
