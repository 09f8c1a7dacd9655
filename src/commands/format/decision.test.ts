import { expect, test } from 'vitest';
import { reasonLine, refusalLine } from './decision.ts';

test('a question gives its reason unless the operation already shows it', () => {
  expect(reasonLine({ because: 'npm may change files' })).toBe('Reason: npm may change files');
  expect(['changes a file', 'uses the network', ''].map((because) => reasonLine({ because }))).toEqual([
    '',
    '',
    '',
  ]);
});

test('a refusal says who refused, and why', () => {
  const user = (because: string) => refusalLine({ by: 'user', because });
  expect(user('User denied permission')).toBe('You declined this');
  expect(user('User denied permission: use yarn')).toBe('You declined this: use yarn');
  expect(refusalLine({ by: 'mode plan', because: 'no files can be changed in plan mode' })).toBe(
    'refused: no files can be changed in plan mode',
  );
});
