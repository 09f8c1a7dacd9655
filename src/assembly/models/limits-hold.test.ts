import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TEXTS, TOKENIZERS } from '../../../test/support/real-tokenizers.ts';
import { scripted } from '../../../test/support/scripted.ts';
import { sweep } from '../../../test/support/soak.ts';
import { workspace } from '../../../test/support/workspace.ts';
import { BudgetReachedError } from '../../contract/errors.ts';
import type { Message } from '../../contract/message.ts';
import type { CompletionRequest, Provider } from '../../contract/provider.ts';
import { infoOf } from '../../providers/models/models.ts';
import { findPreset } from '../../providers/presets.ts';
import { Budget } from './budget.ts';
import type { Choice } from './choose-model.ts';

const preset = findPreset('anthropic');
if (!preset) throw new Error('no preset');
const model = 'claude-sonnet-4-5';
const choice: Choice = { preset, baseUrl: '', model, info: infoOf('anthropic', model), key: null };
const price = choice.info.price ?? { input: 0, output: 0 };
const timestamp = '2026-01-01T00:00:00.000Z';

type Bill = { tokens: number; usd: number; calls: number };

/** A vendor with a real tokenizer that writes as much as it may. It may end a reply before it reports any usage. */
function vendor(
  count: (text: string) => number,
  { canCount, cuts = false, system }: { canCount: boolean; cuts?: boolean; system: string },
): { provider: Provider; bill: Bill } {
  const bill: Bill = { tokens: 0, usd: 0, calls: 0 };
  const promptOf = ({ messages }: CompletionRequest) =>
    count(system) + 3 + messages.reduce((sum, message) => sum + 4 + count(textIn(message)), 0);
  const provider: Provider = {
    ...scripted(),
    countTokens: async (request) => (canCount ? promptOf(request) : null),
    async *stream(request) {
      const [inputTokens, outputTokens] = [promptOf(request), Math.min(request.maxTokens ?? 0, 400)];
      bill.calls += 1;
      bill.tokens += inputTokens + outputTokens;
      bill.usd += (inputTokens * price.input + outputTokens * price.output) / 1e6;
      yield { type: 'text', text: '~'.repeat(outputTokens) };
      if (cuts) throw new Error('connection lost');
      yield { type: 'usage', usage: { inputTokens, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0 } };
      yield { type: 'stop', reason: 'end' };
    },
  };
  return { provider, bill };
}

function textIn({ content }: Message): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** A conversation that grows by these texts until the limit ends it. */
async function converse(
  { provider, bill }: ReturnType<typeof vendor>,
  { run, system, texts }: { run: string; system: string; texts: readonly string[] },
): Promise<Bill> {
  const { home } = await workspace();
  const deps = { folder: path.join(home, 'ledger'), session: { id: 's' }, limits: { run } };
  const budget = new Budget({ ...deps, notice: () => undefined, progressSummary: () => '' });
  const metered = budget.metered(provider, { choice, purpose: 'main' });
  const messages: Message[] = [];
  for (let turn = 0; turn < 60; turn++) {
    const text = texts[turn % texts.length] ?? '';
    messages.push({ role: 'user', content: [{ type: 'text', text }], timestamp });
    let reply = '';
    try {
      const request = { model, system, messages: [...messages], maxTokens: 400 };
      for await (const event of metered.stream(request, new AbortController().signal))
        if (event.type === 'text') reply += event.text;
    } catch (error) {
      if (error instanceof BudgetReachedError) return bill;
      if ((error as Error).message !== 'connection lost') throw error;
    }
    const content = [{ type: 'text' as const, text: reply }];
    messages.push({ role: 'assistant', content, provider: 'p', model, stopReason: 'end', timestamp });
  }
  return bill;
}

const tokenizers = fc.constantFrom(...Object.values(TOKENIZERS));
const limits = fc.integer({ min: 3_000, max: 20_000 });

describe.each(Object.entries(TEXTS))('[U14] a limit holds for %s', (_, kind) => {
  sweep([1, 10])(
    '%i conversations, in tokens and in dollars, with and without a vendor that counts',
    async (numRuns) => {
      const texts = fc.array(kind, { minLength: 1, maxLength: 4 });
      await fc.assert(
        fc.asyncProperty(
          texts,
          tokenizers,
          limits,
          fc.boolean(),
          fc.boolean(),
          async (texts, count, limit, canCount, cuts) => {
            const system = texts[0] ?? '';
            const usd = (limit * price.input) / 1e6;
            const inTokens = await converse(vendor(count, { canCount, cuts, system }), {
              run: `${limit} tokens`,
              system,
              texts,
            });
            const inDollars = await converse(vendor(count, { canCount, cuts, system }), {
              run: `$${usd}`,
              system,
              texts,
            });
            expect(inTokens.tokens).toBeLessThanOrEqual(limit);
            expect(inDollars.usd).toBeLessThanOrEqual(usd);
          },
        ),
        { numRuns },
      );
    },
  );
});

describe('an everyday conversation uses most of its limit', () => {
  const system = 'You are a careful engineer. Read the files before you change them. '.repeat(60);
  const texts = [
    'The tests of the parser fail since yesterday, and I do not know which change did it. '.repeat(8),
  ];

  test.each([
    ['counts', true],
    ['does not count', false],
  ])('with a vendor that %s', async (_, canCount) => {
    const { tokens } = await converse(
      vendor(TOKENIZERS['OpenAI cl100k'] as (text: string) => number, { canCount, system }),
      {
        run: '30k tokens',
        system,
        texts,
      },
    );
    expect(tokens).toBeLessThanOrEqual(30_000);
    expect(tokens).toBeGreaterThan(0.8 * 30_000);
  });

  test('a small limit is no reason to refuse what the vendor counts as less', async () => {
    const one = async (canCount: boolean) =>
      (
        await converse(vendor(TOKENIZERS.Anthropic as (text: string) => number, { canCount, system }), {
          run: '2500 tokens',
          system,
          texts,
        })
      ).calls;
    expect({ counted: (await one(true)) > 0, bytes: await one(false) }).toEqual({ counted: true, bytes: 0 });
  });
});
