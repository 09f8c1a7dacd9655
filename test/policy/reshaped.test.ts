import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandJudge, loadJudge } from '../../src/assembly/safety/judge-command.ts';
import type { Verdict } from '../../src/contract/permission.ts';
import { sweep } from '../support/soak.ts';
import { hostileProject } from './project.ts';
import { type Expectation, readCases } from './read-cases.ts';

/** What a wrapping or an addition does to the verdict of a line, over the whole table of cases. */
const cases = readCases().filter(({ file, line }) => file !== 'trusted.txt' && line.length < 500);
const cleanUps: (() => Promise<void>)[] = [];
let verdict: (line: string) => Verdict;

beforeAll(async () => {
  await loadJudge();
  const { root, home } = await hostileProject((clean) => cleanUps.push(clean));
  const judge = commandJudge({ cwd: root, home, trusted: false });
  verdict = (line) => judge(line.replaceAll('%ROOT%', root).replaceAll('%HOME%', home)).verdict;
});
afterAll(() => Promise.all(cleanUps.map((clean) => clean())));

/** Lines that can stand inside another: whole, on one line, and without a remark or a continuation at their end. */
const whole = (line: string) => !/[\n#]|<<|[\\&|]$|^[\s;&|]*$/.test(line);

function linesOf(...wanted: Expectation[]): fc.Arbitrary<string> {
  return fc.constantFrom(...tableOf(...wanted));
}

function tableOf(...wanted: Expectation[]): string[] {
  return cases.filter((one) => wanted.includes(one.wanted) && whole(one.line)).map(({ line }) => line);
}

const quoted = (line: string) => `'${line.replaceAll("'", "'\\''")}'`;

type Reshaping = (line: string) => string;

const around: Reshaping[] = [
  (line) => `( ${line} )`,
  (line) => `{ ${line}; }`,
  (line) => `! { ${line}; }`,
  (line) => `ls; ${line}`,
  (line) => `${line}; ls`,
  (line) => `ls && ${line}`,
  (line) => `ls || ${line}`,
  (line) => `${line} || true`,
  (line) => `${line}\nls`,
  (line) => `ls\n${line}`,
  (line) => `if true; then ${line}; fi`,
  (line) => `if ${line}; then ls; fi`,
  (line) => `for i in 1 2; do ${line}; done`,
  (line) => `case x in *) ${line};; esac`,
  (line) => `echo "$( ${line} )"`,
  (line) => `echo $( ${line} )`,
  (line) => `cat <( ${line} )`,
  (line) => `cat <<E\n$( ${line} )\nE`,
  (line) => `f() { ${line}; }; f`,
  (line) => `eval ${quoted(line)}`,
  (line) => `bash -c ${quoted(line)}`,
  (line) => `sh -ec ${quoted(line)}`,
  (line) => `timeout 5 bash -c ${quoted(line)}`,
  (line) => `env A=1 sh -c ${quoted(line)}`,
  (line) => `bash <<'E'\n${line}\nE`,
  (line) => `bash <<< ${quoted(line)}`,
  (line) => `ls # remark\n${line}`,
  (line) => `ls \\\n -la; ${line}`,
];

/** A lone `}`, `)` or `'` in a case would end the wrapping, and a different line would be judged. */
const contained = (line: string) => !/^[)}]|[({]$|^\(\(|^ls [)}]$|'\s*$/.test(line) || /^:|^\(/.test(line);

sweep([
  ['every tenth', 10],
  ['every', 1],
])(
  '[P02] [Y07] %s denied line stays denied in whatever it is wrapped',
  (_, step) => {
    const lines = tableOf('deny').filter((_line, index) => index % step === 0);
    const wrapped = lines.flatMap((line) => around.map((reshape) => reshape(line)));
    expect(wrapped.length).toBeGreaterThan(10_000 / step);
    expect(wrapped.filter((line) => verdict(line) !== 'deny')).toEqual([]);
  },
  { timeout: 120_000 },
);

sweep([100, 700])(
  '[Y06] a line that is not free does not become free by being wrapped (%i runs)',
  (numRuns) => {
    fc.assert(
      fc.property(linesOf('ask', 'held').filter(contained), fc.constantFrom(...around), (line, reshape) => {
        expect([reshape(line), verdict(reshape(line))]).not.toEqual([reshape(line), 'allow']);
      }),
      { numRuns },
    );
  },
);

sweep([60, 250])('[Y06] whatever stands beside a free line is judged for itself (%i runs)', (numRuns) => {
  fc.assert(
    fc.property(
      linesOf('allow'),
      linesOf('allow'),
      fc.constantFrom('; ', ' && ', ' || ', ' | ', '\n', ' & '),
      (first, last, join) => {
        expect(verdict([first, 'deploy --now', last].join(join))).not.toBe('allow');
        expect(verdict([first, last, 'rm -rf /'].join(join))).toBe('deny');
      },
    ),
    { numRuns },
  );
});

test('[Y06] a free line that writes its output to a file is not free', () => {
  const redirects = [
    '> out',
    '>> out',
    '2> out',
    '&> out',
    '>| out',
    '3> out',
    '> "out"',
    '>&out',
    '> $X',
    '<> out',
  ];
  fc.assert(
    fc.property(linesOf('allow'), fc.constantFrom(...redirects), (line, redirect) => {
      expect(verdict(`${line} ${redirect}`)).not.toBe('allow');
    }),
    { numRuns: 250 },
  );
});

test('[Y06] a free line with an environment of its own is not free', () => {
  const settings = [
    'PATH=.',
    'LD_PRELOAD=./x.so',
    'GIT_PAGER=./x',
    'BASH_ENV=./x',
    'A=1',
    'IFS=/',
    'env A=1',
    'export A=1;',
  ];
  fc.assert(
    fc.property(linesOf('allow'), fc.constantFrom(...settings), (line, setting) => {
      fc.pre(/^\w/.test(line) && !/^(if|for|time)\b/.test(line));
      expect(verdict(`${setting} ${line}`)).not.toBe('allow');
    }),
    { numRuns: 500 },
  );
});

test('[Y07] a denied line as a quoted argument is nothing but text', () => {
  const carriers = ['echo', 'printf %s', 'grep -n --', 'git log --grep', 'rg -n --'];
  fc.assert(
    fc.property(linesOf('deny'), fc.constantFrom(...carriers), (line, carrier) => {
      expect([line, verdict(`${carrier} ${quoted(line)}`)]).not.toEqual([line, 'deny']);
    }),
    { numRuns: 250 },
  );
});

sweep([100, 700])('no line is too odd to be judged, cut anywhere (%i runs)', (numRuns) => {
  const any = fc.constantFrom(...cases.map(({ line }) => line));
  fc.assert(
    fc.property(any, fc.nat(200), any, (line, at, other) => {
      expect(['allow', 'ask', 'deny']).toContain(verdict(line.slice(0, at) + other.slice(at)));
    }),
    { numRuns },
  );
});
