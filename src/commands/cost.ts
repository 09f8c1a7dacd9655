import type { ModelCost, PromptCacheUse, SlashCommand } from '../contract/command.ts';
import { shortUsd } from '../contract/limit.ts';
import { grouped } from '../lib/text/counted.ts';

const TITLES = { run: 'This run', session: 'This session', day: 'Today, all sessions' } as const;

export const cost: SlashCommand = {
  name: 'cost',
  forGuests: true,
  description: 'Show tokens and cost by model: this run, this session, today',
  async execute(_args, { spending, cache, print }) {
    const parts = (await spending.costs()).map(({ scope, models }) =>
      [`${TITLES[scope]}: ${totalOf(models)}`, ...models.map((row) => `  ${lineOf(row)}`)].join('\n'),
    );
    print([...parts, ...missesOf(cache?.().misses ?? [])].join('\n'));
  },
};

/** What the vendor read in full although it could have had it in its prompt cache, and why. */
function missesOf(misses: PromptCacheUse['misses']): string[] {
  if (misses.length === 0) return [];
  const lines = misses.map(({ reason, tokens, costUsd }) => {
    const money = costUsd === null ? 'price unknown' : shortUsd(costUsd);
    return `  ${reason}: ${grouped(tokens)} tokens, ${money}`;
  });
  return ['Missed the prompt cache since this program started:', ...lines];
}

function totalOf(models: readonly ModelCost[]): string {
  if (models.length === 0) return 'nothing yet';
  const priced = models.filter(({ usd }) => usd !== null);
  const sum = priced.reduce((total, { usd }) => total + (usd ?? 0), 0);
  if (priced.length === models.length) return shortUsd(sum);
  return priced.length === 0 ? 'price unknown' : `${shortUsd(sum)} plus calls of unknown price`;
}

function lineOf({ model, calls, usage, usd, estimated }: ModelCost): string {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  const cached = cacheReadTokens > 0 ? ` (${grouped(cacheReadTokens)} cached)` : '';
  const money = usd === null ? 'price unknown' : shortUsd(usd);
  const read = `${grouped(inputTokens + cacheReadTokens + cacheWriteTokens)} tokens in${cached}`;
  const times = `${grouped(calls)} ${calls === 1 ? 'call' : 'calls'}`;
  return `${model}: ${times}, ${read}, ${grouped(outputTokens)} out, ${money}${estimated ? ' (partly estimated)' : ''}`;
}
