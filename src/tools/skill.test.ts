import { expect, test } from 'vitest';
import { bench, use } from '../../test/support/hands.ts';
import { fail, ok } from '../contract/tool.ts';
import { createSkill } from './skill.ts';

const tool = createSkill([
  { name: 'deploy', folder: '/s/deploy', body: () => 'First, test.' },
  { name: 'review', folder: '/s/review', body: () => 'Read it.' },
]);

test('what a skill says comes with the place of its files; nothing is touched', async () => {
  const { context } = await bench();
  expect(await use(tool, { name: ' Deploy ' }, context)).toEqual(
    ok('Files that it names are in /s/deploy.\n\nFirst, test.', { metadata: { skill: 'deploy' } }),
  );
  expect(tool.access({ name: 'deploy' })).toEqual([]);
});

test('a name that is not there is told with those that are', async () => {
  const { context } = await bench();
  expect(await use(tool, { name: 'deplo' }, context)).toEqual(
    fail('There is no skill deplo. Did you mean deploy? There are: deploy, review.'),
  );
});
