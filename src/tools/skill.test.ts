import { expect, test } from 'vitest';
import { bench, use } from '../../test/support/tool-context.ts';
import { fail, ok } from '../contract/tool.ts';
import { createSkill } from './skill.ts';

const { tool } = createSkill([
  { name: 'deploy', folder: '/s/deploy', body: () => 'First, test.' },
  { name: 'review', folder: '/s/review', body: () => 'Read it.' },
]);

test("a skill's text comes with the folder of its files; no access is needed", async () => {
  const { context } = await bench();
  expect(await use(tool, { name: ' Deploy ' }, context)).toEqual(
    ok('Files it mentions are in /s/deploy.\n\nFirst, test.', { metadata: { skill: 'deploy' } }),
  );
  expect(tool.access({ name: 'deploy' })).toEqual([]);
});

test('an unknown name is answered with the known ones', async () => {
  const { context } = await bench();
  expect(await use(tool, { name: 'deplo' }, context)).toEqual(
    fail('There is no skill deplo. Did you mean deploy? Available: deploy, review.'),
  );
});
