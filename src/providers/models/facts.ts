import type { EffortLevels } from '../../contract/request/effort.ts';

/**
 * US dollars per million tokens: input, output, cache read, cache write, and a cache write that lasts an hour. Missing
 * prices equal the input price; without the last, there is no such cache.
 */
export type Usd = readonly [
  input: number,
  output: number,
  cacheRead?: number,
  cacheWrite?: number,
  cacheWriteHour?: number,
];

/** `long` is the price of a request whose prompt exceeds `above` tokens. */
export type Prices = { usd: Usd | null; long?: { above: number; usd: Usd } };

/** At other times than `peak` (hours in UTC, Monday to Friday), prices are multiplied by the factor. */
export type OffPeak = { factor: number; peak: readonly (readonly [from: number, to: number])[] };

/** Holidays of the vendor are not known: they count as peak. */
export function isOffPeak({ peak }: OffPeak, at: Date): boolean {
  const isWeekend = at.getUTCDay() === 0 || at.getUTCDay() === 6;
  const hour = at.getUTCHours();
  return isWeekend || !peak.some(([from, to]) => from <= hour && hour < to);
}

export type Facts = Prices & {
  window: number;
  output: number;
  can: { tools: boolean; images: boolean; thinking: boolean };
  /** How hard it thinks; absent if unknown. */
  effort?: EffortLevels;
  /** Prices that apply from a day on, oldest first. */
  changes?: readonly (Prices & { from: string })[];
  offPeak?: OffPeak;
  /** The day the vendor stops to offer it; gateways may still have it. */
  retired?: string;
};

export type ModelTable = {
  /** The day the figures were last compared with their sources. */
  date: string;
  /** Where each vendor publishes its models and prices. */
  sources: Readonly<Record<string, string>>;
  /** By provider and model. A model's vendor comes before its resellers. */
  models: Readonly<Record<string, Readonly<Record<string, Facts>>>>;
  /** Short names for each vendor's current models. */
  aliases: Readonly<Record<string, string>>;
};

export const TEXT = { tools: true, images: false, thinking: false };
export const SEES = { tools: true, images: true, thinking: false };
export const THINKS = { tools: true, images: false, thinking: true };
export const ALL = { tools: true, images: true, thinking: true };

export const LOW_TO_HIGH: EffortLevels = { levels: ['low', 'medium', 'high'] };
/** Thinks as much as it does. */
export const NO_EFFORT: EffortLevels = { levels: [] };
/** Kimi K3 and GLM 5.3, also at resellers. */
export const LOW_HIGH_MAX: EffortLevels = { levels: ['low', 'high', 'max'], default: 'max' };
