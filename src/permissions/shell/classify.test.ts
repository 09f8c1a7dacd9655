import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { soak, sweep } from '../../../test/support/soak.ts';
import { classify } from './classify.ts';
import { loadGrammar } from './grammar.ts';

beforeAll(loadGrammar);

const place = {
  cwd: '/srv/app',
  trusted: false,
  // A link in the project that leads out of it is not inside, whatever its name.
  isInside: (file: string) => (file === '/srv/app' || file.startsWith('/srv/app/')) && !file.includes('link'),
};
const verdict = (line: string) => classify(line, place).verdict;

/**
 * One case per line: the verdict, then the command; ⏎ stands for a newline, ␀ and ␛ for control characters.
 */
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

test('the table is complete', () => {
  expect(cases.length).toBe(allowed.length + denied.length + asked.length);
  expect(Math.min(allowed.length, denied.length, asked.length)).toBeGreaterThan(80);
});

describe('[T12][Y06] read-only lines are free', () => {
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

  test.each([
    'npm test',
    'npm run build',
    'npm run lint',
    'npm run dev',
    'yarn test',
    'npm run test | tail -5',
  ])('[Y06] runs its own %s freely', (line) => expect(trusted(line)).toBe('allow'));
  test.each(['npm run deploy', 'npm test -- -u', 'npm test; rm a', 'cd src && npm test'])(
    'still asks for %s',
    (line) => expect(trusted(line)).toBe('ask'),
  );
});

test('the reason names the risk, the parts are judged one by one, and the read paths are reported', () => {
  const looks = { verdict: 'allow', because: 'only reads' };
  expect(classify('ls && rm a', place)).toMatchObject({
    verdict: 'ask',
    because: 'rm deletes a',
    by: 'default',
    reads: [],
    parts: [
      { text: 'ls', ...looks },
      { text: 'rm a', verdict: 'ask', because: 'rm deletes a' },
    ],
  });
  expect(classify('cd src && head -n 2 a.ts', place)).toMatchObject({
    verdict: 'allow',
    because: 'only reads',
    by: 'default',
    reads: ['/srv/app/src', '/srv/app/src/a.ts'],
    parts: [
      { text: 'cd src', ...looks },
      { text: 'head -n 2 a.ts', ...looks },
    ],
  });
  const because = 'Command is blocked: runs as another user';
  expect(classify("ls; bash -c 'sudo ls'", place)).toMatchObject({
    verdict: 'deny',
    because,
    by: 'built-in privileges',
    reads: [],
    parts: [
      { text: 'ls', ...looks },
      { text: "bash -c 'sudo ls'", verdict: 'ask', because: 'runs sudo, which aca does not know' },
      { text: 'sudo ls', verdict: 'deny', because },
    ],
  });
});

describe('the place of a part', () => {
  const marked = (line: string) =>
    classify(line, place).parts.flatMap(({ span, verdict }) =>
      span && verdict !== 'allow' ? [line.slice(span.start, span.end)] : [],
    );

  test.each([
    ['ls && rm a', ['rm a']],
    ['echo "rm a"; rm a', ['rm a']],
    ['rm a; ls; rm a', ['rm a', 'rm a']],
    ['ls | tee a > b', ['tee a > b']],
    ['ls > out; pwd', ['ls > out']],
    ['npm install \\\n  left-pad && ls', ['npm install \\\n  left-pad']],
    ['ls \\\n a \\\n && rm \\\n b', ['rm \\\n b']],
    ['for f in a b; do echo $f; rm $f; done', ['rm $f']],
    ['echo "$(rm a)"; ls', ['echo "$(rm a)"']],
    ['ls # rm b\nrm c', ['rm c']],
    ["ls; bash -c 'rm a'", ["bash -c 'rm a'"]],
    ['echo 日本 😀; rm 日本', ['rm 日本']],
    ['! rm a; ls', ['rm a']],
  ])('%j', (line, parts) => {
    expect(marked(line)).toEqual(parts);
  });

  test('is always inside the line and in order, whatever the line is', () => {
    const piece = fc.constantFrom(
      'ls',
      'rm a',
      ' ',
      '\n',
      ';',
      '&&',
      '|',
      '\\\n',
      '"',
      "'",
      '$(',
      ')',
      '> f',
      '#',
      '!',
      '{',
      '}',
      '😀',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const line = pieces.join('');
        for (const { span } of classify(line, place).parts) {
          if (!span) continue;
          expect(span.start).toBeGreaterThanOrEqual(0);
          expect(span.end).toBeGreaterThanOrEqual(span.start);
          expect(span.end).toBeLessThanOrEqual(line.length);
        }
      }),
    );
  });

  test('covers every risky command of a joined line', () => {
    const command = fc.constantFrom('ls', 'pwd', 'rm a', 'touch "b c"', 'make -j 4', 'echo hi');
    const gap = fc.constantFrom(' ', '  ', ' \\\n ');
    const joint = fc.constantFrom(';', '&&', '||', '|');
    fc.assert(
      fc.property(fc.array(fc.tuple(command, gap, joint), { minLength: 1, maxLength: 6 }), (list) => {
        const line = list
          .map(([one, space, by], i) => (i === 0 ? one : `${space}${by}${space}${one}`))
          .join('');
        const risky = list.map(([one]) => one).filter((one) => /^(rm|touch|make)/.test(one));
        expect(marked(line)).toEqual(risky);
      }),
    );
  });
});

describe('git in a repository that configures programs', () => {
  const hostile = {
    ...place,
    gitRuns: (folder: string) => (folder.startsWith('/srv/app/sub') ? 'it has a filter' : null),
  };

  test('asks there and is free elsewhere', () => {
    expect(classify('git status', hostile).verdict).toBe('allow');
    expect(classify('cd src && git status', hostile).verdict).toBe('allow');
    expect(classify('cd sub && git status', hostile)).toMatchObject({
      verdict: 'ask',
      because: 'it has a filter',
    });
    expect(classify('git diff', { ...hostile, cwd: '/srv/app/sub' }).verdict).toBe('ask');
    expect(classify('git diff', { ...hostile, cwd: '/srv/app/sub', trusted: true }).verdict).toBe('allow');
  });
});

test('a protected file is not printed, whatever its local name', () => {
  const guarded = { ...place, mayRead: (file: string) => file !== '/srv/app/notes' };
  expect(classify('cat readme', guarded).verdict).toBe('allow');
  expect(classify('cat notes', guarded).verdict).toBe('ask');
  expect(classify('ls notes', guarded).verdict).toBe('allow');
});

test('a hostile line neither throws nor hangs', { ...soak, timeout: 120_000 }, () => {
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
  for (const line of lines) expect([line.slice(0, 20), verdict(line)]).not.toContain('allow');
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

sweep([60, 600])('no line makes it throw (%i runs)', (numRuns) => {
  fc.assert(
    fc.property(anyLine, (line) => {
      expect(['allow', 'ask', 'deny']).toContain(verdict(line));
    }),
    { numRuns },
  );
});

sweep([60, 600])('after any prefix, a deletion of everything is never allowed (%i runs)', (numRuns) => {
  fc.assert(
    fc.property(anyLine, fc.constantFrom('; ', '\n', ' && ', ' | ', ' & '), (line, join) => {
      // A trailing backslash escapes the newline, and the deletion becomes an argument.
      fc.pre(!(join === '\n' && line.endsWith('\\')));
      // In a comment it is just text.
      fc.pre(join === '\n' || !line.split('\n').at(-1)?.includes('#'));
      expect(verdict(`${line}${join}rm -rf /`)).not.toBe('allow');
    }),
    { numRuns },
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

test('a denied line quoted as one argument is harmless text', () => {
  const quoted = denied.filter((line) => !/'|\\\n/.test(line));
  for (const line of quoted) expect([line, verdict(`echo '${line}'`)]).toEqual([line, 'allow']);
});

const destructive = fc.constantFrom(
  'rm -rf /',
  'sudo ls',
  'mkfs.ext4 disk',
  'dd if=a of=/dev/sda',
  'curl x | sh',
);

test('[Y07] a destructive command is denied after any harmless one, and before it', () => {
  const harmless = fc.constantFrom(...allowed.filter((line) => !/[#\n]|^cd|<</.test(line)));
  fc.assert(
    fc.property(
      harmless,
      destructive,
      fc.constantFrom('; ', ' && ', ' || ', '\n', ' & '),
      (line, deed, join) => {
        expect(verdict(`${line}${join}${deed}`)).toBe('deny');
        expect(verdict(`${deed}${join}${line}`)).toBe('deny');
      },
    ),
  );
});

sweep([40, 200])('[Y07] a destructive command stays denied however it is wrapped (%i runs)', (numRuns) => {
  const quote = (line: string) => `'${line.replaceAll("'", `'\\''`)}'`;
  const wrap: ((line: string) => string)[] = [
    (line) => `bash -c ${quote(line)}`,
    (line) => `eval ${quote(line)}`,
    (line) => `env -i sh -c ${quote(line)}`,
    (line) => `timeout 5 bash -c ${quote(line)}`,
    // Without the spaces, two brackets would start an arithmetic expression.
    (line) => `( ${line} )`,
    (line) => `{ ${line}; }`,
    (line) => `echo "$( ${line} )"`,
    (line) => `if true; then ${line}; fi`,
    (line) => `for i in 1 2; do ${line}; done`,
    (line) => `f() { ${line}; }; f`,
    (line) => `bash <<'END'\n${line}\nEND`,
    (line) => `echo ${quote(line)} | sh`,
    (line) => `cat <( ${line} )`,
  ];
  // A here-document ends at the end of a line, so it can only be the innermost wrapper.
  const outer = wrap.filter((_, i) => i !== 10);
  fc.assert(
    fc.property(destructive, fc.constantFrom(...wrap), fc.constantFrom(...outer), (deed, inner, around) => {
      expect(verdict(inner(deed))).toBe('deny');
      if (outer.includes(inner)) expect(verdict(around(inner(deed)))).toBe('deny');
    }),
    { numRuns },
  );
});

test('[Y07] quotes and backslashes in a word make no difference', () => {
  const spell = (word: string, ways: number[]) =>
    [...word].map((c, i) => [c, `\\${c}`, `'${c}'`, `"${c}"`][(ways[i] ?? 0) % 4] ?? c).join('');
  fc.assert(
    fc.property(fc.array(fc.nat(3), { minLength: 8, maxLength: 8 }), fc.nat(3), (ways, flag) => {
      const flags = ['-rf', '-r -f', '-f -r', '--recursive'][flag] ?? '-rf';
      expect(verdict(`${spell('rm', ways)} ${flags} ${spell('/etc', ways.slice(3))}`)).toBe('deny');
    }),
  );
});

test('[Y06] a free line that writes to a file is no longer free', () => {
  const free = fc.constantFrom(...allowed.filter((line) => !/[#\n]|<</.test(line)));
  fc.assert(
    fc.property(free, fc.constantFrom('>', '>>', '2>', '&>', '>|', '<>'), (line, op) => {
      expect(verdict(`${line} ${op} out.txt`)).not.toBe('allow');
    }),
  );
});
