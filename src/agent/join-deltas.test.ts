import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ProviderEvent } from '../contract/provider.ts';
import { joinDeltas } from './join-deltas.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

type Step = { event: ProviderEvent; pause: number };

const text = (piece: string): ProviderEvent => ({ type: 'text', text: piece });
const thinking = (piece: string): ProviderEvent => ({ type: 'thinking', text: piece });
const stop: ProviderEvent = { type: 'stop', reason: 'end' };

/** Sends each event after its pause, then fails if there is an error. */
async function* play(steps: readonly Step[], failure?: Error): AsyncGenerator<ProviderEvent> {
  for (const { event, pause } of steps) {
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    yield event;
  }
  if (failure) throw failure;
}

/** What comes out, and when. */
async function joined(steps: readonly Step[], failure?: Error) {
  const out: { event: ProviderEvent; at: number }[] = [];
  const start = performance.now();
  const reading = (async () => {
    for await (const event of joinDeltas(play(steps, failure)))
      out.push({ event, at: Math.round(performance.now() - start) });
  })();
  const ended = reading.then(
    () => null,
    (error: unknown) => error,
  );
  await vi.runAllTimersAsync();
  return { out, error: await ended };
}

test('C11: the first text is passed on immediately, the rest in short batches', async () => {
  const { out } = await joined([
    { event: text('a'), pause: 0 },
    ...['b', 'c', 'd', 'e'].map((piece) => ({ event: text(piece), pause: 15 })),
    { event: text('f'), pause: 1_000 },
    { event: stop, pause: 0 },
  ]);

  expect(out).toEqual([
    { event: text('a'), at: 0 },
    { event: text('bc'), at: 33 },
    { event: text('de'), at: 66 },
    { event: text('f'), at: 1_060 },
    { event: stop, at: 1_060 },
  ]);
});

test('text of another kind and other events come after the text before them', async () => {
  const { out } = await joined(
    [thinking('hm'), thinking(', so'), text('Yes'), text('.'), stop].map((event) => ({ event, pause: 0 })),
  );

  expect(out.map(({ event }) => event)).toEqual([thinking('hm'), thinking(', so'), text('Yes.'), stop]);
});

test('at any pace all text comes once, in order, at most 33 ms late and rarely; a failure loses none', async () => {
  const event = fc.oneof(
    { weight: 8, arbitrary: fc.string({ minLength: 1, maxLength: 4 }).map(text) },
    { weight: 2, arbitrary: fc.string({ minLength: 1, maxLength: 4 }).map(thinking) },
    { weight: 1, arbitrary: fc.constant<ProviderEvent>({ type: 'reclassify', as: 'thinking' }) },
  );
  const steps = fc.array(fc.record({ event, pause: fc.constantFrom(0, 1, 5, 20, 40, 200) }));
  const failure = fc.constantFrom(undefined, new Error('cut'));
  await fc.assert(
    fc.asyncProperty(steps, failure, async (sent, failed) => {
      const { out, error } = await joined(sent, failed);

      expect(error).toBe(failed ?? null);
      expect(pieces(out)).toEqual(pieces(withTimes(sent)));
      for (const late of lateness(withTimes(sent), out)) expect(late).toBeLessThanOrEqual(34);
    }),
  );
});

test('a reader that leaves ends the stream', async () => {
  vi.useRealTimers();
  let ended = false;
  async function* endless(): AsyncGenerator<ProviderEvent> {
    try {
      for (;;) {
        await sleep(1);
        yield text('x');
      }
    } finally {
      ended = true;
    }
  }
  let seen = 0;
  for await (const _ of joinDeltas(endless())) if (++seen === 3) break;

  expect(ended).toBe(true);
});

type Timed = { event: ProviderEvent; at: number };

function withTimes(steps: readonly Step[]): Timed[] {
  let at = 0;
  return steps.map(({ event, pause }) => {
    at += pause;
    return { event, at };
  });
}

/** The events, with neighbouring text of one kind in one piece. */
function pieces(events: readonly Timed[]): ProviderEvent[] {
  const all: ProviderEvent[] = [];
  for (const { event } of events) {
    const last = all.at(-1);
    if ((event.type === 'text' || event.type === 'thinking') && last?.type === event.type)
      all[all.length - 1] = { ...event, text: last.text + event.text };
    else all.push(event);
  }
  return all;
}

/** How late each character is. */
function lateness(sent: readonly Timed[], out: readonly Timed[]): number[] {
  const times = (events: readonly Timed[]) =>
    events.flatMap(({ event, at }) => ('text' in event ? [...event.text].map(() => at) : []));
  const arrived = times(out);
  return times(sent).map((at, index) => (arrived[index] ?? Number.POSITIVE_INFINITY) - at);
}
