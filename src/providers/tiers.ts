import type { Tier } from '../contract/request/tier.ts';

/** A vendor's service tiers: their names in requests, and their price as a multiple of the usual one. */
export type Tiers = Readonly<Partial<Record<Tier, { name: string; price: number }>>>;

/** developers.openai.com/api/docs/guides/flex-processing and /priority-processing. */
export const OPENAI_TIERS = {
  flex: { name: 'flex', price: 0.5 },
  standard: { name: 'default', price: 1 },
  priority: { name: 'priority', price: 2 },
} satisfies Tiers;

/** ai.google.dev/gemini-api/docs/optimization; priority costs 1.75 to 2 times as much. */
export const GEMINI_TIERS = {
  flex: { name: 'flex', price: 0.5 },
  standard: { name: 'standard', price: 1 },
  priority: { name: 'priority', price: 2 },
} satisfies Tiers;

/** platform.claude.com/docs/en/api/service-tiers: `auto` uses the priority capacity that an account bought. */
export const ANTHROPIC_TIERS = {
  standard: { name: 'standard_only', price: 1 },
  priority: { name: 'auto', price: 1 },
} satisfies Tiers;

/** platform.minimax.io/docs/guides/pricing. */
export const MINIMAX_TIERS = {
  standard: { name: 'standard', price: 1 },
  priority: { name: 'priority', price: 1.5 },
} satisfies Tiers;

/** The tier that served a reply: another one than requested if that one was full. */
export function servedBy({ service_tier: tier }: { service_tier?: string | null }): { tier?: string } {
  return typeof tier === 'string' ? { tier } : {};
}

/** The tier with this name in requests and replies. */
export function tierNamed(
  { tiers = {} }: { tiers?: Tiers },
  name: string | undefined,
): { name: string; price: number } | undefined {
  return Object.values(tiers).find((tier) => tier.name === name);
}
