import type { Config } from '../../config/schema/schema.ts';
import { type ProviderError, type ProviderErrorKind, UserError } from '../../contract/errors.ts';
import type { AgentEvent } from '../../contract/event.ts';
import type { Provider } from '../../contract/provider.ts';
import type { Quota } from '../../contract/quota.ts';
import type { ToolContext } from '../../contract/tool.ts';
import { type Stand, withFallback } from '../../providers/wrappers/fallback.ts';
import { withOutputLimit } from '../../providers/wrappers/output-limit.ts';
import { withRetry } from '../../providers/wrappers/retry.ts';
import { cheapestOf, type Helper, helperOf, NO_SIDE_JOBS, type ReachedModel } from './background-model.ts';
import type { Budget, Purse } from './budget.ts';
import type { Choice } from './choose-model.ts';
import { observed } from './observed.ts';
import { quotasOf } from './quotas.ts';

export type ModelLinesDeps = {
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
  /** Of each request, and of what the user should know. */
  tell(event: AgentEvent): void;
};

/** Models ready for use: guarded, counted, and asked again where a failure may pass. */
export type ModelLines = {
  /** The one that answers this prompt: a named one, or the main one, unless a row of `routing` says otherwise. */
  forPrompt(prompt: string, model?: string): Promise<ReachedModel>;
  helper: Helper;
  /** For a subagent: a named one, a cheaper one, or the main one. What it costs is counted in its own purse. */
  forSubagent(wanted: { model?: string; cheap?: true }, own: OwnLine): Promise<ReachedModel>;
};

/** What it costs is counted in this purse; its requests are told of here. */
type OwnLine = { purse: Purse; tell(event: AgentEvent): void };

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

export function reachModels(deps: ModelLinesDeps): ModelLines {
  const { config, budget, guard, watch, tell } = deps;
  const notice = (level: 'info' | 'warn', text: string) => tell({ type: 'notice', level, text });
  const limited = quotasOf(deps, notice);
  const bounded = ({ choice, provider }: ReachedModel): ReachedModel => ({
    choice,
    provider: withOutputLimit(provider),
  });
  const first = bounded(deps.main);
  const line = ({ choice, provider }: ReachedModel, purpose: 'main' | 'helper'): ReachedModel => {
    const seen = observed(provider, { choice, purpose, tell });
    const asked = withRetry(limited(budget.metered(seen, { choice, purpose }), choice.preset.name));
    const given = deps.replies?.(asked, { choice, purpose }) ?? asked;
    return { choice, provider: guard(purpose === 'main' ? watch(given) : given) };
  };
  /** Its turns count as any; what it sends says nothing of the conversation's prompt cache. */
  const apart = ({ choice, provider }: ReachedModel, own: OwnLine): ReachedModel => {
    const seen = observed(provider, { choice, purpose: 'main', tell: own.tell });
    const metered = budget.metered(seen, { choice, purpose: 'main', purse: own.purse });
    const asked = withRetry(limited(metered, choice.preset.name));
    return { choice, provider: withFallback(guard(asked), { standIn }) };
  };
  const opened = new Map<string, Promise<ReachedModel>>();
  function open(name: string): Promise<ReachedModel> {
    const found = opened.get(name) ?? (deps.openModel ?? unreachable)(name).then(bounded);
    opened.set(name, found);
    return found;
  }

  const asMain = async (name: string) => line(await open(name), 'main');
  const bare = line(first, 'main');
  const main = { ...bare, provider: withFallback(bare.provider, { standIn }) };
  let agreed: Promise<string | null> | undefined;

  async function standIn(error: ProviderError, signal: AbortSignal): Promise<Stand | null> {
    // Asked once: a no is an answer for the whole conversation.
    agreed ??= config.fallbackModel ? Promise.resolve(config.fallbackModel) : offer(error, signal);
    const name = await agreed;
    const stand = name === null ? null : await tryToOpen(name);
    if (!stand) return null;
    notice('warn', `${withoutStop(error)}. ${nameOf(stand)} answers instead.`);
    const { model, info } = stand.choice;
    return { provider: stand.provider, model, maxOutputTokens: info.maxOutputTokens };
  }

  async function offer(error: ProviderError, signal: AbortSignal): Promise<string | null> {
    const name = deps.ask && ((await deps.otherModel?.(error)) ?? null);
    if (!deps.ask || !name) return null;
    const question = `${withoutStop(error)}. Shall ${name} answer until ${error.provider} is back?`;
    return (await deps.ask({ question, choices: ['yes', 'no'] }, signal)) === 'yes' ? name : null;
  }

  async function tryToOpen(name: string, opening = asMain): Promise<ReachedModel | null> {
    try {
      return await opening(name);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      notice('warn', `${name} cannot be used: ${error.message} ${error.hint}`);
      return null;
    }
  }

  async function cheaper(): Promise<ReachedModel | null> {
    const { helperModel } = config;
    if (helperModel === NO_SIDE_JOBS) return null;
    if (helperModel !== undefined) return tryToOpen(helperModel, open);
    const info = cheapestOf(first.choice, config, EXPLORING_WINDOW);
    return info?.abilities.tools ? { ...first, choice: { ...first.choice, model: info.id, info } } : null;
  }

  return {
    async forSubagent({ model, cheap }, own) {
      const main = apart(first, own);
      const other = model !== undefined ? await tryToOpen(model, open) : cheap ? await cheaper() : null;
      if (!other) return main;
      const { choice, provider } = apart(other, own);
      const { info } = main.choice;
      const stand = {
        provider: main.provider,
        model: main.choice.model,
        maxOutputTokens: info.maxOutputTokens,
      };
      return { choice, provider: withFallback(provider, { kinds: NOT_CHEAP, standIn: async () => stand }) };
    },
    async forPrompt(prompt, model) {
      const named = model === undefined ? null : await tryToOpen(model);
      if (named) return named;
      const row = config.routing.find(({ match }) => new RegExp(match, 'iu').test(prompt));
      const routed = row && (await tryToOpen(row.model));
      if (!row || !routed) return main;
      notice('warn', `${nameOf(routed)} answers this one: the prompt matches ${row.match}.`);
      return { ...routed, provider: withFallback(routed.provider, { standIn }) };
    },
    helper: helperOf({
      config,
      main: line(first, 'helper'),
      beside: (choice) => line({ ...first, choice }, 'helper'),
      open: async (name) => line(await open(name), 'helper'),
    }),
  };
}

async function unreachable(name: string): Promise<never> {
  throw new UserError(`The model ${name} cannot be reached from here.`, 'Only the main model can.');
}

function nameOf({ choice }: ReachedModel): string {
  return `${choice.preset.name}/${choice.model}`;
}

function withoutStop({ message }: ProviderError): string {
  return message.replace(/[.\s]+$/, '');
}
