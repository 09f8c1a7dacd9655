import { complete } from '../../agent/accumulate.ts';
import type { Config } from '../../config/schema/schema.ts';
import { ProviderError } from '../../contract/errors.ts';
import { noUsage, textOf, type Usage } from '../../contract/message.ts';
import type { CompletionRequest, Provider } from '../../contract/provider.ts';
import { knownModels, type PricedModel } from '../../providers/models/models.ts';
import { findPreset } from '../../providers/presets.ts';
import { type Choice, modelInfo } from './choose-model.ts';

/** A model and the provider that answers for it. */
export type ConnectedModel = { choice: Choice; provider: Provider };

type BackgroundAnswer = {
  text: string;
  usage: Usage;
  /** As provider/model: who answered in the end. */
  by: string;
  /** It reached its limit before its end. */
  cut?: boolean;
};

/** Does background work: summaries, extraction. Its cost is counted like that of any other call. */
export type BackgroundModel = {
  provider: Provider;
  model: string;
  contextWindow: number;
  /** One answer to one prompt; the main model is asked where the cheaper one fails. */
  complete(prompt: string, options: { maxTokens: number; signal: AbortSignal }): Promise<BackgroundAnswer>;
};

/**
 * `window` is what the prompt and its answer will take, in tokens. Null when background work is switched off; what the
 * user asked for is none, and the main model does it then.
 */
export type GetBackgroundModel = (need?: {
  window?: number;
  asked?: true;
}) => Promise<BackgroundModel | null>;

export type BackgroundModelDeps = {
  config: Config;
  /** `provider` is guarded and counted, as all that leaves is. */
  main: ConnectedModel;
  /** Another model of the main one's vendor. */
  beside(choice: Choice): ConnectedModel;
  /** The model of this name, guarded and counted, too. */
  open(name: string): Promise<ConnectedModel>;
};

/** For `helperModel`. */
export const NO_BACKGROUND_MODEL = 'none';
/** Room for a prompt of unknown size. */
const USUAL_WINDOW = 32_000;

/** The model the user named for it, or else the cheapest one the same vendor has, or else the main one. */
export function backgroundModelOf({ config, main, beside, open }: BackgroundModelDeps): GetBackgroundModel {
  const { helperModel } = config;
  // A name that proved wrong is not tried with every job.
  const missing = new Set<string>();
  let named: Promise<ConnectedModel | null> | undefined;

  async function cheaper(window: number): Promise<ConnectedModel | null> {
    if (helperModel !== undefined) {
      named ??= open(helperModel).catch(orNull);
      const model = await named;
      return model && model.choice.info.contextWindow >= window ? model : null;
    }
    const info = cheapestOf(main.choice, config, window);
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
            const lasting = error instanceof ProviderError && LASTING.has(error.kind);
            if (lasting) missing.add(nameOf(model));
            if (model === main || options.signal.aborted || !(error instanceof ProviderError)) throw error;
          }
        }
        throw new Error('The main model is always the last one asked.');
      },
    };
  };
}

const LASTING: ReadonlySet<string> = new Set(['auth', 'quota', 'model_not_found', 'bad_request']);

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
    throw new ProviderError(`${choice.model} gave no answer.`, { kind: 'protocol', provider: provider.name });
  }
  const cut = reply.stopReason === 'max_tokens' || reply.stopReason === 'cut';
  return {
    text,
    usage: reply.usage ?? noUsage,
    by: `${choice.preset.name}/${choice.model}`,
    ...(cut && { cut }),
  };
}

/** Vendors count thoughts as part of the answer: without room of their own, they would eat it. */
function thinkingRoom({ abilities, contextWindow, maxOutputTokens }: PricedModel): number {
  return abilities.thinking
    ? Math.floor(Math.min(THINKING_TOKENS, maxOutputTokens / 2, contextWindow / 8))
    : 0;
}

const THINKING_TOKENS = 8192;

/** At temperature 0, so that the same job has the same answer; as the model is set by itself, where it refuses one. */
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
 * Null when there is none cheaper, and where the vendor's name stands for another server: which models that one has
 * is not for us to guess.
 */
export function cheapestOf(main: Choice, config: Config, window: number): PricedModel | null {
  const { preset, baseUrl, info } = main;
  if (findPreset(preset.name)?.baseUrl !== baseUrl || info.price === null) return null;
  const owner = preset.tableOf ?? preset.name;
  const [cheapest] = knownModels
    .filter((model) => model.provider === owner)
    .map((model) => modelInfo(preset, model.id, config))
    .filter((model) => model.contextWindow >= window && priceOfJob(model) < priceOfJob(info))
    .sort((a, b) => priceOfJob(a) - priceOfJob(b));
  return cheapest ?? null;
}

/** Background work reads far more than it writes. Without a price, no model is the cheaper one. */
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
