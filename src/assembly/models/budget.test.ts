import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { says } from '../../../test/support/model-server/script.ts';
import { runTogether } from '../../../test/support/run-together.ts';
import { type ScriptedModel, scripted } from '../../../test/support/scripted.ts';
import { sweep } from '../../../test/support/soak.ts';
import { workspace } from '../../../test/support/workspace.ts';
import { BudgetReachedError, ProviderError } from '../../contract/errors.ts';
import type { CompletionRequest, Provider, ProviderEvent } from '../../contract/provider.ts';
import { infoOf } from '../../providers/models/models.ts';
import { findPreset } from '../../providers/presets.ts';
import { Budget, type BudgetDeps } from './budget.ts';
import type { Choice } from './choose-model.ts';

function choiceOf(provider: string, model: string): Choice {
  const preset = findPreset(provider);
  if (!preset) throw new Error(`no preset ${provider}`);
  return { preset, baseUrl: preset.baseUrl, model, info: infoOf(provider, model), key: null };
}

const sonnet = choiceOf('anthropic', 'claude-sonnet-4-5');
const usage = (inputTokens: number, outputTokens: number) => ({
  inputTokens,
  outputTokens,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
});

async function setUp(limits: BudgetDeps['limits'], folder?: string) {
  const place = folder ?? path.join((await workspace()).home, 'ledger');
  const notices: string[] = [];
  const budget = new Budget({
    folder: place,
    session: { id: 's' },
    limits,
    notice: (_level, text) => notices.push(text),
    progressSummary: () => 'Changed in this run: a.ts.',
  });
  return { budget, notices, folder: place };
}

function request(text: string, more: Partial<CompletionRequest> = {}): CompletionRequest {
  const message = { role: 'user' as const, content: [{ type: 'text' as const, text }], timestamp: '' };
  return { model: 'claude-sonnet-4-5', system: '', messages: [message], ...more };
}

async function ask(provider: Provider, asked = request('hi'), signal = new AbortController().signal) {
  const events: ProviderEvent[] = [];
  for await (const event of provider.stream(asked, signal)) events.push(event);
  return events;
}

const metered = (budget: Budget, model: ScriptedModel, choice = sonnet) =>
  budget.metered(model, { choice, purpose: 'main' });

describe('[U14] the budget', () => {
  test('without a limit a request is sent unchanged, and its cost is counted', async () => {
    const { budget } = await setUp({});
    const model = scripted(says('hey', { usage: usage(1000, 100) }));

    await ask(metered(budget, model));

    expect(model.requests).toEqual([request('hi')]);
    expect(budget.takeCost()).toBeCloseTo(0.0045);
    expect(budget.takeCost()).toBe(0);
    const row = {
      model: 'anthropic/claude-sonnet-4-5',
      calls: 1,
      usage: usage(1000, 100),
      usd: expect.closeTo(0.0045),
      estimated: false,
    };
    expect(await budget.costs()).toEqual([
      { scope: 'run', models: [row] },
      { scope: 'session', models: [row] },
      { scope: 'day', models: [row] },
    ]);
  });

  test('an unknown price is unknown, not zero', async () => {
    const { budget } = await setUp({});
    const choice = choiceOf('openrouter', 'somebody/something');
    await ask(metered(budget, scripted(says('hey')), choice));
    expect(budget.takeCost()).toBeNull();
    expect((await budget.costs())[0]?.models[0]?.usd).toBeNull();
  });

  test('near a limit the answer is capped, so that the limit cannot be exceeded', async () => {
    const { budget } = await setUp({ run: '$0.02' });
    const model = scripted(says('hey', { usage: usage(10, 5) }));
    await ask(metered(budget, model));
    const maxTokens = model.requests[0]?.maxTokens ?? 0;
    expect(maxTokens).toBeGreaterThan(1000);
    expect((maxTokens * 15) / 1e6).toBeLessThan(0.02);
  });

  test('at the limit nothing is sent: the message lists what was spent, what was done and what to do', async () => {
    const { budget } = await setUp({ session: '$0.01' });
    const model = scripted(says('hey', { usage: usage(1000, 400) }));
    const provider = metered(budget, model);
    await ask(provider);

    const error = await ask(provider).catch((reason: unknown) => reason);

    expect(error).toBeInstanceOf(BudgetReachedError);
    expect(error).toMatchObject({
      message: expect.stringMatching(
        /^Limit reached: \$0\.0090? of \$0\.01 this session, and the next call may need \$0\.00\d+\.$/,
      ),
      hint: 'Changed in this run: a.ts.\nRaise it with /budget or limits.session, or start a new session.',
    });
    expect(model.requests).toHaveLength(1);
  });

  test('[Z14] a limit at the end of a prompt applies to that run only, and is reported', async () => {
    const { budget, notices } = await setUp({});
    const provider = metered(budget, scripted(says('a'), says('b')));
    budget.beginRun('do it +1k');
    await ask(provider);
    await expect(ask(provider, request('x'.repeat(4000)))).rejects.toBeInstanceOf(BudgetReachedError);
    budget.beginRun('and this');
    await ask(provider, request('x'.repeat(4000)));
    expect(notices).toEqual(['Limit for this run: 1,000 tokens.']);
  });

  test('a dollar limit with an unpriced model is rejected, with the next step', async () => {
    const { budget } = await setUp({ run: '$5' });
    const provider = metered(budget, scripted(says('a')), choiceOf('openrouter', 'x/y'));
    await expect(ask(provider, request('hi', { model: 'x/y' }))).rejects.toEqual(
      new BudgetReachedError(
        'The price of openrouter/x/y is unknown, so a dollar limit cannot be enforced.',
        'Set the limit in tokens, or set models."openrouter/x/y".price.',
      ),
    );
  });

  test('a dollar limit holds for a model without a price, at the highest price of its vendor', async () => {
    const { budget, notices } = await setUp({ session: '$1' });
    const model = 'claude-of-tomorrow';
    const provider = metered(
      budget,
      scripted(says('a', { usage: usage(10_000, 5_000) }), says('b')),
      choiceOf('anthropic', model),
    );
    await ask(provider, request('hi', { model, maxTokens: 5_000 }));
    // Claude Opus 4 and 4.1: $15 in, $75 out.
    expect(budget.takeCost()).toBeCloseTo(0.15 + 0.375, 10);
    await expect(ask(provider, request('hi', { model, maxTokens: 8_000 }))).resolves.toBeDefined();
    expect(notices.filter((text) => text.includes('unknown'))).toEqual([
      'The price of anthropic/claude-of-tomorrow is unknown. Its cost is estimated at the highest price of Anthropic: $15 in and $75 out per 1M tokens.',
    ]);
  });

  test('a local model costs no dollars', async () => {
    const { budget } = await setUp({ run: '$0.0001' });
    const model = scripted(says('a'));
    await ask(metered(budget, model, choiceOf('ollama', 'qwen3:8b')));
    expect(model.requests).toHaveLength(1);
  });

  test('a call that failed before any output costs nothing; an interrupted one costs what arrived', async () => {
    const { budget } = await setUp({ run: '$5' });
    const busy = new ProviderError('busy', { kind: 'overloaded', provider: 'p' });
    await expect(ask(metered(budget, scripted(busy)))).rejects.toBe(busy);
    expect((await budget.costs())[0]?.models).toEqual([]);

    const abort = new AbortController();
    const model: Provider = {
      ...scripted(),
      async *stream() {
        yield { type: 'usage', usage: usage(2000, 1) };
        yield { type: 'text', text: 'x'.repeat(350) };
        abort.abort();
        abort.signal.throwIfAborted();
      },
    };
    const provider = budget.metered(model, { choice: sonnet, purpose: 'main' });
    await expect(ask(provider, request('hi'), abort.signal)).rejects.toThrow();
    expect((await budget.costs())[0]?.models).toMatchObject([{ usage: usage(2000, 100), estimated: true }]);
  });

  test("two processes share a daily limit: one waits for the other's reservation, and then continues", async () => {
    const first = await setUp({ day: '40k tokens' });
    const second = await setUp({ day: '40k tokens' }, first.folder);
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let sent = false;
    const slow: Provider = {
      ...scripted(),
      async *stream() {
        sent = true;
        await finished;
        yield { type: 'usage', usage: usage(100, 10) };
        yield { type: 'stop', reason: 'end' };
      },
    };
    const running = ask(first.budget.metered(slow, { choice: sonnet, purpose: 'main' }));
    await expect.poll(() => sent).toBe(true);
    const model = scripted(says('hey'));
    const waiting = ask(metered(second.budget, model));
    await expect.poll(() => second.notices.length).toBe(1);
    expect(model.requests).toEqual([]);
    finish();
    await Promise.all([running, waiting]);
    expect(model.requests).toHaveLength(1);
  });

  test('an interrupt ends the wait at once', async () => {
    const { budget, notices } = await setUp({ day: '40k tokens' });
    const abort = new AbortController();
    const forever: Provider = {
      ...scripted(),
      async *stream(_request, signal) {
        yield { type: 'text', text: 'hm' };
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    };
    const provider = budget.metered(forever, { choice: sonnet, purpose: 'main' });
    const both = [ask(provider, request('hi'), abort.signal), ask(provider, request('hi'), abort.signal)].map(
      (one) => one.catch((error: Error) => error.name),
    );
    await expect.poll(() => notices.length).toBe(1);
    abort.abort();
    expect(await Promise.all(both)).toEqual(['AbortError', 'AbortError']);
  });

  test('a vendor that counts more than the bytes of a prompt raises the next bound', async () => {
    const { budget } = await setUp({ run: '10k tokens' });
    const model = scripted(says('a', { usage: usage(4000, 1) }), says('b'));
    const provider = metered(budget, model);
    await ask(provider, request('x'.repeat(3500)));
    await ask(provider, request('x'.repeat(3500)));
    const [before = 0, after = 0] = model.requests.map(({ maxTokens }) => maxTokens ?? 0);
    expect(before).toBeGreaterThan(6000);
    expect(after).toBeLessThanOrEqual(10_000 - 4001 - 4000);
  });
});

describe('many processes and a moving clock', () => {
  const dayOfCall = fc.integer({ min: -3, max: 3 });
  const processes = fc.array(
    fc.record({
      session: fc.constantFrom('one', 'two'),
      days: fc.array(dayOfCall, { minLength: 4, maxLength: 10 }),
    }),
    { minLength: 3, maxLength: 5 },
  );

  sweep([1, 6])('no run, session or day exceeds its limit (%i runs)', async (numRuns) => {
    await fc.assert(
      fc.asyncProperty(processes, async (each) => {
        const { home } = await workspace();
        const folder = path.join(home, 'ledger');
        const limits = { run: '7 turns', session: '9 turns', day: '10k tokens' };
        const answered = await runTogether('spend-calls.ts', {
          folder: home,
          each: each.map(({ session, days }) => [
            folder,
            session,
            JSON.stringify(limits),
            JSON.stringify(days),
          ]),
        });

        const counts = answered.map(Number);
        expect(counts.every((count) => count <= 7)).toBe(true);
        for (const session of ['one', 'two']) {
          const ofSession = counts.filter((_, i) => each[i]?.session === session);
          expect(ofSession.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(9);
        }
        const files = await readdir(folder);
        const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')));
        const spent = texts.map((text) => text.split('\n').filter((line) => line.includes('"spent"')));
        // Each call takes 800 tokens.
        expect(spent.filter((lines) => lines.length * 800 > 10_000)).toEqual([]);
        // Every answer is in the ledger, on whatever day.
        expect(spent.flat()).toHaveLength(counts.reduce((sum, count) => sum + count, 0));
      }),
      { numRuns, endOnFailure: true },
    );
  });
});
