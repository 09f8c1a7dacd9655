import { distance } from 'fastest-levenshtein';
import type { Usage } from '../../contract/message.ts';
import type { ModelInfo } from '../../contract/provider.ts';
import { originalOf } from './cloud-names.ts';
import { type Facts, isOffPeak, type OffPeak, type Prices, type Usd } from './facts.ts';
import { modelTable } from './model-table.ts';
import { publishedFacts } from './published-store.ts';

type Price = NonNullable<ModelInfo['price']>;

/** Facts about a model, with the higher price that some vendors charge for long prompts. */
export type PricedModel = ModelInfo & {
  long?: { above: number; price: Price };
  retired?: string;
  offPeak?: OffPeak;
  /** What the price is a multiple of: that of a service tier. Absent if the user set the price. */
  tier?: number;
};

/** The user's overrides, from the config file. */
export type ModelOverrides = Partial<Omit<ModelInfo, 'provider' | 'id' | 'abilities'>> & {
  abilities?: Partial<ModelInfo['abilities']>;
};

const UNKNOWN: Facts = {
  window: 128_000,
  // Enough for a long file; a server with a lower limit says so, and its limit is then used.
  output: 16_384,
  usd: null,
  can: { tools: true, images: false, thinking: false },
};

/**
 * Never fails. A dated or tagged name has the facts of the model it names. A newer sibling of a known model,
 * or a known model at another vendor, has its facts but no price. Unknown models get cautious defaults.
 */
export function infoOf(
  provider: string,
  id: string,
  { overrides = {}, on = today() }: { overrides?: ModelOverrides | undefined; on?: string } = {},
): PricedModel {
  const facts = factsOf(provider, id);
  const prices = pricesOn(on, facts);
  const price = overrides.price ?? priceOf(prices.usd);
  const long = prices.long && overrides.price === undefined ? prices.long : undefined;
  return {
    provider,
    id,
    contextWindow: overrides.contextWindow ?? facts.window,
    maxOutputTokens: overrides.maxOutputTokens ?? facts.output,
    price,
    abilities: { ...facts.can, ...overrides.abilities },
    ...(facts.effort && { effort: facts.effort }),
    ...(price && long ? { long: { above: long.above, price: priceFrom(long.usd) } } : {}),
    ...(facts.retired !== undefined && facts.retired <= on && { retired: facts.retired }),
    ...(facts.offPeak && overrides.price === undefined && { offPeak: facts.offPeak }),
  };
}

/** `on` is a day, such as `2026-12-01`. */
function pricesOn(on: string, facts: Facts): Prices {
  return facts.changes?.findLast(({ from }) => from <= on) ?? facts;
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/**
 * `provider/model`, an alias or a bare name. The text before the first slash is a provider only if it is one
 * of `providers`: `meta-llama/llama-4` is a model name at many vendors.
 */
export function resolveModel(text: string, providers: readonly string[]): { provider?: string; id: string } {
  const { aliases } = modelTable();
  const alias = Object.hasOwn(aliases, text.toLowerCase()) ? aliases[text.toLowerCase()] : undefined;
  const name = alias ?? text;
  const head = providerIn(name, providers);
  if (head !== null) {
    const id = name.slice(head.length + 1);
    const target = Object.hasOwn(aliases, id) ? aliases[id] : undefined;
    return { provider: head, id: target?.startsWith(`${head}/`) ? target.slice(head.length + 1) : id };
  }
  const maker = makerOf(name);
  return maker !== undefined && providers.includes(maker) ? { provider: maker, id: name } : { id: name };
}

/** The provider before the first slash of a model name, if it is one of these. */
export function providerIn(name: string, providers: readonly string[]): string | null {
  const head = name.slice(0, Math.max(0, name.indexOf('/')));
  return head !== '' && providers.includes(head) ? head : null;
}

/** At most three similar names, the closest first; empty if none is close. */
export function nearestModels(text: string): string[] {
  const typed = text.toLowerCase();
  const limit = Math.max(2, Math.floor(typed.length / 3));
  const { aliases, models } = modelTable();
  const known = Object.entries(models).flatMap(([provider, rows]) =>
    Object.keys(rows).map((id) => ({ name: `${provider}/${id}`, forms: [`${provider}/${id}`, id] })),
  );
  return [...Object.keys(aliases).map((name) => ({ name, forms: [name] })), ...known]
    .map(({ name, forms }) => ({
      name,
      steps: Math.min(...forms.map((form) => distance(typed, form.toLowerCase()))),
    }))
    .filter(({ steps }) => steps <= limit)
    .sort((a, b) => a.steps - b.steps)
    .slice(0, 3)
    .map(({ name }) => name);
}

/**
 * US dollars for the usage of one reply (a long prompt may change its price); null if the price is unknown.
 */
export function costOf(usage: Usage, info: PricedModel, at = new Date()): number | null {
  const prompt = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  const price = info.long && prompt > info.long.above ? info.long.price : info.price;
  if (!price) return null;
  const hour = usage.cacheWriteHourTokens ?? 0;
  const factor = info.offPeak && isOffPeak(info.offPeak, at) ? info.offPeak.factor : 1;
  return (
    (factor *
      (usage.inputTokens * price.input +
        usage.outputTokens * price.output +
        usage.cacheReadTokens * price.cacheRead +
        (usage.cacheWriteTokens - hour) * price.cacheWrite +
        hour * (price.cacheWriteHour ?? price.cacheWrite))) /
    1_000_000
  );
}

const MAKERS: readonly (readonly [RegExp, string])[] = [
  [/^claude-/, 'anthropic'],
  [/^(gpt-(?!oss)|o\d(-|$)|codex-|chatgpt-)/, 'openai'],
  [/^gemini-/, 'google'],
  [/^deepseek-/, 'deepseek'],
  [/^kimi-/, 'moonshot'],
  [/^(mistral|codestral|devstral|magistral|ministral)-/, 'mistral'],
  [/^grok-/, 'xai'],
  [/^MiniMax-/, 'minimax'],
  [/^muse-/, 'meta'],
];

function makerOf(id: string): string | undefined {
  const listed = Object.entries(modelTable().models).find(([, rows]) => Object.hasOwn(rows, id))?.[0];
  return listed ?? MAKERS.find(([pattern]) => pattern.test(id))?.[1];
}

/** Resellers' names for vendors. */
const MAKER_NAMES: Readonly<Record<string, string>> = {
  'z-ai': 'zai',
  'zai-org': 'zai',
  'x-ai': 'xai',
  moonshotai: 'moonshot',
  mistralai: 'mistral',
};

/** A row of the table is checked by people; a vendor's own list is about models that are newer. */
function factsOf(provider: string, id: string): Facts {
  const facts = tableFacts(provider, id);
  const published = isListed(provider, id) ? undefined : publishedFacts(provider, id);
  return published ? { ...facts, ...published, can: { ...facts.can, ...published.can } } : facts;
}

/** Whether the table has the model itself, not just one with a similar name. */
export function isListed(provider: string, id: string): boolean {
  const original = originalOf(provider, id) ?? { provider, id };
  return rowOf(provider, id)?.isSame === true || rowOf(original.provider, original.id)?.isSame === true;
}

function tableFacts(provider: string, id: string): Facts {
  const own = lookUp(provider, id);
  if (own) return own;
  const original = originalOf(provider, id);
  const resold = original && lookUp(original.provider, original.id);
  if (resold) return withoutRetirement(resold);
  const slash = id.indexOf('/');
  const head = id.slice(0, Math.max(slash, 0));
  const elsewhere =
    slash > 0
      ? lookUp(MAKER_NAMES[head] ?? head, id.slice(slash + 1).replace(/^(claude-.*\d)\.(\d)/, '$1-$2'))
      : lookUp(makerOf(id) ?? '', id);
  // Resellers set their own prices, and retire models at their own time.
  return elsewhere ? withoutPrice(elsewhere) : UNKNOWN;
}

function withoutPrice({ changes: _, ...facts }: Facts): Facts {
  return { ...withoutRetirement(facts), usd: null };
}

function withoutRetirement({ retired: _, ...facts }: Facts): Facts {
  return facts;
}

/** The row with this name, or with the longest known name that is a prefix of it. */
function lookUp(provider: string, id: string): Facts | undefined {
  const row = rowOf(provider, id);
  return row && (row.isSame ? row.facts : withoutPrice(row.facts));
}

/** `isSame`: the row is about this model; otherwise about an older sibling. */
function rowOf(provider: string, id: string): { facts: Facts; isSame: boolean } | undefined {
  const { models } = modelTable();
  const rows = Object.hasOwn(models, provider) ? models[provider] : undefined;
  if (!rows) return undefined;
  const exact = Object.hasOwn(rows, id) ? rows[id] : undefined;
  if (exact) return { facts: exact, isSame: true };
  const [known, facts] =
    Object.entries(rows)
      .filter(([name]) => id.startsWith(name) && /^[-.:@]/.test(id.slice(name.length)))
      .sort(([a], [b]) => b.length - a.length)[0] ?? [];
  if (known === undefined || facts === undefined) return undefined;
  return { facts, isSame: /^[-@](\d{4}[-\d]*|latest|preview.*)$/.test(id.slice(known.length)) };
}

function priceOf(usd: Usd | null): Price | null {
  return usd ? priceFrom(usd) : null;
}

function priceFrom([input, output, cacheRead = input, cacheWrite = input, cacheWriteHour]: Usd): Price {
  return { input, output, cacheRead, cacheWrite, ...(cacheWriteHour !== undefined && { cacheWriteHour }) };
}

/** The same model at the price of the tier that served a reply, if that is known. */
export function servedAt(model: PricedModel, factor: number | undefined): PricedModel {
  return factor === undefined || model.tier === undefined ? model : atTier(model, factor / model.tier);
}

/** The same model at a multiple of its price. */
export function atTier(model: PricedModel, factor = 1): PricedModel {
  const times = (price: Price): Price =>
    Object.fromEntries(Object.entries(price).map(([kind, usd]) => [kind, usd * factor])) as Price;
  const { price, long, tier = 1 } = model;
  if (factor === 1 || !price) return { ...model, tier };
  return {
    ...model,
    tier: tier * factor,
    price: times(price),
    ...(long && { long: { ...long, price: times(long.price) } }),
  };
}

/** The highest price of each kind among a provider's models, also for long prompts; null if none is known. */
export function dearestPrice(provider: string): Price | null {
  const prices = knownModels()
    .filter((model) => model.provider === provider)
    .flatMap(({ price, long }) => [price, long?.price])
    .filter((price) => price != null);
  if (prices.length === 0) return null;
  const most = (kind: 'input' | 'output' | 'cacheRead' | 'cacheWrite') =>
    Math.max(...prices.map((price) => price[kind]));
  return {
    input: most('input'),
    output: most('output'),
    cacheRead: most('cacheRead'),
    cacheWrite: most('cacheWrite'),
    cacheWriteHour: Math.max(...prices.map((price) => price.cacheWriteHour ?? price.cacheWrite)),
  };
}

/** Every row of the table. */
export function knownModels(): PricedModel[] {
  return Object.entries(modelTable().models).flatMap(([provider, rows]) =>
    Object.keys(rows).map((id) => infoOf(provider, id)),
  );
}
