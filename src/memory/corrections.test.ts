import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { correctionsIn } from './corrections.ts';

describe('[U06] what the user says about how to work', () => {
  test.each([
    ['No, always use pnpm here.', 'Always use pnpm here.'],
    ['always use pnpm', 'Always use pnpm.'],
    ['Wrong! Never commit to main!', 'Never commit to main.'],
    ['no - never touch the generated files', 'Never touch the generated files.'],
    ['From now on, write tests first.', 'From now on, write tests first.'],
    ["In this project we don't use default exports.", "In this project we don't use default exports."],
    ['We use tabs.', 'We use tabs.'],
    ['please use vitest instead of jest', 'Use vitest instead of jest.'],
    ['Use `fetch`, not axios.', 'Use `fetch`, not axios.'],
    ['prefer async/await over promises', 'Prefer async/await over promises.'],
    ['Stop adding comments to every line.', 'Stop adding comments to every line.'],
    ["Please don't add emojis to messages", "Don't add emojis to messages."],
    ['do not edit files in vendor/', 'Do not edit files in vendor/.'],
    ['> always run the linter', 'Always run the linter.'],
  ])('%s', (said, line) => {
    expect(correctionsIn(said)).toEqual([line]);
  });

  test.each([
    'fix the login test',
    'no',
    'never mind',
    'Should we always use pnpm?',
    'use pnpm',
    'No, undo that.',
    'The test always fails.',
    "I've always liked this function.",
    'This never worked on Windows.',
    "Don't use the cache this time.",
    'For now, do not push.',
    'In this file, use tabs instead of spaces.',
    '```\n# always use pnpm\n```',
    `always use pnpm ${'and more '.repeat(40)}`,
    `${'Some pasted text. '.repeat(80)} Always use pnpm.`,
  ])('is nothing lasting: %s', (said) => {
    expect(correctionsIn(said)).toEqual([]);
  });

  test('of several sentences, those that last', () => {
    expect(
      correctionsIn('That is wrong. Never use var! Fix it now.\n- always name tests after the bug'),
    ).toEqual(['Never use var.', 'Always name tests after the bug.']);
  });

  test('property: any text gives at most three single lines, which are kept as they are when said again', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('no, ', 'always ', 'never use ', 'x', '. ', '\n', '-', '> ', '🙂', '!')),
        (parts) => {
          const lines = correctionsIn(parts.join(''));
          expect(lines.length).toBeLessThanOrEqual(3);
          for (const line of lines) {
            expect(line).toMatch(/^[^\n]{1,201}\.$/u);
            expect(correctionsIn(line)).toEqual([line]);
          }
        },
      ),
    );
  });
});
