import fc from 'fast-check';
import { Lexer } from 'marked';
import { expect, test } from 'vitest';
import { codeTarget, linkTarget } from '../text/link-target.ts';
import { printed, visible } from '../text/visible.ts';
import { noBlocks, readBlocks } from './blocks.ts';
import { highlight } from './grammars.ts';

const markdown = fc
  .array(
    fc.constantFrom(
      '# Title\n',
      'words ',
      '**bold** ',
      '\n',
      '\n\n',
      '- item\n',
      '  - inner\n',
      '1. one\n',
      '```ts\n',
      'let x;\n',
      '```\n',
      '| a | b |\n',
      '| - | - |\n',
      '> quote\n',
      '---\n',
      '===\n',
      '<b>html</b>\n',
      '    code\n',
      '`x`',
      '\r\n',
      '* * *\n',
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

test('however a text arrives, it becomes the blocks of the whole', () => {
  fc.assert(
    fc.property(markdown, fc.array(fc.nat(200), { maxLength: 12 }), (text, cuts) => {
      const ends = [...cuts.filter((cut) => cut < text.length), text.length].sort((a, b) => a - b);
      let blocks = noBlocks;
      for (const end of ends) blocks = readBlocks(blocks, text.slice(0, end));
      const raw = [...blocks.settled, ...blocks.open].map(({ token }) => [token.type, token.raw]);
      expect(raw).toEqual(Lexer.lex(text, { gfm: true }).map((token) => [token.type, token.raw]));
    }),
  );
});

test('settled blocks stay the same objects while the text grows', () => {
  const before = readBlocks(noBlocks, 'One\n\nTwo\n\nThr');
  const after = readBlocks(before, 'One\n\nTwo\n\nThree\n\nFour');
  expect(
    after.settled.slice(0, before.settled.length).every((block, index) => block === before.settled[index]),
  ).toBe(true);
  expect(before.settled.map(({ token }) => token.raw).join('')).toBe('One\n\nTwo\n\n');
});

test('another text is read from its beginning', () => {
  const blocks = readBlocks(readBlocks(noBlocks, 'One\n\nTwo'), 'Other');
  expect([...blocks.settled, ...blocks.open].map(({ token }) => token.raw)).toEqual(['Other']);
});

test.each([
  'ts',
  'js',
  'jsx',
  'python',
  'bash',
  'sh',
  'json',
  'html',
  'css',
  'go',
  'rust',
  'java',
  'yaml',
  'sql',
  'diff',
  'toml',
  'cpp',
  'php',
])('%s: highlighted code is the same text', (language) => {
  const code = `export function currentUser(header: string, now = Date.now) {\n  return <b class="x">\`\${a}\`</b>; // "end" 'x'\n}\nSELECT 1;\n#!/bin/sh\n- a\n+ b\n`;
  const pieces = highlight(code, language);
  expect(pieces?.map(({ text }) => text).join('')).toBe(code);
  expect(pieces?.some(({ scope }) => scope !== '')).toBe(true);
});

test('code in an unknown language is not highlighted', () => {
  expect(highlight('x', 'klingon')).toBeNull();
});

test.each([
  ['https://example.org/a?b#c', { type: 'web', url: 'https://example.org/a?b#c' }],
  ['http://ex ample', null],
  ['https://аpple.com/', { type: 'web', url: 'https://xn--pple-43d.com/' }],
  ['javascript:alert(1)', null],
  ['JAVASCRIPT:alert(1)', null],
  ['data:text/html,<script>', null],
  ['vscode://file/etc/passwd', null],
  ['command:workbench.action.quit', null],
  ['//evil.example/x', null],
  ['\\\\evil\\share', null],
  ['#top', null],
  ['', null],
  ['src/a.ts', { type: 'file', path: 'src/a.ts' }],
  ['src/a.ts#L12', { type: 'file', path: 'src/a.ts', line: 12 }],
  ['src/a.ts#L12-L20', { type: 'file', path: 'src/a.ts', line: 12 }],
  ['a.ts:12:3', { type: 'file', path: 'a.ts', line: 12 }],
  ['file:///home/a%20b/c.ts', { type: 'file', path: '/home/a b/c.ts' }],
  ['file://host/share', null],
  ['a%ff', null],
])('a link to %j', (href, target) => {
  expect(linkTarget(href)).toEqual(target);
});

test.each([
  ['src/auth.ts:12', { type: 'file', path: 'src/auth.ts', line: 12 }],
  ['auth.ts:12', { type: 'file', path: 'auth.ts', line: 12 }],
  ['./a/b.ts', { type: 'file', path: './a/b.ts' }],
  ['Date.now', null],
  ['a / b.c', null],
  ['npm test', null],
  ['https://example.org/a.html', null],
])('code that says %j', (code, target) => {
  expect(codeTarget(code)).toEqual(target);
});

test('nothing hides in a text that somebody decides on', () => {
  expect(visible('rm \u202e-rf\u200b x\u0007\n\ty 👩\u200d💻')).toBe(
    'rm ⟨U+202E⟩-rf⟨U+200B⟩ x⟨U+0007⟩\n\ty 👩\u200d💻',
  );
});

test('output of a terminal is read without its colours, and as it looked at last', () => {
  expect(printed('\u001b[31mred\u001b[0m\r\n10%\r50%\r100%\n\u001b]0;title\u0007done\r\n')).toBe(
    'red\n100%\ndone\n',
  );
});
