import { Budget } from '../../src/assembly/models/budget.ts';
import type { Provider } from '../../src/contract/provider.ts';
import { infoOf } from '../../src/providers/models/models.ts';
import { findPreset } from '../../src/providers/presets.ts';

/**
 * Makes parallel calls under limits while its clock jumps from day to day: FOLDER SESSION LIMITS DAYS.
 * `LIMITS` is the JSON of `limits`, `DAYS` that of the day each call sees. Prints how many calls were
 * answered.
 */
const [folder = '', session = '', limits = '{}', days = '[]'] = process.argv.slice(2);
const preset = findPreset('anthropic');
if (!preset) throw new Error('There is no preset named anthropic.');
const model = 'claude-sonnet-4-5';
const choice = { preset, baseUrl: preset.baseUrl, model, info: infoOf('anthropic', model), key: null };

let day = 0;
const budget = new Budget({
  folder,
  session: { id: session },
  limits: JSON.parse(limits) as Record<string, string>,
  notice: () => undefined,
  progressSummary: () => '',
  now: () => new Date(2026, 4, 1 + day, 12),
});
let answered = 0;
const vendor: Provider = {
  name: 'vendor',
  countTokens: async () => null,
  async *stream({ maxTokens = 0 }) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    answered += 1;
    const usage = { inputTokens: 500, outputTokens: maxTokens, cacheReadTokens: 0, cacheWriteTokens: 0 };
    yield { type: 'usage', usage };
    yield { type: 'stop', reason: 'end' };
  },
};
const provider = budget.metered(vendor, { choice, purpose: 'main' });
const content = [{ type: 'text' as const, text: 'hi' }];
const request = {
  model,
  system: '',
  messages: [{ role: 'user' as const, content, timestamp: '' }],
  maxTokens: 300,
};

async function call(on: number): Promise<void> {
  day = on;
  // As if the user ran /cost meanwhile.
  void budget.costs();
  for await (const _event of provider.stream(request, new AbortController().signal)) void budget.limits();
}

const calls = (JSON.parse(days) as number[]).map(call);
const outcomes = await Promise.allSettled(calls);
const failed = outcomes.find(
  (outcome) => outcome.status === 'rejected' && outcome.reason.name !== 'BudgetReachedError',
);
if (failed?.status === 'rejected') throw failed.reason;
process.stdout.write(String(answered));
