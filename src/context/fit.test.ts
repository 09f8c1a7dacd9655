import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answer, histories, pairs, prompt, reply, sizeOf } from '../../test/support/histories.ts';
import { sweep } from '../../test/support/soak.ts';
import { type Message, textOf } from '../contract/message.ts';
import { fitMessages } from './fit.ts';

const within = (size: number) => (messages: readonly Message[]) => sizeOf(messages) <= size;

describe('what fits', () => {
  test('is everything, unchanged, if everything fits', () => {
    fc.assert(
      fc.property(histories, (messages) => {
        const fitted = fitMessages(messages, { fits: () => true });
        expect(fitted.messages).toBe(messages);
        expect(fitted).toMatchObject({ limit: Number.POSITIVE_INFINITY, dropped: 0 });
      }),
    );
  });

  sweep([25, 100])(
    'starts with the user, separates no call from its result, keeps its end, and is deterministic (%i runs)',
    (numRuns) => {
      fc.assert(
        fc.property(histories, fc.integer({ min: 400, max: 60_000 }), (messages, size) => {
          const fitted = fitMessages(messages, { fits: within(size) });
          const { calls, answers } = pairs(fitted.messages);
          expect(answers).toEqual(calls);
          expect(fitted.messages[0]?.role).toBe('user');
          expect(fitted.messages.at(-1)?.role).toBe(messages.at(-1)?.role);
          expect(sizeOf(fitted.messages)).toBeLessThanOrEqual(Math.max(sizeOf(messages), size));
          expect(fitMessages(messages, { fits: within(size) })).toEqual(fitted);
        }),
        { numRuns },
      );
    },
  );

  test('for a long text: its start, its end, and where to find all of it', () => {
    const long = prompt(`BEGIN ${'x'.repeat(90_000)} END`);
    const { messages, limit } = fitMessages([long], { fits: within(20_000), placeOf: () => '/kept/a.txt' });
    const text = textOf(messages[0] ?? prompt(''));
    expect(limit).toBe(12_000);
    expect(text).toMatch(/^\[78010 characters omitted to fit the context window\./);
    for (const words of ['BEGIN', 'END', 'The full text is in /kept/a.txt; read it in parts.'])
      expect(text).toContain(words);
  });

  test('short texts stay complete next to long ones', () => {
    const messages = [prompt('short'), reply('y'.repeat(80_000)), prompt('the question')];
    const { messages: sent } = fitMessages(messages, { fits: within(10_000) });
    expect(sent[0]).toBe(messages[0]);
    expect(sent[2]).toBe(messages[2]);
  });

  test('texts in a call are shortened, its structure is kept; long thinking and images are removed', () => {
    const call = {
      id: '1',
      name: 'Write',
      input: { file_path: 'a.ts', edits: [{ content: 'z'.repeat(50_000) }] },
    };
    const thoughtful = { ...reply('', call) };
    thoughtful.content = [
      { type: 'thinking', text: 't'.repeat(50_000), signature: 's' },
      ...thoughtful.content,
    ];
    const seen: Message = {
      ...prompt('look'),
      content: [{ type: 'image', mediaType: 'image/png', data: 'A'.repeat(50_000) }],
    };
    const { messages } = fitMessages([seen, thoughtful, answer('1', 'Write', 'ok')], { fits: within(6000) });
    expect(messages[0]?.content).toEqual([
      { type: 'text', text: '[Image omitted to fit the context window.]' },
    ]);
    expect(messages[1]?.content).toMatchObject([
      {
        type: 'tool_call',
        id: '1',
        input: {
          file_path: 'a.ts',
          edits: [{ content: expect.stringContaining('characters omitted') }],
        },
      },
    ]);
  });

  test('if nothing else helps, the oldest turns are dropped, and the current prompt stays', () => {
    const talk = Array.from({ length: 400 }, (_, i) => [
      prompt(`question ${i}`),
      reply(`answer ${i}`),
    ]).flat();
    const { messages, dropped } = fitMessages([...talk, prompt('now')], { fits: within(3000) });
    expect(dropped).toBeGreaterThan(500);
    expect(textOf(messages.at(-1) ?? prompt(''))).toBe('now');
    expect(sizeOf(messages)).toBeLessThanOrEqual(3000);
  });
});
