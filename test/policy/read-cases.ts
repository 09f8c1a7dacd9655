import { readdirSync, readFileSync } from 'node:fs';

/** `held` is anything but allowed, `okay` anything but denied: where the policy leaves the rest open. */
export const expectations = {
  allow: ['allow'],
  ask: ['ask'],
  deny: ['deny'],
  held: ['ask', 'deny'],
  okay: ['allow', 'ask'],
} as const;

export type Expectation = keyof typeof expectations;
export type CommandCase = { file: string; wanted: Expectation; line: string };

const folder = new URL('cases/', import.meta.url);

/** What cannot be written on one line, or would be too long to read. */
const stretched: [name: string, line: string][] = [
  ['%TOO-LONG%', 'a'.repeat(30_000)],
  ['%TOO-DEEP%', `echo ${'$(echo '.repeat(300)}${')'.repeat(300)}`],
  ['%TOO-MANY%', 'ls; '.repeat(5_000)],
];

/** One case a line: what is wanted in six columns, then the command. ⏎ is a newline, ‹A0› the character U+00A0. */
export function readCases(): CommandCase[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.txt'))
    .sort()
    .flatMap((name) => casesIn(name, readFileSync(new URL(name, folder), 'utf8')));
}

function casesIn(file: string, text: string): CommandCase[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('##'))
    .map((line) => ({ file, wanted: expectationOf(line), line: unfold(line.slice(6)) }));
}

function expectationOf(line: string): Expectation {
  const word = line.slice(0, 6).trim();
  if (!Object.hasOwn(expectations, word)) throw new Error(`No verdict: ${line}`);
  return word as Expectation;
}

function unfold(line: string): string {
  const long = stretched.reduce((text, [name, full]) => text.replace(name, full), line);
  return long
    .replaceAll('⏎', '\n')
    .replaceAll(/‹([0-9A-F]+)›/g, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)));
}
