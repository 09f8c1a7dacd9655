import type { Config } from '../../config/schema/schema.ts';
import { type ProviderError, type ProviderErrorKind, UserError } from '../../contract/errors.ts';
import type { AgentEvent } from '../../contract/event.ts';
import type { ModelInfo, Provider } from '../../contract/provider.ts';
import type { Quota } from '../../contract/quota.ts';
import type { SharedBudget } from '../../contract/shared-budget.ts';
import type { ToolContext } from '../../contract/tool.ts';
import { withFallback } from '../../providers/wrappers/fallback.ts';
import { withFlexPatience } from '../../providers/wrappers/flex.ts';
import { withOutputLimit } from '../../providers/wrappers/output-limit.ts';
import { withRetry } from '../../providers/wrappers/retry.ts';
import {
  backgroundModelOf,
  type ConnectedModel,
  cheapestOf,
  type GetBackgroundModel,
  NO_BACKGROUND_MODEL,
  searchChoice,
} from './background-model.ts';
import type { Budget, CallCosts } from './budget.ts';
import { type Choice, tierOf } from './choose-model.ts';
import { withEffortNotice } from './effort.ts';
import { createFallback, fallbackOf, nameOf, openOrWarn } from './fallback-model.ts';
import { observed } from './observed.ts';
import { connectOrOlder } from './older-model.ts';
import { quotasOf } from './quotas.ts';
import { type SummarizeAtVendor, summarizerAtVendor } from './vendor-summary.ts';

export type ModelDeps = {
  config: Config;
  dataRoot: string;
  /** Counts quotas across several machines. */
  quota?: Quota;
  /** The budget of the batch that the session belongs to. */
  shared?: SharedBudget;
  /** As chosen, without wrappers such as retries. */
  main: ConnectedModel;
  /** Any model by name, without wrappers. Absent if only the main model is reachable. */
  openModel?(name: string): Promise<ConnectedModel>;
  /** A model of another vendor to offer after this failure; null if there is none. */
  otherModel?(error: ProviderError): Promise<string | null>;
  /** Absent in headless sessions. */
  ask?: ToolContext['ask'];
  budget: Pick<Budget, 'metered'>;
  /** Redacts secrets. */
  guard(provider: Provider): Provider;
  /** Observes requests to the main model. */
  watch(provider: Provider, price: ModelInfo['price']): Provider;
  /** Serves cached replies. */
  replies?(provider: Provider, of: { choice: Choice; purpose: 'main' | 'helper' }): Provider;
  /** Receives an event per request, and notices for the user. */
  emit(event: AgentEvent): void;
};

/** Models ready for use: guarded, metered, and with retries of transient failures. */
export type Models = {
  /** The model of the current run, or of the last one. */
  current(): Choice;
  /** The model for this prompt: a named one, or the main one, unless a `routing` rule matches. */
  forPrompt(prompt: string, model?: string): Promise<ConnectedModel>;
  backgroundModel: GetBackgroundModel;
  /** By the vendor of the current model. */
  summarizeAtVendor: SummarizeAtVendor;
  /** The vendor's cheapest model that can search the web; null if none of the vendor's can. */
  searchModel(): ConnectedModel | null;
  /** For a subagent: a named one, a cheaper one, or the main one. Its calls count in its own costs. */
  forSubagent(wanted: { model?: string; cheap?: true }, own: OwnAccount): Promise<ConnectedModel>;
};

/** Where its calls are counted, and where its requests are reported. */
type OwnAccount = { costs: CallCosts; emit(event: AgentEvent): void };

/** Enough for what a subagent reads while exploring. */
const EXPLORING_WINDOW = 100_000;
/** After any of these the main model replaces the cheaper one. */
const NOT_CHEAP: ReadonlySet<ProviderErrorKind> = new Set([
  'auth',
  'quota',
  'rate_limit',
  'overloaded',
  'server_error',
  'timeout',
  'network',
  'model_not_found',
  'stale_reasoning',
  'bad_request',
]);

export function connectModels(deps: ModelDeps): Models {
  const { config, budget, guard, watch, emit } = deps;
  const notice = (level: 'info' | 'warn', text: string) => emit({ type: 'notice', level, text });
  const warn = (text: string) => notice('warn', text);
  const limited = quotasOf(deps, notice);
  const bounded = ({ choice, provider }: ConnectedModel): ConnectedModel => ({
    choice,
    provider: withOutputLimit(provider),
  });
  const first = bounded(deps.main);
  const patient = (provider: Provider) => (config.tier === 'flex' ? withFlexPatience(provider) : provider);
  warnOfMissingTier(deps, warn);
  const noticed = withEffortNotice((text) => notice('info', text));
  const connect = (
    { choice, provider: bare }: ConnectedModel,
    purpose: 'main' | 'helper',
  ): ConnectedModel => {
    const seen = observed(bare, { choice, purpose, emit });
    const metered = limited(budget.metered(seen, { choice, purpose }), choice.preset.name);
    const asked = withRetry(patient(metered), { restarts: purpose === 'helper' });
    const cached = deps.replies?.(asked, { choice, purpose }) ?? asked;
    const provider = guard(purpose === 'main' ? watch(cached, choice.info.price) : cached);
    return { choice, provider: purpose === 'main' ? noticed({ choice, provider }) : provider };
  };
  const opened = new Map<string, Promise<ConnectedModel>>();
  function open(name: string): Promise<ConnectedModel> {
    const found = opened.get(name) ?? (deps.openModel ?? unreachable)(name).then(bounded);
    opened.set(name, found);
    return found;
  }
  const tryToOpen = (name: string) => openOrWarn(name, async (one) => connect(await open(one), 'main'), warn);
  const fallback = createFallback({ ...deps, fallbackModel: config.fallbackModel, tryToOpen, warn });
  /** Its turns count like any others; its requests say nothing about the conversation's prompt cache. */
  const connectSubagent = ({ choice, provider }: ConnectedModel, own: OwnAccount): ConnectedModel => {
    const seen = observed(provider, { choice, purpose: 'main', emit: own.emit });
    const metered = budget.metered(seen, { choice, purpose: 'main', costs: own.costs });
    const asked = withRetry(patient(limited(metered, choice.preset.name)));
    const noted = noticed({ choice, provider: guard(asked) });
    return { choice, provider: withFallback(noted, { fallback }) };
  };
  const connectFirst = connectOrOlder(first, config, warn);
  const bare = connectFirst((model) => connect(model, 'main'));
  const main = {
    ...bare,
    provider: withFallback(bare.provider, { fallback, offered: config.fallbackModel }),
  };
  let current: ConnectedModel = main;

  async function cheaper(): Promise<ConnectedModel | null> {
    const { helperModel } = config;
    if (helperModel === NO_BACKGROUND_MODEL) return null;
    if (helperModel !== undefined) return openOrWarn(helperModel, open, warn);
    const info = cheapestOf(first.choice, config, { window: EXPLORING_WINDOW });
    return info?.abilities.tools ? { ...first, choice: { ...first.choice, model: info.id, info } } : null;
  }

  async function modelFor(prompt: string, model?: string): Promise<ConnectedModel> {
    const named = model === undefined ? null : await tryToOpen(model);
    if (named) return named;
    const row = config.routing.find(({ match }) => new RegExp(match, 'iu').test(prompt));
    const routed = row && (await tryToOpen(row.model));
    if (!row || !routed) return main;
    warn(`Using ${nameOf(routed)} for this prompt: it matches ${row.match}.`);
    return { ...routed, provider: withFallback(routed.provider, { fallback }) };
  }

  return {
    current: () => current.choice,
    async forPrompt(prompt, model) {
      current = await modelFor(prompt, model);
      return current;
    },
    async forSubagent({ model, cheap }, own) {
      const main = connectFirst((model) => connectSubagent(model, own));
      const other =
        model === undefined ? (cheap ? await cheaper() : null) : await openOrWarn(model, open, warn);
      if (!other) return main;
      const { choice, provider } = connectSubagent(other, own);
      return {
        choice,
        provider: withFallback(provider, { kinds: NOT_CHEAP, fallback: async () => fallbackOf(main) }),
      };
    },
    searchModel() {
      const choice = searchChoice(first.choice, config);
      return choice && connect({ ...first, choice }, 'helper');
    },
    summarizeAtVendor: config.vendorSummaries ? summarizerAtVendor(() => current) : async () => null,
    backgroundModel: backgroundModelOf({
      config,
      main: connectFirst((model) => connect(model, 'helper')),
      beside: (choice) => connect({ ...first, choice }, 'helper'),
      open: async (name) => connect(await open(name), 'helper'),
    }),
  };
}

function warnOfMissingTier({ config, main }: ModelDeps, warn: (text: string) => void): void {
  const { preset } = main.choice;
  if (config.tier !== undefined && config.tier !== 'standard' && !tierOf(preset, config))
    warn(`${preset.label} has no ${config.tier} tier: requests are sent at the standard one.`);
}

async function unreachable(name: string): Promise<never> {
  throw new UserError(`The model ${name} is not available here.`, 'Only the main model is.');
}
