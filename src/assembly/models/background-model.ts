import { complete } from '../../agent/accumulate.ts';
import type { Config } from '../../config/schema/schema.ts';
import { ProviderError } from '../../contract/errors.ts';
import { noUsage, textOf, type Usage } from '../../contract/message.ts';
import type { CompletionRequest, Provider } from '../../contract/provider.ts';
import { knownModels, type PricedModel } from '../../providers/models/models.ts';
import { findPreset } from '../../providers/presets.ts';
import { type Choice, modelInfo } from './choose-model.ts';

/** A model and its provider. */
export type ConnectedModel = { choice: Choice; provider: Provider };

type BackgroundAnswer = {
  text: string;
  usage: Usage;
  /** The model that finally answered, as provider/model. */
  by: string;
  /** It reached the output limit before its end. */
  cut?: boolean;
};

/** For background work: summaries, extraction. Its cost is counted like any other call's. */
export type BackgroundModel = {
  provider: Provider;
  model: string;
  contextWindow: number;
  /** One answer to one prompt; falls back to the main model if the cheaper one fails. */
  complete(prompt: string, options: { maxTokens: number; signal: AbortSignal }): Promise<BackgroundAnswer>;
};

/**
 * `window`: tokens of the prompt and its answer. Null if background work is disabled; work that the user
 * requested is not background work, and falls to the main model.
 */
export type GetBackgroundModel = (need?: {
  window?: number;
  asked?: true;
}) => Promise<BackgroundModel | null>;

export type BackgroundModelDeps = {
  config: Config;
  /** `provider` is guarded and metered. */
  main: ConnectedModel;
  /** Another model of the main model's vendor. */
  beside(choice: Choice): ConnectedModel;
  /** The model of this name, also guarded and metered. */
  open(name: string): Promise<ConnectedModel>;
};

/** Value of `helperModel`. */
export const NO_BACKGROUND_MODEL = 'none';
/** For a prompt of unknown size. */
const USUAL_WINDOW = 32_000;

/** The configured model, or else the cheapest of the same vendor, or else the main one. */
export function backgroundModelOf({ config, main, beside, open }: BackgroundModelDeps): GetBackgroundModel {
  const { helperModel } = config;
  // Unknown names are not tried again with every job.
  const missing = new Set<string>();
  let named: Promise<ConnectedModel | null> | undefined;

  async function cheaper(window: number): Promise<ConnectedModel | null> {
    if (helperModel !== undefined) {
      named ??= open(helperModel).catch(orNull);
      const model = await named;
      return model && model.choice.info.contextWindow >= window ? model : null;
    }
    const info = cheapestOf(main.choice, config, { window });
    return info && beside({ ...main.choice, model: info.id, info });
  }

  return async ({ window = USUAL_WINDOW, asked } = {}) => {
    const isOff = helperModel === NO_BACKGROUND_MODEL;
    if (isOff && !asked) return null;
    const cheap = isOff ? null : await cheaper(window);
    const tried = cheap && !missing.has(nameOf(cheap)) ? [cheap, main] : [main];
    const [first = main] = tried;
    return {
      provider: first.provider,
      model: first.choice.model,
      contextWindow: first.choice.info.contextWindow,
      async complete(prompt, options) {
        for (const model of tried) {
          try {
            return await answer(model, prompt, options);
          } catch (error) {
            const isPermanent = error instanceof ProviderError && PERMANENT.has(error.kind);
            if (isPermanent) missing.add(nameOf(model));
            if (model === main || options.signal.aborted || !(error instanceof ProviderError)) throw error;
          }
        }
        throw new Error('The main model is always tried last.');
      },
    };
  };
}

const PERMANENT: ReadonlySet<string> = new Set([
  'auth',
  'quota',
  'model_not_found',
  'stale_reasoning',
  'bad_request',
]);

async function answer(
  { choice, provider }: ConnectedModel,
  prompt: string,
  { maxTokens, signal }: { maxTokens: number; signal: AbortSignal },
): Promise<BackgroundAnswer> {
  const request = {
    model: choice.model,
    system: '',
    messages: [
      {
        role: 'user' as const,
        content: [{ type: 'text' as const, text: prompt }],
        timestamp: new Date().toISOString(),
      },
    ],
    maxTokens: maxTokens + thinkingRoom(choice.info),
    ...(choice.info.abilities.thinking && { effort: 'low' as const }),
  };
  const reply = await coolly(request, (asked) => complete(provider, asked, signal));
  const text = textOf(reply).trim();
  if (text === '' || reply.stopReason === 'refusal') {
    throw new ProviderError(`${choice.model} did not answer.`, { kind: 'protocol', provider: provider.name });
  }
  const cut = reply.stopReason === 'max_tokens' || reply.stopReason === 'cut';
  return {
    text,
    usage: reply.usage ?? noUsage,
    by: `${choice.preset.name}/${choice.model}`,
    ...(cut && { cut }),
  };
}

/**
 * Vendors count thinking as part of the answer: without an extra allowance, it would use up the answer's
 * limit.
 */
function thinkingRoom({ abilities, contextWindow, maxOutputTokens }: PricedModel): number {
  return abilities.thinking
    ? Math.floor(Math.min(THINKING_TOKENS, maxOutputTokens / 2, contextWindow / 8))
    : 0;
}

const THINKING_TOKENS = 8192;

/** At temperature 0, so that the same job gets the same answer; at the default if the model rejects it. */
async function coolly<T>(
  request: CompletionRequest,
  ask: (request: CompletionRequest) => Promise<T>,
): Promise<T> {
  if (request.effort !== undefined) return ask(request);
  try {
    return await ask({ ...request, temperature: 0 });
  } catch (error) {
    const isRefused = error instanceof ProviderError && error.kind === 'bad_request';
    if (isRefused && /temperature/i.test(error.message)) return ask(request);
    throw error;
  }
}

/**
 * Null if none is cheaper, and if it is unknown which models there are: at a custom server, and at a cloud,
 * where users enable each model.
 */
export function cheapestOf(
  main: Choice,
  config: Config,
  { window, models }: { window: number; models?: RegExp | undefined },
): PricedModel | null {
  const { preset, baseUrl, info } = main;
  const isOwnServer = findPreset(preset.name)?.baseUrl !== baseUrl;
  if (isOwnServer || preset.cloud || info.price === null) return null;
  const owner = preset.tableOf ?? preset.name;
  const [cheapest] = knownModels()
    .filter(({ provider, retired }) => provider === owner && retired === undefined)
    .filter(({ id }) => models?.test(id) ?? true)
    .map((model) => modelInfo(preset, model.id, config))
    .filter((model) => model.contextWindow >= window && priceOfJob(model) < priceOfJob(info))
    .sort((a, b) => priceOfJob(a) - priceOfJob(b));
  return cheapest ?? null;
}

/** For searching the web with the vendor's own tool; null if the main model does not have it. */
export function searchChoice(main: Choice, config: Config): Choice | null {
  const { webSearch } = main.preset;
  if (!webSearch?.models.test(main.model)) return null;
  const info = cheapestOf(main, config, { window: SEARCH_WINDOW, models: webSearch.models });
  return info ? { ...main, model: info.id, info } : main;
}

/** Results of one search take tens of thousands of tokens. */
const SEARCH_WINDOW = 100_000;

/** Background work reads far more than it writes. A model without a price never counts as cheaper. */
function priceOfJob({ price }: PricedModel): number {
  return price ? 8 * price.input + price.output : Number.POSITIVE_INFINITY;
}

function nameOf({ choice }: ConnectedModel): string {
  return `${choice.preset.name}/${choice.model}`;
}

function orNull(error: unknown): null {
  if (error instanceof Error) return null;
  throw error;
}
