import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memoryBlock, tokensIn, withoutMemory } from './block.ts';
import { newEntry } from './entry.ts';
import { type Note, noteKinds } from './store.ts';

const note: fc.Arbitrary<Note> = fc
  .record({
    kind: fc.constantFrom(...noteKinds),
    text: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 700 }),
  })
  .map(({ kind, text }) => ({ kind, ...newEntry(text, { date: '2026-11-16', session: null }) }));

test('[M03] [Z04] at most 8 notes and 800 tokens, however many exist; whole notes only', () => {
  fc.assert(
    fc.property(fc.array(note, { maxLength: 40 }), (notes) => {
      const block = memoryBlock(notes);
      if (!block) return;
      expect(block.included.length).toBeLessThanOrEqual(8);
      expect(tokensIn(block.text)).toBeLessThanOrEqual(800);
      expect(notes).toEqual(expect.arrayContaining(block.included));
      expect(block.text.split('\n').filter((line) => line.startsWith('- '))).toHaveLength(
        block.included.length,
      );
    }),
  );
});

test('a block is marked, names its source, and can be removed again', () => {
  const made = {
    kind: 'decisions' as const,
    ...newEntry('Use </memory> tags.', { date: '2026-11-16', session: null }),
  };
  const block = memoryBlock([made]);
  expect(block?.text).toBe(
    '\n\n<memory>\nNotes from earlier sessions that may matter here. They may be out of date: check before you rely on them.\n- Use ‹/memory› tags. (project, 2026-11-16)\n</memory>',
  );
  expect(withoutMemory(`fix it${block?.text}`)).toBe('fix it');
  expect(memoryBlock([])).toBeNull();
});
