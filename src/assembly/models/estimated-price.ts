import { BudgetReachedError } from '../../contract/errors.ts';
import { dearestPrice, type PricedModel } from '../../providers/models/models.ts';
import type { Choice } from './choose-model.ts';

/**
 * A model with the price that limits in dollars count: if its own is unknown, the highest of its vendor, which the user is
 * told once. Still without a price if no price of the vendor is known.
 */
export function createPriceEstimate(warn: (text: string) => void): (choice: Choice) => PricedModel {
  const told = new Set<string>();
  return ({ info, preset, model }) => {
    const price = info.price === null && !preset.local ? dearestPrice(preset.tableOf ?? preset.name) : null;
    if (!price) return info;
    const name = `${preset.name}/${model}`;
    if (!told.has(name))
      warn(
        `The price of ${name} is unknown. Its cost is estimated at the highest price of ${preset.label}: $${price.input} in and $${price.output} out per 1M tokens.`,
      );
    told.add(name);
    return { ...info, price };
  };
}

/** If not even an estimate is possible. */
export function unpriced(model: string): BudgetReachedError {
  return new BudgetReachedError(
    `The price of ${model} is unknown, so a dollar limit cannot be enforced.`,
    `Set the limit in tokens, or set models."${model}".price.`,
  );
}
