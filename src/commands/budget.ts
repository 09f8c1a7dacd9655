import type { SlashCommand } from '../contract/command.ts';
import { formatLimit, type LimitScope, parseLimits, shortUsd } from '../contract/limit.ts';
import { grouped } from '../lib/text/counted.ts';

const SCOPES: readonly LimitScope[] = ['run', 'session', 'day'];
const WORDS = { run: 'each run', session: 'this session', day: 'today' } as const;

export const budget: SlashCommand = {
  name: 'budget',
  description: 'Show or set spending limits: /budget $5, /budget run 500k, /budget off',
  async execute(args, { spending, print }) {
    const named = SCOPES.find((scope) => scope === args[0]?.toLowerCase());
    const scope = named ?? 'session';
    const text = args.slice(named ? 1 : 0).join(' ');
    if (text === '') return print(await standing(spending, named));
    if (text.toLowerCase() === 'off') {
      spending.setLimits(scope, []);
      return print(`Removed the limit for ${WORDS[scope]}.`);
    }
    const limits = parseLimits(text);
    if (!limits) return print(`"${text}" is not a valid limit. Use $5, 500k tokens or 40 turns.`);
    spending.setLimits(scope, limits);
    print(`Limit for ${WORDS[scope]}: ${limits.map(formatLimit).join(' and ')}.`);
  },
};

async function standing(
  spending: Parameters<SlashCommand['execute']>[1]['spending'],
  only: LimitScope | undefined,
): Promise<string> {
  const limits = (await spending.limits()).filter(({ scope }) => only === undefined || scope === only);
  if (limits.length === 0) return 'No limits set. Set one with /budget $5 or /budget run 500k.';
  return limits
    .map(({ scope, limit, used }) => {
      const amount = limit.unit === 'usd' ? shortUsd(used) : grouped(used);
      return `${WORDS[scope]}: ${amount} of ${formatLimit(limit)} used`;
    })
    .join('\n');
}
