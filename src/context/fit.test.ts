import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { answer, histories, pairs, prompt, reply, sizeOf } from '../../test/support/histories.ts';
import { sweep } from '../../test/support/soak.ts';
import { type Message, textOf } from '../contract/message.ts';
import { limitTexts, TEXT_LIMITS } from './fit.ts';

describe('limited texts', () => {
  test('are unchanged, and the identical list, if none is longer', () => {
    const messages = [prompt('short'), reply('answer')];
    expect(limitTexts(messages, 100)).toBe(messages);
  });

  sweep([25, 100])(
    'keep every message and every call with its result, and are deterministic and never longer (%i runs)',
    (numRuns) => {
      fc.assert(
        fc.property(histories, fc.constantFrom(...TEXT_LIMITS), (messages, limit) => {
          const limited = limitTexts(messages, limit);
          const { calls, answers } = pairs(limited);
          expect(answers).toEqual(calls);
          expect(limited.map(({ role }) => role)).toEqual(messages.map(({ role }) => role));
          expect(limitTexts(messages, limit)).toEqual(limited);
          // Each text that is cut says so, which takes a few words.
          expect(sizeOf(limited)).toBeLessThanOrEqual(sizeOf(messages) + messages.length * 200);
        }),
        { numRuns },
      );
    },
  );

  test('show their start, their end, and where to find all of it', () => {
    const long = prompt(`BEGIN ${'x'.repeat(90_000)} END`);
    const [limited = prompt('')] = limitTexts([long], 12_000, () => '/kept/a.txt');
    const text = textOf(limited);
    expect(text).toMatch(/^\[78010 characters omitted to fit the context window\./);
    for (const words of ['BEGIN', 'END', 'The full text is in /kept/a.txt; read it in parts.'])
      expect(text).toContain(words);
  });

  test('of a call are shortened and its structure is kept; long thinking and images are removed', () => {
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
    const limited = limitTexts([seen, thoughtful, answer('1', 'Write', 'ok')], 3000);
    expect(limited[0]?.content).toEqual([
      { type: 'text', text: '[Image omitted to fit the context window.]' },
    ]);
    expect(limited[1]?.content).toMatchObject([
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
});
