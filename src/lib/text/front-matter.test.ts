import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listField, parseFrontMatter, textField } from './front-matter.ts';

test('keys are parsed in all common notations', () => {
  const parsed = parseFrontMatter(
    [
      '---',
      'name: deploy # the name',
      'Description: "says \\"go\\""',
      "hint: 'it''s'",
      'tools: Read, Bash(git add, git rm), Grep',
      'list: [a, "b, c"]',
      'items:',
      '  - one',
      '  - two',
      'block: |',
      '  first',
      '  second',
      'folded: >',
      '  first',
      '  second',
      'long: begins',
      '  and goes on',
      'empty:',
      '---',
      'Body',
      '---',
    ].join('\r\n'),
  );
  expect(parsed.body).toBe('Body\n---');
  expect(Object.fromEntries(parsed.fields)).toEqual({
    name: 'deploy',
    description: 'says "go"',
    hint: "it's",
    tools: 'Read, Bash(git add, git rm), Grep',
    list: ['a', 'b, c'],
    items: ['one', 'two'],
    block: 'first\nsecond',
    folded: 'first second',
    long: 'begins and goes on',
    empty: '',
  });
  expect(listField(parsed, 'tools')).toEqual(['Read', 'Bash(git add, git rm)', 'Grep']);
  expect(listField(parsed, 'empty')).toBeUndefined();
  expect(textField(parsed, 'items')).toBe('one, two');
  expect(textField(parsed, 'missing')).toBeUndefined();
});

test.each(['no head', '---\nname: never ended', '', '--- x\na: b\n---'])('%j is all body', (text) => {
  expect(parseFrontMatter(text)).toEqual({ fields: new Map(), body: text });
});

test('property: a plain value round-trips, and the body is never changed', () => {
  const word = fc.stringMatching(/^[a-z][a-z0-9 ]{0,20}[a-z]$/);
  fc.assert(
    fc.property(word, fc.string(), (value, text) => {
      const body = text.replaceAll('\r', '');
      const parsed = parseFrontMatter(`---\nkey: ${value}\n---\n${body}`);
      expect(parsed).toEqual({ fields: new Map([['key', value]]), body });
    }),
  );
});

test('property: parsing never throws, and names such as __proto__ are plain names', () => {
  fc.assert(fc.property(fc.string(), (text) => void parseFrontMatter(`---\n${text}\n---\n`)));
  expect(textField(parseFrontMatter('---\n__proto__: x\nconstructor: y\n---\n'), 'constructor')).toBe('y');
});
