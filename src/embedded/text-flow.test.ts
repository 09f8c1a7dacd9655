import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Token } from './llama-types.ts';
import { createTextFlow } from './text-flow.ts';

/** Each token is one byte. */
function flowOf(bytes: Uint8Array, stop: string[] = []): { pieces: string[]; outcome: 'on' | 'stop' } {
  const pieces: string[] = [];
  const flow = createTextFlow({
    spell: (tokens) => Buffer.from(tokens).toString('utf8'),
    stop,
    emit: (text) => pieces.push(text),
  });
  let outcome: 'on' | 'stop' = 'on';
  // A byte stands for the token of the same number.
  for (const byte of bytes) if (outcome === 'on') outcome = flow.push(byte as Token);
  flow.end();
  return { pieces, outcome };
}

test('a character of several tokens is emitted once it is complete', () => {
  expect(flowOf(Buffer.from('aé€😀')).pieces).toEqual(['a', 'é', '€', '😀']);
});

test('any text is emitted unchanged, in whole characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const { pieces } = flowOf(Buffer.from(text));
      expect(pieces.join('')).toBe(text);
      expect(pieces.filter((piece) => piece.includes('\uFFFD') && !text.includes('\uFFFD'))).toEqual([]);
    }),
  );
});

test('neither a stop sequence nor what follows it is emitted', () => {
  expect(flowOf(Buffer.from('one\nUser: two'), ['\nUser:'])).toEqual({
    pieces: ['o', 'n', 'e'],
    outcome: 'stop',
  });
});

test('what only starts like a stop sequence is emitted in the end', () => {
  expect(flowOf(Buffer.from('one\nUs'), ['\nUser:']).pieces.join('')).toBe('one\nUs');
  expect(flowOf(Buffer.from('aab'), ['aaab']).pieces.join('')).toBe('aab');
});

test('with any stop sequences, the text is the part before the first of them', () => {
  const words = fc.array(fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 3 }), {
    maxLength: 3,
  });
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', 'b', 'c') }), words, (text, stop) => {
      const { pieces } = flowOf(Buffer.from(text), stop);
      const ends = stop.flatMap((word) => (text.includes(word) ? [text.indexOf(word) + word.length] : []));
      const upTo = text.slice(0, Math.min(text.length, ...ends));
      const cut = Math.min(
        upTo.length,
        ...stop.flatMap((word) => (upTo.includes(word) ? [upTo.indexOf(word)] : [])),
      );
      expect(pieces.join('')).toBe(upTo.slice(0, cut));
    }),
  );
});
