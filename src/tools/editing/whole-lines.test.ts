import { describe, expect, test } from 'vitest';
import { findWholeLines, reindented } from './whole-lines.ts';

function fitted(file: string, old: string, text: string): string | null {
  const [match, another] = findWholeLines(file, old);
  if (!match?.whole || another) return null;
  const put = reindented(match, old, text);
  return put === null ? null : file.slice(0, match.start) + put + file.slice(match.end);
}

describe('[T08] lines that differ only in surrounding whitespace', () => {
  test.each([
    [
      'too little indent',
      '  if (a) {\n    b();\n  }\n',
      'if (a) {\n  b();\n}',
      'if (c) {\n  d();\n  e();\n}',
      '  if (c) {\n    d();\n    e();\n  }\n',
    ],
    ['too much indent', 'x\n  a\n    b\n', '    a\n      b', '    c\n      d', 'x\n  c\n    d\n'],
    [
      'spaces for tabs',
      '\tif a:\n\t\tb\n',
      '    if a:\n        b',
      '    if c:\n        if d:\n            e',
      '\tif c:\n\t\tif d:\n\t\t\te\n',
    ],
    ['tabs for spaces', '    a\n        b\n', '\ta\n\t\tb', '\tc', '    c\n'],
    [
      'steps of another width',
      '    a\n        b\n',
      '  a\n    b',
      '  a\n    c\n      d',
      '    a\n        c\n            d\n',
    ],
    ['blanks at the end', 'a  \nb\t\nc\n', 'a\nb', 'a\nB\n\nz', 'a  \nB\n\nz\nc\n'],
    [
      'an empty line that holds blanks',
      'a {\n   \n  b\n}\n',
      'a {\n\n b\n}',
      'a {\n\n c\n}',
      'a {\n   \n  c\n}\n',
    ],
    ['the last line, unended', 'a\n  b', 'b ', 'c', 'a\n  c'],
    ['whole lines taken out', 'a\n  b\nc\n', 'b \n', '', 'a\nc\n'],
  ])('%s: the new text is adapted', (_, file, old, text, expected) => {
    expect(fitted(file, old, text)).toBe(expected);
  });

  test.each([
    ['a part of a line', 'let ab = 1\n', ' ab = 1', ' ab = 2'],
    ['two places', '  a\nx\n    a\n', '\ta', '\tb'],
    ['a line and the end of another one', '  a();\nif (x) a();\n', '\ta();', '\tb();'],
    ['a line and the middle of another one', '  a();\n(a();)\n', 'a(); ', 'b(); '],
    ['lines and others that end and begin as they do', ' a\nb\nx = a\nb + 1\n', '\ta\nb', '\tc\nd'],
    ['blanks inside a line', 'a  b\n', 'a b', 'c'],
    ['nothing but blanks', 'a\n \nb\n', '   \n', 'c\n'],
    ['lines in another order', 'a\nb\n', 'b\na', 'c'],
    ['more lines than there are', 'a\nb', ' a\nb\nc', 'd'],
    ['fewer lines before than wanted', 'longest\n', 'a\n longest', 'd'],
    ['a line end that is not there', 'a\n  b', 'b\n', 'c\n'],
    ['indents that follow no rule', '  a\n   b\n', 'a\n  b', 'c\n  d'],
    ['an indent the rule does not cover', '\ta\n', '    a', '    c\n      d'],
    ['a new line with less indent than is taken away', 'a\n', '    a', '  b'],
    ['tabs and spaces that would mix', '\ta\n', 'a', 'b\n  c'],
  ])('%s: nothing is changed', (_, file, old, text) => {
    expect(fitted(file, old, text)).toBe(null);
  });
});
