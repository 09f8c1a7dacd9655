import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Access } from '../contract/permission.ts';
import { accessesConflict } from './conflict.ts';

const read = (target: string): Access[] => [{ kind: 'read', target }];
const write = (target: string): Access[] => [{ kind: 'write', target }];
const execute = (target: string): Access[] => [{ kind: 'execute', target }];
const delegate = (target: string): Access[] => [{ kind: 'delegate', target }];

test.each([
  ['two reads of one file', read('a'), read('a'), false],
  ['a read and a write of one file', read('a'), write('./a'), true],
  ['writes of different files', write('a'), write('b'), false],
  ['a write and a search of its folder', write('src/a.ts'), read('src'), true],
  ['a write beside a folder of like name', write('src-old/a'), read('src'), false],
  ['a file whose name begins with dots', write('..a'), read('.'), true],
  ['a command and a read', execute('ls'), read('a'), true],
  ['two commands', execute('ls'), execute('pwd'), true],
  ['a download and a command', [{ kind: 'fetch', target: 'https://x.test' } as const], execute('ls'), false],
  ['two subagents', delegate('general'), delegate('general'), false],
  ['a subagent and a read', delegate('general'), read('a'), false],
  ['a subagent and a write', delegate('general'), write('a'), true],
  ['a subagent and a command', delegate('general'), execute('ls'), true],
  ['a call that touches nothing', [], execute('ls'), false],
])('[Y01] %s', (_name, a, b, expected) => {
  expect(accessesConflict(a, b)).toBe(expected);
});

test('[Y01] conflict is symmetric', () => {
  const access = fc.record<Access>({
    kind: fc.constantFrom('read', 'write', 'execute', 'fetch', 'delegate'),
    target: fc.constantFrom('a', 'a/b', './a/b/c', '../x', 'ab', '/'),
  });
  fc.assert(
    fc.property(
      fc.array(access),
      fc.array(access),
      (a, b) => accessesConflict(a, b) === accessesConflict(b, a),
    ),
  );
});
