import fc from 'fast-check';

/** Programs that only look, as far as their stubs know; and programs that must never run unasked. */
export const readers = ['ls', 'cat', 'head', 'wc', 'grep', 'git', 'sort'] as const;
export const changers = ['touch', 'deploy', 'sudo'] as const;
/** They run what they are given, and so do their stubs. */
export const carriers = ['bash', 'sh', 'env', 'timeout', 'nice', 'nohup', 'xargs'] as const;

/** `${inside}`, which would be a mistake in most other texts. */
const braced = (inside: string) => ['$', '{', inside, '}'].join('');

const spelled = (name: string) =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant(name) },
    fc.constantFrom(
      `'${name}'`,
      `"${name}"`,
      `\\${name}`,
      `$'${name}'`,
      `${name.slice(0, 1)}''${name.slice(1)}`,
      `${name.slice(0, 1)}\\\n${name.slice(1)}`,
      `$(echo ${name})`,
      `\`echo ${name}\``,
      `{${name},x}`,
      `$EMPTY${name}`,
    ),
  );

const plainWord = fc.constantFrom(
  'in.txt',
  'src',
  '-l',
  '-n',
  '5',
  'a.b',
  '--all',
  'log',
  'status',
  '-',
  '--',
);
const quotedWord = fc.constantFrom(
  ...[
    "'a b'",
    '"a b"',
    'a\\ b',
    "$'a\\x20b'",
    "'#'",
    "'a;touch x'",
    '"a|touch x"',
    "'$(touch x)'",
    "''",
    '""',
  ],
  ...[
    'a#b',
    '\\#',
    "'it'\\''s'",
    '"\\$(touch x)"',
    '"\\`touch x\\`"',
    'a\\;touch',
    "$'\\'; touch x #'",
    '\\\\',
  ],
  ...['"\'"', "'\"'", 'a=b', '=', 'a\\\nb', '"a\nb"', "'a\nb'", '$"in.txt"'],
);
const expandedWord = fc.constantFrom(
  ...[
    '$EMPTY',
    '"$EMPTY"',
    '$HOME',
    braced('EMPTY:-in.txt'),
    '{a,b}',
    '{1..3}',
    '*',
    '*.txt',
    '[s]rc',
    '?',
    '~',
    '$$',
  ],
  ...['$#', '$((1+2))', braced('#EMPTY'), '$TWO', '"$TWO"', '@(a|b)', '!x', 'a{,b}c', '{a', 'b}', '$', '"$"'],
);

type Tied = { line: string; command: string; word: string };

/** Lines as people, models and attackers write them, out of a shell's whole grammar but without loops that never end. */
export const { line: shellLine } = fc.letrec<Tied>((tie) => ({
  word: fc.oneof(
    { weight: 6, arbitrary: plainWord },
    { weight: 4, arbitrary: quotedWord },
    { weight: 2, arbitrary: expandedWord },
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          tie('line'),
          fc.constantFrom<[string, string]>(
            ['$(', ')'],
            ['"$(', ')"'],
            ['<(', ')'],
            [braced('EMPTY:-$(').slice(0, -1), ')}'],
            [`"${braced('EMPTY:-$(').slice(0, -1)}`, ')}"'],
          ),
        )
        .map(([line, [before, after]]) => `${before}${line}\n${after}`.replace(/\n(?=\)"?$|\)\}"?$)/, ' ')),
    },
    { weight: 1, arbitrary: tie('line').map((line) => `\`${line.replaceAll(/[\\`]/g, '\\$&')}\``) },
  ),
  command: fc.oneof(
    {
      weight: 10,
      arbitrary: fc
        .tuple(
          fc
            .oneof({ weight: 5, arbitrary: fc.constantFrom(...readers) }, fc.constantFrom(...changers))
            .chain(spelled),
          fc.array(tie('word'), { maxLength: 3 }),
          fc.oneof(
            { weight: 3, arbitrary: fc.constant('') },
            fc.constantFrom(
              '>out',
              '> out',
              '2>/dev/null',
              '< in.txt',
              '>&2',
              '>>out',
              '<<< hi',
              '&>out',
              '2>&1',
              '>|out',
            ),
          ),
        )
        .map(([name, words, redirect]) => [name, ...words, redirect].filter((text) => text !== '').join(' ')),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          fc.constantFrom(
            'env',
            'nice',
            'nohup',
            'timeout 5',
            'command',
            'exec',
            'time',
            'xargs',
            'builtin command',
            'A=1',
            'env A=1',
            'EMPTY= ',
          ),
          tie('command'),
        )
        .map(([carrier, command]) => `${carrier} ${command}`),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom('bash -c', 'sh -c', 'eval', 'bash -ec'), tie('line'))
        .map(([carrier, line]) => `${carrier} '${line.replaceAll("'", "'\\''")}'`),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(
          fc.constantFrom('echo', 'true', ':', 'test -f', 'cd', 'printf', 'cat'),
          fc.array(tie('word'), { maxLength: 2 }),
        )
        .map((parts) => parts.flat().join(' ')),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          fc.constantFrom('cat', 'bash', 'sh', 'grep x'),
          fc.constantFrom("'E'", 'E', '"E"', '\\E'),
          tie('line'),
        )
        .map(([name, mark, body]) => `${name} <<${mark}\n${body}\nE\n`),
    },
  ),
  line: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 6, arbitrary: tie('command') },
    {
      weight: 4,
      arbitrary: fc
        .tuple(
          tie('line'),
          fc.constantFrom('; ', ' && ', ' || ', ' | ', ' & ', '\n', ' # x\n', ' \\\n; ', ';', '|', '&&'),
          tie('line'),
        )
        .map((parts) => parts.join('')),
    },
    { weight: 1, arbitrary: tie('line').map((line) => `( ${line}\n)`) },
    { weight: 1, arbitrary: tie('line').map((line) => `{ ${line}\n}`) },
    { weight: 1, arbitrary: tie('line').map((line) => `! ${line}`) },
    { weight: 1, arbitrary: tie('line').map((line) => `f() { ${line}\n}; f`) },
    {
      weight: 1,
      arbitrary: fc.tuple(tie('line'), tie('line')).map(([a, b]) => `if ${a}\nthen ${b}\nfi`),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(tie('word'), tie('line'))
        .map(([word, line]) => `for f in ${word} x; do ${line}\ndone`),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(tie('word'), tie('line'))
        .map(([word, line]) => `case ${word} in *) ${line}\n;; esac`),
    },
  ),
}));
