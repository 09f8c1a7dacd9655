import { describe, expect, test } from 'vitest';
import { bench } from '../../../test/support/tool-context.ts';
import { definer, definitionPattern, symbolRules } from './symbol-rules.ts';

describe('[Y16] every rule passes its own examples', () => {
  test.each(symbolRules.map((rule, i) => [i, rule.what, rule] as const))('%i: %s', (_i, _what, rule) => {
    const verdict = (line: string) =>
      new RegExp(`${rule.before}thing${rule.after}`, 'iu').test(line) && !rule.unless?.test(line);
    expect(rule.examples.hits.filter((line) => !verdict(line))).toEqual([]);
    expect(rule.examples.misses.filter(verdict)).toEqual([]);
  });
});

test('ripgrep and JavaScript interpret the rules alike', async () => {
  const lines = symbolRules.flatMap(({ examples }) => [...examples.hits, ...examples.misses]);
  const { context } = await bench({ a: `${lines.join('\n')}\n` });
  const { lines: found } = await context.search.grep(
    { pattern: definitionPattern(['thing']), ignoreCase: true, mode: 'content' },
    { limit: 1000, signal: context.signal },
  );
  const numbers = found.map((line) => Number(line.split(':')[1]));
  const expected = lines.flatMap((line, i) => {
    const hit = symbolRules.some(({ before, after }) =>
      new RegExp(`${before}thing${after}`, 'iu').test(line),
    );
    return hit ? [i + 1] : [];
  });
  expect(numbers).toEqual(expected);
});

test('a definition is labelled with its kind', () => {
  expect(definer('Router', 'u')('export class Router {')).toBe('type');
  expect(definer('router', 'u')('export class Router {')).toBe(null);
  expect(definer('router', 'iu')('export class Router {')).toBe('type');
  expect(definer('run', 'u')('if run(x) {')).toBe(null);
});

test('a line designed for catastrophic backtracking is judged at once', () => {
  const lines = [
    '** '.repeat(150),
    'a '.repeat(240),
    '('.repeat(490),
    'thing('.repeat(80),
    'thing<'.repeat(80),
  ];
  const started = performance.now();
  expect(lines.map(definer('thing', 'iu'))).toEqual([null, null, null, null, null]);
  expect(performance.now() - started).toBeLessThan(20_000);
});
