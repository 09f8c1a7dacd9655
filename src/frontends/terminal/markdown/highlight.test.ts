import { beforeAll, expect, test } from 'vitest';
import { grammars } from './grammars.ts';
import { type CodeState, type Highlighter, loadHighlighter, startCode } from './highlight.ts';
import { grammarFor, languageOfPath } from './languages.ts';

let highlighter: Highlighter;
beforeAll(async () => {
  highlighter = await loadHighlighter();
});

function read(language: string, ...lines: string[]) {
  let state: CodeState = startCode(language);
  return lines.map((line) => {
    const { tokens, state: next } = highlighter.line(state, line);
    state = next;
    return tokens.map(({ text, role }) => (role ? `${role}:${text}` : text));
  });
}

test('[C03] a line is highlighted in its language', () => {
  expect(read('ts', 'const x: number = "<a>"; // why')).toEqual([
    ['keyword:const', ' ', 'function:x', ': ', 'type:number', ' = ', 'string:"<a>"', '; ', 'comment:// why'],
  ]);
});

test('multi-line constructs are tracked', () => {
  expect(read('ts', '/* one', 'two */ let a', 'let b')).toEqual([
    ['comment:/* one'],
    ['comment:two */', ' ', 'keyword:let', ' a'],
    ['keyword:let', ' b'],
  ]);
  expect(read('python', '"""doc', 'if this', '"""', 'if x:')).toEqual([
    ['string:"""doc'],
    ['string:if this'],
    ['string:"""'],
    ['keyword:if', ' x:'],
  ]);
});

test('unknown languages and overlong lines are not highlighted, and lose nothing', () => {
  expect(read('klingon', 'if x')).toEqual([['if x']]);
  const long = 'let x = 1; '.repeat(300);
  expect(read('ts', long)).toEqual([[long]]);
});

test.each(Object.keys(grammars))('%s is parsed, and every character is kept', (name) => {
  const line = 'if (a < b && "x") { return <b>\'y\'</b>; } # -- // /* z `';
  expect(
    read(name, line, line).map((tokens) => tokens.map((token) => token.replace(/^[a-z]+:/, '')).join('')),
  ).toEqual([line, line]);
});

test('languages are detected by the word after a fence and by file name', () => {
  expect(['ts', 'TSX', 'shell', 'toml', 'c++', 'none'].map(grammarFor)).toEqual([
    'typescript',
    'typescript',
    'bash',
    'ini',
    'cpp',
    null,
  ]);
  expect(['a/b.test.ts', 'Makefile', '.bashrc', 'x/Dockerfile', 'README'].map(languageOfPath)).toEqual([
    'ts',
    'makefile',
    'bashrc',
    'dockerfile',
    '',
  ]);
});
