import fc from 'fast-check';
import { expect, test } from 'vitest';
import { complete, matchCommands, triggerAt } from './trigger.ts';

test.each([
  ['@', 1, { type: 'file', query: '', start: 0 }],
  ['see @src/a', 10, { type: 'file', query: 'src/a', start: 4 }],
  ['see (@src', 9, { type: 'file', query: 'src', start: 5 }],
  ['see @src/a now', 14, null],
  ['me@example.org', 14, null],
  ['/', 1, { type: 'command', query: '', start: 0 }],
  ['/comp', 3, { type: 'command', query: 'co', start: 0 }],
  ['/compact all', 12, null],
  ['and /usr', 8, null],
  ['', 0, null],
])('%j with the caret at %i', (text, caret, trigger) => {
  expect(triggerAt(text, caret)).toEqual(trigger);
});

test('the whole word is replaced, and the caret follows it', () => {
  const trigger = triggerAt('see @sr|c now'.replace('|', ''), 7);
  expect(trigger && complete('see @src now', trigger, 'src/app.ts')).toEqual({
    text: 'see @src/app.ts now',
    caret: 15,
  });
});

test('a folder stays open for what is in it', () => {
  expect(complete('@s', { type: 'file', query: 's', start: 0 }, 'src/')).toEqual({ text: '@src/', caret: 5 });
});

test('whatever is typed, completing changes nothing before the word', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[ @/a-c\n]{0,12}$/), fc.nat(12), (text, place) => {
      const caret = Math.min(place, text.length);
      const trigger = triggerAt(text, caret);
      if (!trigger) return;
      const done = complete(text, trigger, 'x');
      expect(done.text.slice(0, trigger.start)).toBe(text.slice(0, trigger.start));
      expect(done.text.slice(trigger.start + 1, done.caret).trim()).toBe('x');
    }),
  );
});

test('commands that begin with the query come first', () => {
  const commands = ['recompact', 'compact', 'cost', 'help'].map((name) => ({ name }));
  expect(matchCommands(commands, 'co').map(({ name }) => name)).toEqual(['compact', 'cost', 'recompact']);
});
