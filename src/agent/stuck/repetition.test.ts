import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { StuckError } from '../../contract/errors.ts';
import { RepetitionGuard } from './repetition.ts';

/** How much of a text arrives before the guard stops it; null if it does not. */
function cutAt(text: string, { type = 'text' as 'text' | 'thinking', size = 7 } = {}): number | null {
  const guard = new RepetitionGuard();
  for (let at = 0; at < text.length; at += size) {
    try {
      guard.push({ type, text: text.slice(at, at + size) });
    } catch (error) {
      if (error instanceof StuckError) return at;
      throw error;
    }
  }
  return null;
}

describe('text without end is cut soon', () => {
  test.each([
    ['a sentence', 'I will now read the file. ', 6_300],
    ['fifty characters', 'Let me check the file again to be sure about this. ', 700],
    [
      'a paragraph',
      `${'The function reads the file and returns its lines. '.repeat(1)}So it works.\n\n`,
      1_000,
    ],
    ['a long paragraph', Array.from({ length: 60 }, (_, i) => `word${i}`).join(' '), 5_500],
    ['a character', 'a', 24_300],
    ['a line of a table', '| a | b |\n', 24_300],
    ['Chinese', '我现在要读取这个文件，然后告诉你里面有什么。', 6_300],
  ])('%s', (_, block, most) => {
    for (const type of ['text', 'thinking'] as const)
      expect(cutAt(`Sure.\n\n${block.repeat(40_000 / block.length)}`, { type })).toBeLessThan(most);
    expect(cutAt(block.repeat(40_000 / block.length), { size: 40_000 })).toBe(0);
  });
});

describe('honest text is never cut', () => {
  test.each([
    ['a numbered list', Array.from({ length: 300 }, (_, i) => `${i}. Run the test again.`).join('\n')],
    ['a rule', '-'.repeat(1_000)],
    ['a table', '| --- | --- | --- |\n| 0 | 0 | 0 |\n'.repeat(60)],
    ['data in code', `\`\`\`\n${'{ "id": 0, "name": "none", "value": null },\n'.repeat(100)}\`\`\`\n`],
    ['hex', `${'00 '.repeat(900)}`],
    ['nine times the same', 'Let me check the file again to be sure about this. '.repeat(9)],
    ['spaces', ' '.repeat(2_000)],
  ])('%s', (_, text) => {
    expect(cutAt(text)).toBeNull();
  });

  test('words in any order', () => {
    const words = fc.array(
      fc.constantFrom('the ', 'file ', 'is ', 'read. ', 'now ', 'and ', '\n', 'again '),
      {
        minLength: 300,
        maxLength: 600,
      },
    );
    fc.assert(
      fc.property(words, (list) => {
        expect(cutAt(list.join(''))).toBeNull();
      }),
      { numRuns: 100 },
    );
  });
});
