import type { SlashCommand } from '../contract/command.ts';
import { formatLimit, grouped, type LimitScope, parseLimits, shortUsd } from '../contract/limit.ts';

const SCOPES: readonly LimitScope[] = ['run', 'session', 'day'];
const WORDS = { run: 'each run', session: 'this session', day: 'today' } as const;

export const budget: SlashCommand = {
  name: 'budget',
  description: 'Show or set what may be spent: /budget $5, /budget run 500k, /budget off',
  async execute(args, { spending, print }) {
    const named = SCOPES.find((scope) => scope === args[0]?.toLowerCase());
    const scope = named ?? 'session';
    const text = args.slice(named ? 1 : 0).join(' ');
    if (text === '') return print(await standing(spending, named));
    if (text.toLowerCase() === 'off') {
      spending.setLimits(scope, []);
      return print(`There is no limit for ${WORDS[scope]} now.`);
    }
    const limits = parseLimits(text);
    if (!limits) return print(`"${text}" is no limit. Write it as $5, 500k tokens or 40 turns.`);
    spending.setLimits(scope, limits);
    print(`The limit for ${WORDS[scope]} is ${limits.map(formatLimit).join(' and ')} now.`);
  },
};

async function standing(
  spending: Parameters<SlashCommand['execute']>[1]['spending'],
  only: LimitScope | undefined,
): Promise<string> {
  const limits = (await spending.limits()).filter(({ scope }) => only === undefined || scope === only);
  if (limits.length === 0) return 'There is no limit. Set one: /budget $5, /budget run 500k.';
  return limits
    .map(({ scope, limit, used }) => {
      const amount = limit.unit === 'usd' ? shortUsd(used) : grouped(used);
      return `${WORDS[scope]}: ${amount} of ${formatLimit(limit)} used`;
    })
    .join('\n');
}
