import { appendFileSync } from 'node:fs';
import { openSharedBudget } from '../../src/app/opening/shared-budget.ts';
import { Budget } from '../../src/assembly/models/budget.ts';
import { ProviderError } from '../../src/contract/errors.ts';
import type { Provider } from '../../src/contract/provider.ts';
import { infoOf } from '../../src/providers/models/models.ts';
import { findPreset } from '../../src/providers/presets.ts';

/**
 * Makes calls under a shared budget: DESCRIPTION CHARGES OUTCOMES. `DESCRIPTION` is the budget's file; what the
 * vendor charges for each call is appended to the file `CHARGES` as tokens and dollars; `OUTCOMES` is the JSON
 * of how calls end. Prints how many calls were rejected by the budget.
 */
const [description = '', charges = '', outcomes = '[]'] = process.argv.slice(2);
const preset = findPreset('anthropic');
if (!preset) throw new Error('There is no preset named anthropic.');
const model = 'claude-sonnet-4-5';
const choice = { preset, baseUrl: preset.baseUrl, model, info: infoOf('anthropic', model), key: null };
const shared = await openSharedBudget({ AI_ASSISTANT_SHARED_BUDGET: description });
const budget = new Budget({
  folder: `${charges}.ledger`,
  session: { id: 'one' },
  limits: {},
  notice: () => undefined,
  progressSummary: () => '',
  shared,
});

type Outcome = 'answer' | 'short' | 'cut' | 'refused' | 'killed';

function vendor(outcome: Outcome): Provider {
  const charge = (output: number) =>
    appendFileSync(charges, `${500 + output} ${(500 * 3 + output * 15) / 1e6}\n`);
  return {
    name: 'vendor',
    countTokens: async () => null,
    async *stream({ maxTokens = 0 }) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      if (outcome === 'refused')
        throw new ProviderError('no', { kind: 'server_error', provider: 'vendor', status: 500 });
      const outputTokens = outcome === 'short' ? 3 : maxTokens;
      charge(outputTokens);
      if (outcome === 'killed') process.kill(process.pid, 'SIGKILL');
      yield { type: 'text', text: 'Hm' };
      if (outcome === 'cut') throw new ProviderError('cut', { kind: 'cut', provider: 'vendor' });
      yield {
        type: 'usage',
        usage: { inputTokens: 500, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0 },
      };
      yield { type: 'stop', reason: 'end' };
    },
  };
}

// A token has at least one byte.
const content = [{ type: 'text' as const, text: 'x'.repeat(500) }];
const request = {
  model,
  system: '',
  messages: [{ role: 'user' as const, content, timestamp: '' }],
  maxTokens: 300,
};
let rejected = 0;
const calls = (JSON.parse(outcomes) as Outcome[]).map(async (outcome) => {
  const provider = budget.metered(vendor(outcome), { choice, purpose: 'main' });
  try {
    for await (const _event of provider.stream(request, new AbortController().signal));
  } catch (error) {
    if ((error as Error).name === 'BudgetReachedError') rejected += 1;
    else if (!(error instanceof ProviderError)) throw error;
  }
});
await Promise.all(calls);
await shared?.close();
process.stdout.write(String(rejected));
