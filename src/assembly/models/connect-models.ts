import type { Config } from '../../config/schema/schema.ts';
import { type ProviderError, type ProviderErrorKind, UserError } from '../../contract/errors.ts';
import type { AgentEvent } from '../../contract/event.ts';
import type { Provider } from '../../contract/provider.ts';
import type { Quota } from '../../contract/quota.ts';
import type { ToolContext } from '../../contract/tool.ts';
import { withFallback } from '../../providers/wrappers/fallback.ts';
import { withOutputLimit } from '../../providers/wrappers/output-limit.ts';
import { withRetry } from '../../providers/wrappers/retry.ts';
import { cheapestOf, type Helper, helperOf, NO_SIDE_JOBS, type ReachedModel } from './background-model.ts';
import type { Budget, Purse } from './budget.ts';
import type { Choice } from './choose-model.ts';
import { observed } from './observed.ts';
import { quotasOf } from './quotas.ts';
import { createStandIn, nameOf, openOrWarn, standOf } from './stand-in.ts';

export type ModelDeps = {
  config: Config;
  dataRoot: string;
  /** Counts what quotas limit, for several machines. */
  quota?: Quota;
  /** As it was chosen: bare, without retries. */
  main: ReachedModel;
  /** Any model by name, bare. Absent where only the main one can be reached. */
  openModel?(name: string): Promise<ReachedModel>;
  /** The name of a model of another vendor that could be asked after this failure; null when there is none. */
  otherModel?(error: ProviderError): Promise<string | null>;
  /** Absent when nobody is there to be asked. */
  ask?: ToolContext['ask'];
  budget: Pick<Budget, 'metered'>;
  /** Keeps secrets in. */
  guard(provider: Provider): Provider;
  /** Sees what is asked of the main model. */
  watch(provider: Provider): Provider;
  /** Gives replies again that are kept. */
  replies?(provider: Provider, of: { choice: Choice; purpose: 'main' | 'helper' }): Provider;
  /** Receives each request, and what the user should know. */
  emit(event: AgentEvent): void;
};

/** Models ready for use: guarded, counted, and asked again where a failure may pass. */
export type Models = {
  /** The model of the run under way, or of the last one. */
  current(): Choice;
  /** The one that answers this prompt: a named one, or the main one, unless a row of `routing` says otherwise. */
  forPrompt(prompt: string, model?: string): Promise<ReachedModel>;
  helper: Helper;
  /** For a subagent: a named one, a cheaper one, or the main one. What it costs is counted in its own purse. */
  forSubagent(wanted: { model?: string; cheap?: true }, own: OwnAccount): Promise<ReachedModel>;
};

/** What it costs is counted in this purse; its requests are told of here. */
type OwnAccount = { purse: Purse; tell(event: AgentEvent): void };

/** Room for what a subagent reads while it looks around. */
const EXPLORING_WINDOW = 100_000;
/** After any of these the main model goes on with what the cheaper one could not do. */
const NOT_CHEAP: ReadonlySet<ProviderErrorKind> = new Set([
  'auth',
  'quota',
  'rate_limit',
  'overloaded',
  'server_error',
  'timeout',
  'network',
  'model_not_found',
  'bad_request',
]);

export function connectModels(deps: ModelDeps): Models {
  const { config, budget, guard, watch, emit } = deps;
  const notice = (level: 'info' | 'warn', text: string) => emit({ type: 'notice', level, text });
  const warn = (text: string) => notice('warn', text);
  const limited = quotasOf(deps, notice);
  const bounded = ({ choice, provider }: ReachedModel): ReachedModel => ({
    choice,
    provider: withOutputLimit(provider),
  });
  const first = bounded(deps.main);
  const connect = ({ choice, provider }: ReachedModel, purpose: 'main' | 'helper'): ReachedModel => {
    const seen = observed(provider, { choice, purpose, tell: emit });
    const asked = withRetry(limited(budget.metered(seen, { choice, purpose }), choice.preset.name));
    const cached = deps.replies?.(asked, { choice, purpose }) ?? asked;
    return { choice, provider: guard(purpose === 'main' ? watch(cached) : cached) };
  };
  const opened = new Map<string, Promise<ReachedModel>>();
  function open(name: string): Promise<ReachedModel> {
    const found = opened.get(name) ?? (deps.openModel ?? unreachable)(name).then(bounded);
    opened.set(name, found);
    return found;
  }
  const tryToOpen = (name: string) => openOrWarn(name, async (one) => connect(await open(one), 'main'), warn);
  const standIn = createStandIn({ ...deps, fallbackModel: config.fallbackModel, tryToOpen, warn });
  /** Its turns count as any; what it sends says nothing of the conversation's prompt cache. */
  const connectSubagent = ({ choice, provider }: ReachedModel, own: OwnAccount): ReachedModel => {
    const seen = observed(provider, { choice, purpose: 'main', tell: own.tell });
    const metered = budget.metered(seen, { choice, purpose: 'main', purse: own.purse });
    const asked = withRetry(limited(metered, choice.preset.name));
    return { choice, provider: withFallback(guard(asked), { standIn }) };
  };
  const bare = connect(first, 'main');
  const main = { ...bare, provider: withFallback(bare.provider, { standIn }) };
  let current = main.choice;

  async function cheaper(): Promise<ReachedModel | null> {
    const { helperModel } = config;
    if (helperModel === NO_SIDE_JOBS) return null;
    if (helperModel !== undefined) return openOrWarn(helperModel, open, warn);
    const info = cheapestOf(first.choice, config, EXPLORING_WINDOW);
    return info?.abilities.tools ? { ...first, choice: { ...first.choice, model: info.id, info } } : null;
  }

  async function modelFor(prompt: string, model?: string): Promise<ReachedModel> {
    const named = model === undefined ? null : await tryToOpen(model);
    if (named) return named;
    const row = config.routing.find(({ match }) => new RegExp(match, 'iu').test(prompt));
    const routed = row && (await tryToOpen(row.model));
    if (!row || !routed) return main;
    warn(`${nameOf(routed)} answers this one: the prompt matches ${row.match}.`);
    return { ...routed, provider: withFallback(routed.provider, { standIn }) };
  }

  return {
    current: () => current,
    async forPrompt(prompt, model) {
      const answering = await modelFor(prompt, model);
      current = answering.choice;
      return answering;
    },
    async forSubagent({ model, cheap }, own) {
      const main = connectSubagent(first, own);
      const other =
        model === undefined ? (cheap ? await cheaper() : null) : await openOrWarn(model, open, warn);
      if (!other) return main;
      const { choice, provider } = connectSubagent(other, own);
      return {
        choice,
        provider: withFallback(provider, { kinds: NOT_CHEAP, standIn: async () => standOf(main) }),
      };
    },
    helper: helperOf({
      config,
      main: connect(first, 'helper'),
      beside: (choice) => connect({ ...first, choice }, 'helper'),
      open: async (name) => connect(await open(name), 'helper'),
    }),
  };
}

async function unreachable(name: string): Promise<never> {
  throw new UserError(`The model ${name} cannot be reached from here.`, 'Only the main model can.');
}
