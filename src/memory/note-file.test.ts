import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cleanText, type Entry, newEntry, parseEntry, renderEntry } from './entry.ts';
import { addNotes, changeNotes, entriesOf, parseNotes, printNotes } from './note-file.ts';

const day = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

const text = fc
  .oneof(
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.constantFrom(
      '- a list',
      '1. first',
      '<!-- x -->',
      'a --> b <!-- 2026-01-01 -->',
      '# title',
      '\ta\n b',
    ),
  )
  .map(cleanText)
  .filter((clean) => clean !== '' && !/^\[[ xX]\] /.test(clean));

const entry: fc.Arbitrary<Entry> = fc
  .record({
    text,
    date: day,
    session: fc.option(fc.stringMatching(/^[0-9a-f]{8}$/), { nil: null }),
    used: fc.option(day, { nil: null }),
    uses: fc.integer({ min: 1, max: 999 }),
    pinned: fc.boolean(),
  })
  .map((made) => ({ ...made, uses: made.used === null ? 0 : made.uses }));

/** Arbitrary text, with much that looks like a list. */
const anyFile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '',
        '# Notes',
        '- a',
        '  more',
        '* b <!-- 2026-01-01, pinned -->',
        '-',
        '- ',
        '1) c',
        '```',
      ),
      fc.string({ maxLength: 30 }),
    ),
    { maxLength: 12 },
  )
  .map((lines) => lines.join('\n'));

describe('a note as a line of Markdown', () => {
  test('round-trips, whatever the text', () => {
    fc.assert(
      fc.property(entry, (one) => {
        expect(parseEntry(renderEntry(one))).toEqual(one);
      }),
    );
  });

  test('the text comes first, the metadata in a comment', () => {
    const one = {
      ...newEntry('Use  pnpm,\nnot npm.', { date: '2026-11-16', session: '9d923fc9' }),
      pinned: true,
    };
    expect(renderEntry(one)).toBe('- Use pnpm, not npm. <!-- 2026-11-16, session 9d923fc9, pinned -->');
    expect(renderEntry({ ...one, used: '2026-11-20', uses: 3, pinned: false })).toBe(
      '- Use pnpm, not npm. <!-- 2026-11-16, session 9d923fc9, used 2026-11-20 3 times -->',
    );
  });
});

describe('a file that users may edit', () => {
  test('unchanged, it is printed byte for byte', () => {
    fc.assert(
      fc.property(anyFile, (file) => {
        expect(printNotes(parseNotes(file))).toBe(file);
      }),
    );
  });

  test('added notes can be read, and existing content is kept', () => {
    fc.assert(
      fc.property(anyFile, fc.array(entry, { minLength: 1, maxLength: 4 }), (file, entries) => {
        const before = parseNotes(file);
        const after = parseNotes(printNotes(addNotes(before, entries, 'Notes')));
        expect(entriesOf(after)).toEqual([...entriesOf(before), ...entries]);
        expect(printNotes(after).startsWith(file.trimEnd())).toBe(true);
      }),
    );
  });

  test('changing one note leaves every other line unchanged', () => {
    fc.assert(
      fc.property(anyFile, entry, (file, other) => {
        const before = parseNotes(file);
        const [first] = entriesOf(before);
        const after = changeNotes(before, (one) => (one === first ? other : one));
        const untouched = (notes: typeof before) =>
          notes.filter((block) => block.entry !== first && block.entry !== other);
        expect(untouched(after)).toEqual(untouched(before));
      }),
    );
  });

  test('any bullets, continuation lines, no comment: all are notes', () => {
    const file =
      '# Mine\n\nSome words.\n\n* one\n+ two\n  goes on\n3. three <!-- pinned -->\n- [x] four\n- five <!-- see below -->\n';
    expect(entriesOf(parseNotes(file)).map(({ text, pinned, date }) => ({ text, pinned, date }))).toEqual([
      { text: 'one', pinned: false, date: null },
      { text: 'two goes on', pinned: false, date: null },
      { text: 'three', pinned: true, date: null },
      { text: 'four', pinned: false, date: null },
      { text: 'five <!-- see below -->', pinned: false, date: null },
    ]);
  });
});
