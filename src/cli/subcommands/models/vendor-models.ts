import { knownModels, type PricedModel, resolveModel } from '../../../providers/models/models.ts';
import { table } from '../context.ts';

/** The row of the model table for a name or an alias; null if it has none. */
export function vendorModel(name: string, providers: readonly string[]): PricedModel | null {
  const { provider, id } = resolveModel(name, providers);
  return knownModels().find((model) => model.provider === provider && model.id === id) ?? null;
}

export function vendorFacts({
  provider,
  id,
  contextWindow,
  maxOutputTokens,
  abilities,
  ...rest
}: PricedModel): string {
  const able = Object.entries(abilities).flatMap(([ability, has]) => (has ? [ability] : []));
  return table([
    ['model', `${provider}/${id}`],
    ['context', `${contextWindow} tokens`],
    ['output', `at most ${maxOutputTokens} tokens`],
    ['price', priceText(rest)],
    ...(rest.long
      ? [['long prompts', `above ${rest.long.above} tokens: ${priceText({ price: rest.long.price })}`]]
      : []),
    ['abilities', able.join(', ') || 'none'],
    ...(rest.retired === undefined ? [] : [['retired', `on ${rest.retired}`]]),
  ]);
}

/** `1.05M context`, `200K context`. */
export function windowText(tokens: number): string {
  const text = tokens < 1_000_000 ? `${Math.round(tokens / 1000)}K` : `${Number((tokens / 1e6).toFixed(2))}M`;
  return `${text} context`;
}

export function priceText({ price }: Pick<PricedModel, 'price'>): string {
  if (!price) return 'price unknown';
  return `${dollars(price.input)} in, ${dollars(price.output)} out per million tokens`;
}

/** `$0.10`, `$10`, `$0.075`. */
function dollars(value: number): string {
  const cents = Math.round(value * 100) / 100;
  return Number.isInteger(value) || cents !== value ? `$${value}` : `$${value.toFixed(2)}`;
}
