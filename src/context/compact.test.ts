import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answer, histories, prompt, reply, sizeOf } from '../../test/support/histories.ts';
import { sweep } from '../../test/support/soak.ts';
import type { Message } from '../contract/message.ts';
import type { Compaction } from '../contract/view.ts';
import { turnStart } from './boundary.ts';
import { type Cause, type Planning, planCompaction } from './compact.ts';
import { sentSummary } from './kept.ts';
import { show, wholeShape } from './show.ts';

const size = (messages: readonly Message[], summary = '') => sizeOf(messages) + summary.length;

function planning(messages: readonly Message[], changes: Partial<Planning> = {}): Planning {
  const previous = changes.previous;
  return {
    messages,
    previous,
    cause: 'routine',
    limits: { room: 22_000, compactAt: 20_000, target: 14_000, prepareAt: 16_000 },
    recent: 5000,
    before: size(show(messages, previous ?? wholeShape), previous && sentSummary(previous)),
    size,
    count: (message) => sizeOf([message]),
    summarize: async (keepFrom) =>
      keepFrom <= (previous?.keepFrom ?? 0)
        ? null
        : {
            ...wholeShape,
            summary: 'short',
            kept: '',
            keepFrom,
            squeezeUntil: keepFrom,
            at: messages.length,
            by: 'm',
          },
    ...changes,
  };
}

const sent = (messages: readonly Message[], compaction: Compaction | null) =>
  compaction ? size(show(messages, compaction), sentSummary(compaction)) : size(messages);

describe('[Z03] a compaction', () => {
  sweep([25, 100])(
    'never sends more than before, keeps ten messages up to a turn boundary, and reports correct sizes (%i runs)',
    async (numRuns) => {
      await fc.assert(
        fc.asyncProperty(
          histories,
          fc.constantFrom<Cause>('routine', 'overflow', 'asked'),
          async (messages, cause) => {
            const compaction = await planCompaction(planning(messages, { cause }));
            if (!compaction) return;
            const { tokensBefore, tokensAfter, keepFrom } = compaction;
            expect(sent(messages, compaction)).toBe(tokensAfter);
            expect(tokensBefore).toBe(size(messages));
            expect(tokensAfter).toBeLessThan(tokensBefore);
            expect(keepFrom).toBe(turnStart(messages, keepFrom));
            // Fewer are kept only if the user requests it, and only if nothing else helps.
            const least = cause === 'asked' ? 1 : 10;
            expect(messages.length - keepFrom).toBeGreaterThanOrEqual(Math.min(least, messages.length));
          },
        ),
        { numRuns },
      );
    },
  );

  sweep([25, 100])('is followed only by one that covers more (%i runs)', async (numRuns) => {
    await fc.assert(
      fc.asyncProperty(histories, histories, async (messages, more) => {
        const first = await planCompaction(planning(messages, { cause: 'overflow' }));
        if (!first) return;
        const all = [...messages, ...more];
        const second = await planCompaction(planning(all, { cause: 'overflow', previous: first }));
        if (!second) return;
        expect(second.keepFrom).toBeGreaterThanOrEqual(first.keepFrom);
        expect(second.squeezeUntil).toBeGreaterThanOrEqual(Math.min(first.squeezeUntil, second.keepFrom));
        if (second.keepFrom === first.keepFrom) expect(second.level).toBeGreaterThanOrEqual(first.level);
      }),
      { numRuns },
    );
  });

  sweep([25, 100])('ends even if requests keep being rejected (%i runs)', async (numRuns) => {
    await fc.assert(
      fc.asyncProperty(histories, async (messages) => {
        let previous: Compaction | undefined;
        let rounds = 0;
        for (;;) {
          const next = await planCompaction(
            planning(messages, { cause: 'overflow', ...(previous && { previous }) }),
          );
          if (!next) break;
          previous = next;
          expect(++rounds).toBeLessThan(20);
        }
      }),
      { numRuns },
    );
  });
});

describe('the order of steps', () => {
  const bash = (id: string, text: string) => [
    reply('', { id, name: 'Bash', input: {} }),
    answer(id, 'Bash', text),
  ];
  const tail = Array.from({ length: 5 }, (_, i) => bash(`tail${i}`, 'ok')).flat();

  test('old output is shortened before anything is summarized', async () => {
    const messages = [
      prompt('go'),
      ...bash('a', 'x'.repeat(9000)),
      ...bash('b', 'x'.repeat(9000)),
      ...bash('c', 'x'.repeat(9000)),
      ...tail,
    ];
    expect(await planCompaction(planning(messages))).toMatchObject({
      by: 'squeeze',
      level: 3,
      keepFrom: 0,
      squeezeUntil: 7,
    });
  });

  test('repeated reads are removed first', async () => {
    const read = (id: string) => [
      reply('', { id, name: 'Read', input: { file_path: 'a' } }),
      answer(id, 'Read', 'x'.repeat(7000)),
    ];
    const messages = [prompt('go'), ...read('1'), ...read('2'), ...read('3'), ...tail];
    expect(await planCompaction(planning(messages))).toMatchObject({ by: 'squeeze', level: 1 });
  });

  test('a long conversation is summarized, keeping what fits into the recent share', async () => {
    const messages = Array.from({ length: 40 }, (_, i) => [
      prompt(`ask ${i}`),
      reply('talk '.repeat(120)),
    ]).flat();
    const compaction = await planCompaction(planning(messages));
    expect(compaction).toMatchObject({ by: 'm', summary: 'short', level: 0 });
    expect(compaction?.keepFrom).toBe(66);
  });

  test('if the last ten messages alone are too large, their output is shortened, too, except in the last turn', async () => {
    const messages = [
      prompt('go'),
      ...Array.from({ length: 5 }, (_, i) => bash(`${i}`, 'x'.repeat(9000))).flat(),
    ];
    const routine = await planCompaction(planning(messages));
    expect(routine).toMatchObject({ squeezeUntil: 9, keepFrom: 0 });
    const forced = await planCompaction(
      planning(messages, {
        cause: 'overflow',
        limits: { room: 30_000, compactAt: 8000, target: 5000, prepareAt: 6000 },
      }),
    );
    expect(forced).toMatchObject({ squeezeUntil: 11, keepFrom: 0 });
  });

  test('on request, it summarizes at once', async () => {
    const messages = [prompt('go'), ...bash('a', 'x'.repeat(900)), ...tail];
    expect(await planCompaction(planning(messages, { cause: 'asked', recent: 0 }))).toMatchObject({
      by: 'm',
      keepFrom: 3,
    });
  });

  test('on request in a short conversation, all but the last turn is summarized, or else shortened', async () => {
    const short = [prompt('go'), ...bash('a', 'x'.repeat(9000)), reply('done'), prompt('and?'), reply('so')];
    expect(await planCompaction(planning(short, { cause: 'asked', recent: 0 }))).toMatchObject({
      by: 'm',
      keepFrom: short.length - 1,
    });
    const none = { cause: 'asked' as const, recent: 0, summarize: async () => null };
    expect(await planCompaction(planning(short, none))).toMatchObject({ by: 'squeeze', keepFrom: 0 });
    expect(
      await planCompaction(planning([prompt('go'), reply('so')], { cause: 'asked', recent: 0 })),
    ).toBeNull();
  });
});
