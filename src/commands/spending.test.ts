import { expect, test } from 'vitest';
import type { CommandContext, ModelCost, Spending } from '../contract/command.ts';
import type { Limit, LimitScope } from '../contract/limit.ts';
import { noUsage } from '../contract/message.ts';
import { budget } from './budget.ts';
import { cost } from './cost.ts';

const row = (model: string, usd: number | null, more: Partial<ModelCost> = {}): ModelCost => ({
  model,
  calls: 2,
  usage: { ...noUsage, inputTokens: 1200, outputTokens: 30 },
  usd,
  estimated: false,
  ...more,
});

function setUp(models: ModelCost[] = []) {
  const printed: string[] = [];
  let limits: { scope: LimitScope; limit: Limit }[] = [];
  const spending: Spending = {
    costs: async () => [
      { scope: 'run', models: [] },
      { scope: 'session', models },
    ],
    limits: async () => limits.map((one) => ({ ...one, used: 12 })),
    setLimits: (scope, wanted) => {
      limits = [...limits.filter((one) => one.scope !== scope), ...wanted.map((limit) => ({ scope, limit }))];
    },
  };
  // The two commands use nothing else.
  const context = { spending, print: (text: string) => printed.push(text) } as unknown as CommandContext;
  const say = async (command: typeof cost, ...args: string[]) => {
    await command.execute(args, context);
    return printed.at(-1);
  };
  return { say };
}

test('/cost lists costs by model, and marks those without a price', async () => {
  const cached = { ...noUsage, inputTokens: 100, cacheReadTokens: 900, outputTokens: 7 };
  const models = [
    row('a/x', 1.5),
    row('b/y', 0.00421, { usage: cached, calls: 1, estimated: true }),
    row('c/z', null),
  ];
  expect(await setUp(models).say(cost)).toBe(
    [
      'This run: nothing yet',
      'This session: $1.50 plus calls of unknown price',
      '  a/x: 2 calls, 1,200 tokens in, 30 out, $1.50',
      '  b/y: 1 call, 1,000 tokens in (900 cached), 7 out, $0.0042 (partly estimated)',
      '  c/z: 2 calls, 1,200 tokens in, 30 out, price unknown',
    ].join('\n'),
  );
  expect(await setUp([row('c/z', null)]).say(cost)).toContain('This session: price unknown');
});

test('/budget shows, sets and removes limits', async () => {
  const { say } = setUp();
  expect(await say(budget)).toBe('No limits set. Set one with /budget $5 or /budget run 500k.');
  expect(await say(budget, '$5')).toBe('Limit for this session: $5.00.');
  expect(await say(budget, 'run', '500k', 'tokens', 'and', '40', 'turns')).toBe(
    'Limit for each run: 500,000 tokens and 40 turns.',
  );
  expect(await say(budget)).toBe(
    'this session: $12.00 of $5.00 used\neach run: 12 of 500,000 tokens used\neach run: 12 of 40 turns used',
  );
  expect(await say(budget, 'much')).toBe('"much" is not a valid limit. Use $5, 500k tokens or 40 turns.');
  expect(await say(budget, 'off')).toBe('Removed the limit for this session.');
  expect(await say(budget, 'session')).toBe('No limits set. Set one with /budget $5 or /budget run 500k.');
});
