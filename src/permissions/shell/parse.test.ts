import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { loadGrammar } from './grammar.ts';
import { parseLine } from './parse.ts';

beforeAll(loadGrammar);

/** Each command as its words, joined by the separators. */
function outline(line: string): string[] {
  return parseLine(line).commands.map(
    ({ words, next }) => `${words.map(({ text }) => `<${text}>`).join('')}${next ?? ''}`,
  );
}

describe('a line is split into simple commands', () => {
  const table: [line: string, commands: string[]][] = [
    ['ls -la src', ['<ls><-la><src>']],
    ['a; b && c || d | e & f', ['<a>;', '<b>&', '<c>&', '<d>|', '<e>&', '<f>']],
    ['a;b&&c|d', ['<a>;', '<b>&&', '<c>|', '<d>']],
    ['a\nb', ['<a>;', '<b>']],
    ['a \\\n b', ['<a><b>']],
    [`a "b c" 'd e' f\\ g`, ['<a><b c><d e><f g>']],
    [`a "x;y" 'x|y' x\\&y`, ['<a><x;y><x|y><x&y>']],
    [`a "it's" '"'`, [`<a><it's><">`]],
    ['a"b"\'c\'d', ['<abcd>']],
    ['a "" b', ['<a><><b>']],
    ['a # b, c', ['<a>']],
    ['a b#c', ['<a><b#c>']],
    ['a >b 2>&1 c', ['<a><c>']],
    ['a $(b; c) d', ['<a><$(b; c)><d>']],
    ['a "$(b ")" c)" d', ['<a><$(b ")" c)><d>']],
    ['a `b \\`c\\`` d', ['<a><$(b `c`)><d>']],
    ["cat <<'E'\nx\nE", ['<cat>']],
    ['cat <<E | b\nx; y\nE\nc', ['<cat>|', '<b>;', '<c>']],
    ['rm >a -rf /', ['<rm><-rf></>']],
    ['if a; then b; fi', ['<a>;', '<b>;']],
    ['for x in rm ls; do b; done', ['<b>;']],
    ['A=1 B="2 3" c d', ['<c><d>']],
    ['(a; b) | c', ['<a>;', '<b>;', '<c>']],
  ];

  test.each(table)('%j', (line, commands) => expect(outline(line)).toEqual(commands));
});

describe('anything not certainly understood is doubted', () => {
  test.each([
    ...[
      '$x',
      '"$x" y',
      '*x y',
      '`a` b',
      'f() { a; }',
      'a "',
      "a '",
      'a \\',
      'a\rb',
      'a )',
      'a $\\\nb',
      'a ;; b',
      'a |',
      '&& a',
      'a {\\},}}',
    ],
    ...['cat <<E\nx', 'while true; do a; done', 'for PATH in .; do a; done', '((a++))', 'a {b}>c'],
    ...[
      'for ((i=0;i<3;i++)); do a; done',
      'select x in a; do b; done',
      '[[ a && b ]]',
      '[[ a =~ b ]]',
      'a @(b)',
      'a\u00a0b',
    ],
    ...['![ a ]', '!"a"', '!{a,b}', '[a]', '[ a]', '[[a]]', 'b; ![a]'],
    ...['a \u202e b', 'a\\\nb', 'case a in b) c;; esac;; d'],
  ])('%j', (line) => expect(parseLine(line).doubts).not.toEqual([]));

  test.each([
    ...[
      'a b',
      'a; b | c && d',
      `a 'x' "y" z\\ z`,
      'a *.ts',
      'a > b',
      'A=1 b',
      'a HEAD@{1}',
      'a {}',
      "a '$x' \\$y",
      '! a',
    ],
    ...[
      '(a)',
      '{ a; }',
      'if a; then b; fi',
      'for x in a b; do c; done',
      'while read -r x; do a; done < b',
      '[ -f a ]',
      '! [ -f a ]',
      '!(a)',
    ],
    ...['a # b; c', 'cat <<E\nx\nE', 'a \\\n b', 'case a in b) c;; *) d;; esac', 'a 2>&1 | b'],
  ])('but not %j', (line) => expect(parseLine(line).doubts).toEqual([]));
});

describe('a word that the shell would change is not literal', () => {
  const literal = (line: string) =>
    parseLine(line).commands.flatMap(({ words }) => words.map((word) => word.literal));

  test.each([
    'a $x',
    'a $(b)',
    'a `b`',
    'a <(b)',
    'a ~',
    'a {b,c}',
    "a $'b'",
    'a $((1+1))',
    'a "b$x"',
    'a x=~',
  ])('%j', (line) => expect(literal(line).slice(1)).toContain(false));
  test.each(["a '$x'", 'a "b c"', 'a \\$x', 'a b{c}', 'a "{b,c}"', "a '~'", 'a b~', 'a $', 'a "$"'])(
    'but %j is',
    (line) => expect(literal(line)).not.toContain(false),
  );
});

describe('the text around an expansion is kept as far as possible', () => {
  const table: [line: string, words: string[]][] = [
    ['{rm,-rf,/}', ['rm', '-rf', '/']],
    ['a {b,c}d', ['a', 'bd', 'cd']],
    ['rm$' + '{IFS}-rf', ['rm', '-rf']],
    ["a $'\\x62\\143'", ['a', 'bc']],
    ['a $(echo b)', ['a', 'b']],
    ['x=b; a $x', ['a', 'b']],
  ];
  test.each(table)('%j', (line, words) =>
    expect(parseLine(line).commands.map((command) => command.words.map(({ text }) => text))).toContainEqual(
      words,
    ),
  );
});

describe('the folder that a command runs in', () => {
  const folders = (line: string) => {
    const { ways, sure } = parseLine(line).commands.at(-1)?.folder ?? { ways: [], sure: false };
    return { ways: ways.map((way) => way.map(({ text }) => text).join('/')), sure };
  };
  const table: [line: string, ways: string[], sure: boolean][] = [
    ['a', [''], true],
    ['cd x && a', ['x'], true],
    ['cd x && cd y && a', ['x/y'], true],
    ['cd x; a', ['x', ''], true],
    ['cd x || a', [''], true],
    ['(cd x && b); a', [''], true],
    ['{ cd x && b; } && a', ['x'], true],
    ['cd x | b; a', [''], true],
    ['cd x & a', [''], true],
    ['for i in 1 2; do cd x; done; a', ['', 'x'], false],
    ['if b; then cd x; fi; a', ['', 'x'], false],
  ];
  test.each(table)('%j', (line, ways, sure) => {
    const found = folders(line);
    expect({ ways: found.ways.toSorted(), sure: found.sure }).toEqual({ ways: ways.toSorted(), sure });
  });
});

test('redirects, assignments and pipelines are distinguished', () => {
  const { commands } = parseLine('A=1 b <in 2>>err | c &>out; d');

  expect(
    commands.map(({ name, assignments, redirects, pipeline }) => ({
      name,
      assignments: assignments.map(({ text }) => text),
      redirects: redirects.map(({ fd, op, target }) => `${fd}${op}${target.text}`),
      pipeline,
    })),
  ).toEqual([
    { name: 'b', assignments: ['A=1'], redirects: ['<in', '2>>err'], pipeline: 1 },
    { name: 'c', assignments: [], redirects: ['&>out'], pipeline: 1 },
    { name: 'd', assignments: [], redirects: [], pipeline: 2 },
  ]);
});

test('words in single quotes are returned unchanged, whatever they contain', () => {
  const word = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replaceAll("'", ''));
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (words) => {
      const line = `run ${words.map((text) => `'${text}'`).join(' ')}`;
      const [command] = parseLine(line).commands;
      expect(command?.words.map(({ text }) => text)).toEqual(['run', ...words]);
    }),
  );
});

test.skipIf(process.platform === 'win32')(
  'a line without doubts has the words that a real bash finds in it',
  async () => {
    const piece = fc.constantFrom(...'ab\'"\\ \t\n;#~*?{},.=-$![]:@^%+', 'p ', 'p ', 'é', '..');
    const understood = (line: string) => {
      const { commands, doubts } = parseLine(line);
      return (
        doubts.length === 0 &&
        commands.every(({ name, assignments }) => name === 'p' && assignments.length === 0) &&
        commands.every(({ words }) => words.every(({ literal }) => literal))
      );
    };
    const lines = fc
      .sample(fc.array(piece, { minLength: 1, maxLength: 10 }), 4000)
      .map((pieces) => `p ${pieces.join('')}`)
      // An empty command is a syntax error in bash: nothing runs.
      .filter((line) => understood(line) && !/;\s*;|\n\s*;/.test(line))
      .slice(0, 500);
    const { root, home } = await workspace();
    for (const [i, line] of lines.entries()) writeFileSync(path.join(home, String(i)), line);
    const script = `p() { printf P; for w in "$@"; do printf '<%s>' "$w"; done; printf '\\n.'; }
    for ((i = 0; i < ${lines.length}; i++)); do source "$0/$i" < /dev/null; printf '\\0'; done`;

    const found = execFileSync('bash', ['-c', script, home], { cwd: root, encoding: 'utf8' })
      .split('\0')
      .slice(0, -1);

    expect(lines.length).toBeGreaterThan(200);
    expect(lines.map((line, i) => [line, found[i]])).toEqual(
      lines.map((line) => [
        line,
        parseLine(line)
          .commands.map(
            ({ words }) =>
              `P${words
                .slice(1)
                .map(({ text }) => `<${text}>`)
                .join('')}\n.`,
          )
          .join(''),
      ]),
    );
  },
);

test.each([
  ["cat <<'E' > x\n\nhello\nE", [['cat', '\nhello\n']], ['cat']],
  ["cat > x <<'E' && python x\nbody\nE", [['cat', 'body\n']], ['cat', 'python']],
  ["python3 - <<'E'\nprint(1)\nE", [['python3', 'print(1)\n']], ['python3']],
  ["cat > x <<'E' || a | b; c\nbody\nE\nd", [['cat', 'body\n']], ['cat', 'a', 'b', 'c', 'd']],
  ['cat <<-"E"; a\n\tbody\n\tE\nb', [['cat', '\tbody\n']], ['cat', 'a', 'b']],
  [
    'cat <<A <<B\na\nA\nb\nB',
    [
      ['cat', 'a\n'],
      ['cat', 'b\n'],
    ],
    ['cat'],
  ],
  ["a '<<E' && b <<E\nit's\nE\nc", [['b', "it's\n"]], ['a', 'b', 'c']],
  ['a # <<E\nb\nE', [], ['a', 'b', 'E']],
  ["sed -i 's/a/b/' x && \\\nsed 's/#/b/' y", [], ['sed', 'sed']],
  ["a 'b \\\nc' && \\\nd", [], ['a', 'd']],
])('%j is understood, with its here-documents and whatever follows them', (line, bodies, names) => {
  const { doubts, commands } = parseLine(line);
  expect(doubts).toEqual([]);
  expect(commands.map(({ name }) => name)).toEqual(names);
  const found = commands.flatMap(({ name, redirects }) =>
    redirects.flatMap(({ body }) => (body ? [[name, body]] : [])),
  );
  expect(found).toEqual(bodies);
  for (const { span, source } of commands) {
    if (span && !/<<|\\/.test(source)) expect(line.slice(span.start, span.end)).toBe(source);
  }
});
