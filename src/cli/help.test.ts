import { expect, test } from 'vitest';
import { buildProgram, subcommands } from './args.ts';

function helpAt(width?: number): string {
  const written: string[] = [];
  const out = (text: string) => void written.push(text);
  buildProgram({ out, err: () => undefined, width }).outputHelp();
  return written.join('');
}

test.each([undefined, 60, 80, 120])(
  'the help fits into %s columns; only addresses and examples may be longer',
  (width) => {
    const lines = helpAt(width)
      .split('\n')
      .filter((line) => !/https:|^ {2}\$ /.test(line));
    expect(lines.filter((line) => line.length > (width ?? 80))).toEqual([]);
  },
);

test('examples stand first, then each command under a heading, then the options', () => {
  const text = helpAt();
  const order = [
    'Usage: aca',
    'Examples:',
    'Sessions and changes:',
    'Setup:',
    'Arguments:',
    'Running:',
    'Exit codes:',
    'Docs:',
  ];
  const places = order.map((part) => text.indexOf(part));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places[0]).toBe(0);
  const between = text.slice(text.indexOf('Examples:'), text.indexOf('Arguments:'));
  for (const { name } of subcommands) expect(between).toContain(`\n  ${name.padEnd(10)}  `);
});
