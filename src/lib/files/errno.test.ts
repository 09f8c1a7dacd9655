import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isErrno, unlessErrno } from './errno.ts';

const missing = () => readFileSync('/no/such/file');

test('an expected error of the system gives the other value; any other error is thrown', () => {
  expect(unlessErrno(['ENOENT'], null, missing)).toBeNull();
  expect(unlessErrno('any', 'nothing', missing)).toBe('nothing');
  expect(() => unlessErrno(['EACCES', 'EPERM'], null, missing)).toThrow(/ENOENT/);
  expect(unlessErrno(['ENOENT'], [], () => readdirSync('/'))).not.toEqual([]);
  const bug = () => {
    throw new TypeError('a bug');
  };
  expect(() => unlessErrno('any', null, bug)).toThrow('a bug');
});

test.each([
  [Object.assign(new Error('x'), { code: 'ENOENT' }), ['ENOENT'], true],
  [Object.assign(new Error('x'), { code: 'ENOENT' }), ['EACCES'], false],
  [Object.assign(new Error('x'), { code: 'EIO' }), undefined, true],
  [Object.assign(new Error('x'), { code: undefined }), undefined, false],
  [new Error('ENOENT'), ['ENOENT'], false],
  ['ENOENT', ['ENOENT'], false],
])('%o with the codes %j: %j', (error, codes, expected) => {
  expect(isErrno(error, codes)).toBe(expected);
});
