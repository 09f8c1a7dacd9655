import { Terminal } from '@xterm/headless';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sweep } from '../../../../test/support/soak.ts';
import type { Style } from '../view/types.ts';
import { paint } from './paint.ts';
import { gapOf, rowChange } from './row-changes.ts';

const COLUMNS = 60;

const texts = fc.array(
  fc.constantFrom(
    'a',
    'b',
    ' ',
    'word ',
    '日',
    '本語',
    'ä',
    'e\u0301',
    '⠼',
    '·',
    '1\ufe0f\u20e3',
    '😀',
    '🇩🇪',
    '…',
  ),
  { maxLength: 8 },
);
const styles = fc.constantFrom<Style | undefined>(
  undefined,
  { color: 'ansi256(111)' },
  { color: '#102030', bold: true },
  { background: '#405060' },
  { dim: true, italic: true, underline: true },
  { color: 'redBright', inverse: true },
  { href: 'https://example.com/a' },
);
const spans = fc.array(
  fc.record({ text: texts.map((all) => all.join('')), style: styles }).map(({ text, style }) => ({
    text,
    ...(style && { style }),
  })),
  { maxLength: 5 },
);
/** Rows as they follow each other: another row, a span changed, text added. */
const pair = fc.oneof(
  fc.tuple(spans, spans),
  fc.tuple(spans, fc.nat(4), spans).map(([old, at, put]) => [old, old.toSpliced(at, 1, ...put)] as const),
  fc.tuple(spans, spans).map(([old, more]) => [old, [...old, ...more]] as const),
);

async function shown(...writes: string[]): Promise<string[]> {
  const terminal = new Terminal({ cols: COLUMNS, rows: 3, allowProposedApi: true });
  for (const text of writes) await new Promise<void>((done) => terminal.write(text, done));
  const line = terminal.buffer.active.getLine(0);
  return Array.from({ length: COLUMNS }, (_, i) => {
    const cell = line?.getCell(i);
    const style = [cell?.isBold(), cell?.isDim(), cell?.isItalic(), cell?.isUnderline(), cell?.isInverse()];
    const colors = [cell?.getFgColor(), cell?.getFgColorMode(), cell?.getBgColor(), cell?.getBgColorMode()];
    return [cell?.getChars() || ' ', ...style.map(Number), ...colors].join();
  });
}

describe('a changed row', () => {
  sweep([25, 100])('looks like the new one, whatever was there before (%i runs)', async (numRuns) => {
    await fc.assert(
      fc.asyncProperty(pair, async ([old, next]) => {
        const [was, is] = [paint(old), paint(next)];
        const { column, text, toEnd } = rowChange(was, is);
        const change = `\r${column > 0 ? `\u001b[${column}C` : ''}${text}${toEnd ? '\u001b[K' : ''}`;

        // A style that is still on would color what is written later.
        expect(await shown(was, change, '\u001b[999C!')).toEqual(await shown(is, '\u001b[999C!'));
      }),
      { numRuns },
    );
  });

  test.each([
    ['text is added', 'some words', 'some words more', ' more'],
    ['a spinner moves', '⠋ Running npm test', '⠙ Running npm test', '⠙ '],
    ['a number changes in the middle', 'Running 11s now', 'Running 12s now', '2'],
  ])('only what changed is written: %s', (_what, old, next, text) => {
    expect(rowChange(old, next).text).toBe(text);
  });
});

describe('the place where rows were inserted or removed', () => {
  test.each([
    [
      'above equal rows',
      ['', 'one', '', 'spinner 1', 'status'],
      ['', 'one two', '', 'three', '', 'spinner 2', 'status'],
      2,
    ],
    ['at the end', ['a', 'b'], ['a', 'b', 'c'], 2],
    ['at the start', ['a', 'b'], ['x', 'y', 'a', 'b'], 0],
    ['removed from the middle', ['a', 'out 1', 'out 2', 'status', '> '], ['a', 'status', '> '], 1],
  ])('%s', (_what, old, next, gap) => {
    const found = gapOf(old, next);
    expect([gap, gap + 1]).toContain(found);
  });
});
