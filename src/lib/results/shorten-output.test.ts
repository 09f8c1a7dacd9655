import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withoutProgress } from './progress-noise.ts';
import { resultLimits } from './result-limits.ts';
import { firstMissingLine, shortenOutput } from './shorten-output.ts';
import { failureLines } from './test-reports.ts';

const samples = path.join(import.meta.dirname, '../../../test/support/test-reports');
const sample = (name: string) => readFileSync(path.join(samples, `${name}.txt`), 'utf8');

/** What the model ran the tests for: names of failing tests, and what failed. */
const REPORTS: readonly [name: string, room: number, lines: readonly string[]][] = [
  [
    'pytest',
    2_600,
    [
      'E       AssertionError: tax is added',
      'E       assert 33 == 34',
      "E       Failed: DID NOT RAISE <class 'ValueError'>",
      "E       TypeError: 'NoneType' object is not iterable",
      'FAILED test_shop.py::test_total_with_tax',
      'FAILED test_shop.py::TestCart::test_text',
      'FAILED test_shop.py::test_more[7]',
    ],
  ],
  [
    'pytest-verbose',
    3_500,
    [
      'E       AssertionError: tax is added',
      'E         Omitting 1 identical items, use -vv to show',
      "E       Failed: DID NOT RAISE <class 'ValueError'>",
      "E       TypeError: 'NoneType' object is not iterable",
      'FAILED test_shop.py::test_breaks',
    ],
  ],
  [
    'unittest',
    1_300,
    [
      'AssertionError: 33 != 34 : tax is added',
      'AssertionError: Lists differ: [1, 2, 3] != [1, 2, 4]',
      "KeyError: 'missing'",
      'FAIL: test_items',
      'FAILED (failures=2, errors=1)',
    ],
  ],
  ...(['vitest', 'vitest-verbose'] as const).map((name): [string, number, string[]] => [
    name,
    2_600,
    [
      'AssertionError: expected 33 to be 34',
      "AssertionError: expected { name: 'cart', …(1) } to deeply equal",
      'AssertionError: expected { a: 1, b: { c: [ 1, 2 ] } } to match object',
      'TypeError: no items',
      'FAIL  cart.test.ts > cart > text',
      'Tests  5 failed | 40 passed (45)',
    ],
  ]),
  [
    'jest',
    1_500,
    [
      '● cart › total with tax',
      'expect(received).toEqual(expected)',
      'no items',
      'Tests:       3 failed, 30 passed',
    ],
  ],
  [
    'mocha',
    900,
    ['3 failing', 'total with tax:', 'AssertionError [ERR_ASSERTION]: 33 == 34', 'TypeError: no items'],
  ],
  [
    'go',
    900,
    [
      'cart_test.go:12: total() = 33, want 34',
      '--- FAIL: TestItems/full',
      'actual  : 4',
      'panic: runtime error: index out of range [3] with length 3',
    ],
  ],
  [
    'cargo',
    2_000,
    [
      'test tests::total_with_tax ... FAILED',
      'assertion `left == right` failed: tax is added',
      'right: 34',
      'called `Option::unwrap()` on a `None` value',
      'test result: FAILED. 40 passed; 3 failed',
    ],
  ],
  [
    'node-spec',
    2_000,
    [
      '✖ total with tax',
      'AssertionError [ERR_ASSERTION]: Expected values to be strictly equal',
      'no items',
      'expected: 34',
      'fail 3',
    ],
  ],
  ['node-tap', 2_000, ['not ok 31 - total with tax', "error: 'no items'", 'expected: 34', '# fail 3']],
  [
    'junit',
    1_500,
    [
      'tax is added ==> expected: <34> but was: <33>',
      'java.lang.NullPointerException',
      'Tests run: 33, Failures: 1, Errors: 1',
    ],
  ],
  [
    'rspec',
    1_000,
    [
      '1) Cart adds the tax',
      'got: 33',
      "undefined method `length' for nil",
      '33 examples, 3 failures',
      'rspec ./spec/cart_spec.rb:15',
    ],
  ],
  [
    'ctest',
    1_200,
    [
      ' 4/40 Test  #4: shop.case_4 ......................Subprocess aborted***Exception',
      "test_shop: test_shop.c:10: main: Assertion `total(10, 20) == wanted' failed.",
      '33/40 Test #33: shop.case_33',
      '93% tests passed, 3 tests failed out of 40',
      '17 - shop.case_17 (Subprocess aborted)',
    ],
  ],
  [
    'phpunit',
    700,
    [
      '1) CartTest::testThrows',
      'Failed asserting that 33 matches expected 34.',
      'TypeError: label()',
      'Tests: 33, Assertions: 32',
    ],
  ],
];

describe('the report of a test runner that is too long', () => {
  test.each(readdirSync(samples))('%s, in the smallest window, keeps every line that matters', (name) => {
    const whole = readFileSync(path.join(samples, name), 'utf8');
    const { output } = resultLimits(8_000);
    const isFailure = failureLines(whole);
    const lines = shortenOutput(whole, output).split('\n');
    const lost = whole.split('\n').filter((line) => isFailure?.(line) && !lines.includes(line));
    expect([isFailure === null, lost]).toEqual([false, []]);
  });

  test.each(REPORTS)('%s, in %d characters, keeps failing names and assertions', (name, room, lines) => {
    const whole = sample(name);
    expect(whole.length).toBeGreaterThan(room);
    const shown = shortenOutput(whole, room);
    expect(shown.length).toBeLessThanOrEqual(room);
    expect(lines.filter((line) => !shown.includes(line))).toEqual([]);
  });

  test('what failed is kept even in the middle of an endless log', () => {
    const log = (what: string) => Array.from({ length: 5_000 }, (_, i) => `${what} ${i} at work`).join('\n');
    const shown = shortenOutput(`${log('before')}\n${sample('pytest')}\n${log('after')}`, 10_000);
    expect(shown).toContain('E       AssertionError: tax is added');
    expect(shown).toContain('FAILED test_shop.py::test_more[7]');
    expect(shown).toContain('before 0 at work');
    expect(shown).toMatch(/after 4999 at work$/);
    expect(shown).toMatch(/\n\[\d+ lines left out\]\n/);
  });
});

describe('a long output', () => {
  test('loses progress lines first, and nothing else if that is enough', () => {
    const noise = Array.from({ length: 500 }, (_, i) => `Downloading package-${i}`);
    expect(shortenOutput(['start', ...noise, 'end'].join('\n'), 1_000)).toBe(
      'start\n[500 progress lines left out]\nend',
    );
    expect(withoutProgress('10%\r50%\r100%\nok\n\r\nlast')).toBe('100%\nok\n\r\nlast');
  });

  test('keeps a fifth from its start and four fifths from its end', () => {
    const lines = Array.from({ length: 10_000 }, (_, i) => `line ${i}`).join('\n');
    const [head = '', tail = ''] = shortenOutput(lines, 40_000).split('\n... [truncated] ...\n');
    expect(head).toMatch(/^line 0\n/);
    expect(tail).toMatch(/\nline 9999$/);
    expect(Math.round((100 * head.length) / (head.length + tail.length))).toBe(20);
    const first = Number(/(\d+)$/.exec(head)?.[1]) + 1;
    expect(firstMissingLine(lines, `${head}\n... [truncated] ...\n${tail}`)).toBe(first + 1);
  });

  test('property: never gets longer than its limit, and stays as it is below it', () => {
    const line = fc.oneof(
      fc.string({ maxLength: 120 }),
      fc.constantFrom('E   assert 1 == 2', '=== FAILURES ===', 'ok 1', 'FAILED a::b', '50%\r60%'),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 200 }), fc.integer({ min: 200, max: 4_000 }), (lines, max) => {
        const text = lines.join('\n');
        const shown = shortenOutput(text, max);
        expect(shown.length).toBeLessThanOrEqual(max);
        if (text.length <= max) expect(shown).toBe(text);
      }),
    );
  });
});
