import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sweep } from '../../../test/support/soak.ts';
import { bench, use } from '../../../test/support/tool-context.ts';
import { multiEdit } from '../multi-edit.ts';
import { applyEdit, type Edited } from './apply-edit.ts';

function edit(file: string, old_string: string, new_string: string, replace_all = false): Edited {
  return applyEdit(file, 'utf-8', { old_string, new_string, replace_all });
}

const flat = (text: string) => text.replaceAll(/\r\n?/g, '\n');
const trimmed = (text: string) => text.replaceAll(/^[ \t]+|[ \t]+$/gm, '');

/** Every occurrence in a text, by brute force. */
function places(text: string, wanted: string): number[] {
  return [...Array(text.length).keys()].filter((at) => text.startsWith(wanted, at));
}

/** Every text that can result from replacing as many occurrences as possible. */
function outcomes(text: string, old: string, fresh: string): Set<string> {
  const ends = new Map<string, number>();
  const go = (at: number, done: string, count: number) => {
    const rest = places(text, old).filter((place) => place >= at);
    const [first] = rest;
    if (first === undefined) {
      const end = done + text.slice(at);
      return void ends.set(end, Math.max(count, ends.get(end) ?? 0));
    }
    for (const place of rest.filter((one) => one < first + old.length))
      go(place + old.length, done + text.slice(at, place) + fresh, count + 1);
  };
  go(0, '', 0);
  const most = Math.max(...ends.values());
  return new Set([...ends.keys()].filter((end) => ends.get(end) === most));
}

/** Whether each line has its line number in front and equals that line of the file. */
function isThereByNumber(text: string, wanted: string): boolean {
  const lines = trimmed(text).split('\n');
  const old = wanted.replace(/\n$/, '').split('\n');
  const first = Number.parseInt(old[0] ?? '', 10);
  if (wanted.endsWith('\n') && lines.length < first + old.length) return false;
  if (old.every((line) => /^ *\d+\s*$/.test(line))) return false;
  return old.every((line, i) => {
    const [, number, rest = ''] = /^ *(\d+)(?:\t(.*))?$/.exec(line) ?? [];
    return Number(number) === first + i && lines[first + i - 1] === trimmed(rest);
  });
}

describe('[T08] a self-overlapping text has several occurrences', () => {
  test.each([
    ['aaa', 'aa', 2, [1, 1]],
    ['aaaa', 'aa', 3, [1, 1, 1]],
    ['abababa', 'aba', 3, [1, 1, 1]],
    ['x\n\n\ny', '\n\n', 2, [1, 2]],
    ['a\r\n\r\n\r\nb', '\n\n', 2, [1, 2]],
    ['}\n\n}\n\n}\n', '}\n\n}\n', 2, [1, 3]],
    ['\n  a();\n  a();\n', '\n  a();\n', 2, [1, 2]],
    ['end\nend\nend\n', 'end\nend', 2, [1, 2]],
    ['ééé', 'éé', 2, [1, 1]],
    ['        x', '    ', 5, [1, 1, 1, 1, 1]],
  ])('%j contains %j %i times', (file, old, count, lines) => {
    const units = Buffer.from(file).toString('latin1');
    expect(edit(units, old, 'z')).toEqual({
      type: 'refused',
      error:
        `String appears ${count} times. Use replace_all or provide more context.\n` +
        `It starts on lines ${lines.join(', ')}.`,
    });
  });

  test.each([
    ['aaa', 'aa', 'b'],
    ['ababa', 'aba', 'x'],
    ['x\n\n\ny', '\n\n', '\n-\n'],
    ['     x', '    ', '\t'],
  ])('all of %j replaced by %j: refused where the choice of occurrences matters', (file, old, fresh) => {
    expect(edit(file, old, fresh, true)).toMatchObject({
      error: expect.stringContaining('overlap, so replace_all has more than one possible result.'),
    });
  });

  test.each([
    ['        x', '    ', '\t', '\t\tx', 2],
    ['x\n\n\ny', '\n\n', '\n', 'x\n\ny', 1],
    ['aaaa', 'aa', 'b', 'bb', 2],
    ['abababa', 'aba', 'x', 'xbx', 2],
  ])(
    '%j with all of %j: done where every maximal choice yields the same text',
    (file, old, fresh, units, count) => {
      expect(edit(file, old, fresh, true)).toEqual({ type: 'edited', units, count, notes: [] });
    },
  );
});

describe('[T08] [T10] line numbers are dropped only if they match the lines', () => {
  const told = 'The line numbers were removed: they are not part of the file.';

  test.each([
    ['a\nb\na\n', '3\ta', 'c', 'a\nb\nc\n'],
    ['a\nb\na\n', '1\ta', '1\tc', 'c\nb\na\n'],
    ['a\nb\na\nb\n', '3\ta\n4\tb\n', '3\tx\n', 'a\nb\nx\n'],
    ['a\r\nb\r\na\r\n', '3\ta\r\n', '3\tc\r\n', 'a\r\nb\r\nc\r\n'],
    ['a\rb\ra', '3\ta', 'c', 'a\rb\rc'],
  ])('%j: %j has one match', (file, old, fresh, units) => {
    expect(edit(file, old, fresh)).toMatchObject({ type: 'edited', units, count: 1, notes: [told] });
    expect(edit(file, old, fresh, true)).toMatchObject({ type: 'edited', units, count: 1 });
  });

  test.each([
    ['another number', 'a\nb\n', '2\ta', 'c'],
    ['no such line', 'a\nb\n', '7\ta', 'c'],
    ['the last line has another number', 'a\nb\nb\n', '1\ta\n3\tb', 'c'],
    ['a part of a line', 'ab\n', '1\ta', 'c'],
    ['another number, blanks aside', 'x\n  a\n', '1\ta', 'c'],
    ['also meant as text, blanks aside', 'a\n  1\ta\n', '1\ta ', 'c'],
  ])('%s: refused', (_, file, old, fresh) => {
    expect(edit(file, old, fresh)).toMatchObject({
      error: expect.stringMatching(/^String not found in file/),
    });
  });

  test('numbers that the file itself contains are text', () => {
    expect(edit('1\ta\na\n', '1\ta', '1\tb')).toEqual({
      type: 'edited',
      units: '1\tb\na\n',
      count: 1,
      notes: [],
    });
  });
});

test("[T08] line endings other than the file's are reported", () => {
  const notes = ['The line endings in old_string are not those of the file, which were kept.'];
  expect(edit('a\r\nb\r\n', 'a\nb', 'c\nd')).toEqual({
    type: 'edited',
    units: 'c\r\nd\r\n',
    count: 1,
    notes,
  });
  expect(edit('a\nb\n', 'a\r\nb', 'c\r\nd')).toEqual({ type: 'edited', units: 'c\nd\n', count: 1, notes });
  expect(edit('a\r\nb\r\n', 'a\r\nb', 'c\r\nd')).toMatchObject({ notes: [] });
  expect(edit('a\r\nb\r\n', 'a', 'c')).toMatchObject({ notes: [] });
  expect(edit('x\r\n  a\r\nb\r\n', '\ta\nb', '\tc\nb')).toMatchObject({
    units: 'x\r\n  c\r\nb\r\n',
    notes: [expect.stringContaining('except for leading and trailing whitespace'), ...notes],
  });
});

test.each([
  ['other quotes', "say('a')\n", 'say("a")'],
  ['curly quotes', 'say("a")\n', 'say(“a”)'],
  ['another composition of a letter', 'caf\u00e9\n', 'cafe\u0301'],
  ['another kind of blank', 'a b\n', 'a\u00a0b'],
  ['another case', 'Total\n', 'total'],
  ['another dash', 'a - b\n', 'a – b'],
])('[T08] %s: not the same text, so nothing is changed', (_, file, old) => {
  const units = Buffer.from(file).toString('latin1');
  expect(edit(units, old, 'x')).toMatchObject({ error: expect.stringMatching(/^String not found in file/) });
});

const file = fc.string({
  unit: fc.constantFrom('\n', '\r\n', 'a', 'b', ' ', '\t', '1\t', '2\t'),
  maxLength: 24,
});
const piece = fc.string({ unit: fc.constantFrom('\n', 'a', 'b', ' ', '\t', '1\t', '2\t'), maxLength: 6 });

/** Often a part of the file, and often with different whitespace. */
const cases = fc
  .record({ file, free: piece, fresh: piece, all: fc.boolean(), at: fc.nat(24), length: fc.nat(12) })
  .chain(({ file, free, fresh, all, at, length }) => {
    const part = flat(file).slice(at, at + length);
    const old = fc.constantFrom(
      free,
      part,
      trimmed(part),
      `  ${part}`,
      part.replaceAll('\n', ' \n'),
      `1\t${part}`,
    );
    return fc.record({ file: fc.constant(file), old, fresh: fc.constant(fresh), all: fc.constant(all) });
  });

sweep([1500, 20_000])(
  '[T08] property: any edit applies to one exact match, to the only possible match, or not at all (%i runs)',
  (numRuns) => {
    let loose = 0;
    fc.assert(
      fc.property(cases, ({ file, old, fresh, all }) => {
        const result = edit(file, old, fresh, all);
        const plain = flat(file);
        const found = old === '' ? [] : places(plain, old);
        if (result.type === 'refused') {
          if (old === '' || old === fresh) return;
          if (found.length > 1 && !all)
            expect(result.error).toMatch(`String appears ${found.length} times. Use`);
          const ends = outcomes(plain, old, fresh);
          if (found.length === 1) expect([...ends]).toEqual([plain]);
          // The preserved line ending may be the only difference.
          if (found.length > 1 && all && !ends.has(plain) && !file.includes('\r'))
            expect(ends.size).toBeGreaterThan(1);
          return;
        }
        expect(old).not.toBe('');
        if (found.length > 0) {
          expect(found.length === 1 || all).toBe(true);
          expect([...outcomes(plain, old, fresh)]).toEqual([flat(result.units)]);
          return;
        }
        loose++;
        expect(result.count).toBe(1);
        expect(result.notes.length).toBeGreaterThan(0);
        const asText = places(trimmed(plain), trimmed(old)).length;
        const asNumbered = isThereByNumber(plain, old);
        expect([asText, asNumbered]).toEqual(asText === 0 ? [0, true] : [1, false]);
        // Whole lines of the file are kept around the match.
        const kept = trimmed(plain).split('\n').length - trimmed(old).split('\n').length;
        const before = plain.split('\n');
        const after = flat(result.units).split('\n');
        let head = 0;
        while (head < before.length && before[head] === after[head]) head++;
        let tail = 0;
        while (tail < before.length - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
        expect(head + tail).toBeGreaterThanOrEqual(kept);
      }),
      { numRuns },
    );
    expect(loose).toBeGreaterThan(numRuns / 400);
  },
);

sweep([100, 300])(
  '[U09] property: MultiEdit applies all edits, each to the result of the previous one, or none (%i runs)',
  async (numRuns) => {
    // Often something that is there: most other pieces are not.
    const place = fc.oneof(
      fc.constantFrom({ name: 'a.txt', old: 'ab\n' }, { name: 'b.txt', old: 'ba\n' }),
      fc.record({ name: fc.constantFrom('a.txt', 'b.txt'), old: piece }),
    );
    const row = fc
      .tuple(place, fc.record({ fresh: piece, all: fc.boolean() }))
      .map(([where, what]) => ({ ...where, ...what }));
    let made = 0;
    await fc.assert(
      fc.asyncProperty(file, file, fc.array(row, { minLength: 1, maxLength: 4 }), async (a, b, rows) => {
        const files: Record<string, string> = { 'a.txt': `${a}ab\n`, 'b.txt': `${b}ba\n` };
        const { context, tree } = await bench(files);
        let expected: Record<string, string> | null = { ...files };
        for (const { name, old, fresh, all } of rows) {
          const result: Edited | null = expected && edit(expected[name] ?? '', old, fresh, all);
          expected = result?.type === 'edited' ? { ...expected, [name]: result.units } : null;
        }
        const edits = rows.map(({ name, old, fresh, all }) => ({
          ...{ file_path: name, old_string: old, new_string: fresh, replace_all: all },
        }));
        const { success } = await use(multiEdit, { edits }, context);
        expect(await tree()).toEqual(success ? expected : files);
        if (success) made++;
        else expect(expected === null || JSON.stringify(expected) === JSON.stringify(files)).toBe(true);
      }),
      { numRuns },
    );
    expect(made).toBeGreaterThan(numRuns / 20);
  },
);
