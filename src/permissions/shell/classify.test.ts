import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { classify } from './classify.ts';

const place = {
  cwd: '/srv/app',
  trusted: false,
  // A link in the project that leads out of it is not inside, whatever its name.
  isInside: (file: string) => (file === '/srv/app' || file.startsWith('/srv/app/')) && !file.includes('link'),
};
const verdict = (line: string) => classify(line, place).verdict;

/** One case a line: the verdict, then the command; ⏎ stands for a newline, ␀ and ␛ for control characters. */
const cases = readFileSync(new URL('classify.cases.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => ({ wanted: line.slice(0, 6).trim(), line: unprintable(line.slice(6)) }));

function unprintable(text: string): string {
  return text.replaceAll('⏎', '\n').replaceAll('␀', '\0').replaceAll('␛', '\x1b');
}

function casesOf(wanted: string): string[] {
  return cases.filter((one) => one.wanted === wanted).map(({ line }) => line);
}

const [allowed, denied, asked] = [casesOf('allow'), casesOf('deny'), casesOf('ask')];

test('the table is whole', () => {
  expect(cases.length).toBe(allowed.length + denied.length + asked.length);
  expect(Math.min(allowed.length, denied.length, asked.length)).toBeGreaterThan(80);
});

describe('[T12][Y06] lines that only look are free', () => {
  test.each(allowed)('%j', (line) => expect(verdict(line)).toBe('allow'));
});

describe('[P02][P09][P10][Y07] destructive lines are denied in every spelling', () => {
  test.each(denied)('%j', (line) => expect(verdict(line)).toBe('deny'));
});

describe('[Y06] everything else asks', () => {
  test.each(asked)('%j', (line) => expect(verdict(line)).toBe('ask'));
});

describe('a trusted folder', () => {
  const trusted = (line: string) => classify(line, { ...place, trusted: true }).verdict;

  test.each(['npm test', 'npm run build', 'npm run lint', 'npm run test | tail -5'])(
    '[Y06] runs its own %s freely',
    (line) => expect(trusted(line)).toBe('allow'),
  );
  test.each(['npm run dev', 'npm run deploy', 'npm test -- -u', 'npm test; rm a', 'cd src && npm test'])(
    'still asks for %s',
    (line) => expect(trusted(line)).toBe('ask'),
  );
});

test('the reason names what is risky, and the paths that are read are told', () => {
  expect(classify('ls && rm a', place)).toEqual({
    verdict: 'ask',
    because: 'rm is not known to be read-only',
    by: 'default',
    reads: [],
  });
  expect(classify('cd src && head -n 2 a.ts', place)).toEqual({
    verdict: 'allow',
    because: 'it only reads',
    by: 'default',
    reads: ['/srv/app/src', '/srv/app/src/2', '/srv/app/src/a.ts'],
  });
  expect(classify('ls; sudo ls', place)).toEqual({
    verdict: 'deny',
    because: "Command is blocked: it would run with another user's rights",
    by: 'built-in privileges',
    reads: [],
  });
});

test('a hostile line neither throws nor takes long', () => {
  const lines = [
    '"$('.repeat(6000),
    ['$', '{a:-'].join('').repeat(4000),
    '$('.repeat(9000),
    '('.repeat(19_000),
    `ls ${'a'.repeat(30_000)}`,
    "bash -c '".repeat(2000),
    '`\\'.repeat(6000),
    'env '.repeat(4900),
    '{,'.repeat(9000),
    'sh|'.repeat(6000),
    `curl |${'sh|'.repeat(6000)}`,
    'f(){ f;}; '.repeat(1900),
    Array.from({ length: 1500 }, (_, i) => `f${i}(){ g;};`).join(''),
    `cat ${':'.repeat(19_000)}`,
    `ls ${'*'.repeat(19_000)}x`,
    `rm -r ${'/*'.repeat(9000)}x`,
    `rm -r ${'/['.repeat(9000)}`,
  ];
  const started = performance.now();
  for (const line of lines) expect([line.slice(0, 20), verdict(line)]).not.toContain('allow');
  expect(performance.now() - started).toBeLessThan(4000);
});

const piece = fc.oneof(
  fc.constantFrom(
    'ls',
    'cat',
    'git log',
    'rm -rf /',
    'sudo',
    'a',
    '"',
    "'",
    '`',
    '$(',
    ')',
    '${',
    '}',
    '\\',
    '\n',
  ),
  fc.constantFrom(
    ';',
    '&&',
    '||',
    '|',
    '&',
    '>',
    '<',
    '<<E',
    '<(',
    '{',
    '#',
    '*',
    '~',
    '..',
    '=',
    ' ',
    '\t',
    '$',
    '-o',
  ),
  fc.string({ maxLength: 6 }),
);
const anyLine = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''));

test('no line makes it throw', () => {
  fc.assert(
    fc.property(anyLine, (line) => {
      expect(['allow', 'ask', 'deny']).toContain(verdict(line));
    }),
    { numRuns: 3000 },
  );
});

test('whatever comes before, a deletion of everything behind it is never allowed', () => {
  fc.assert(
    fc.property(anyLine, fc.constantFrom('; ', '\n', ' && ', ' | ', ' & '), (line, join) => {
      // A backslash there takes the newline away, and the deletion becomes an argument.
      fc.pre(!(join === '\n' && line.endsWith('\\')));
      expect(verdict(`${line}${join}rm -rf /`)).not.toBe('allow');
    }),
    { numRuns: 3000 },
  );
});

test('an unknown command in a list of harmless ones is never allowed', () => {
  const harmless = fc.constantFrom(...allowed.filter((line) => !/[#\n]/.test(line)));
  fc.assert(
    fc.property(
      fc.array(harmless, { maxLength: 4 }),
      fc.nat(),
      fc.constantFrom(';', '&&', '|', '\n'),
      (lines, at, join) => {
        const mixed = lines.toSpliced(at % (lines.length + 1), 0, 'deploy --now');
        expect(verdict(mixed.join(join))).toBe('ask');
      },
    ),
  );
});

test('quoting a denied line as one argument makes it harmless text', () => {
  const quoted = denied.filter((line) => !line.includes("'"));
  for (const line of quoted) expect(verdict(`echo '${line}'`)).toBe('allow');
});
