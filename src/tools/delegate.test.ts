import { expect, test } from 'vitest';
import { bench, use } from '../../test/support/tool-context.ts';
import type { Delegated, Delegation } from '../contract/tool.ts';
import { explore } from './explore.ts';
import { createTask } from './task.ts';

const done: Delegated = {
  id: 'f00d',
  text: 'found it',
  trouble: null,
  model: 'a/b',
  turns: 2,
  calls: 1,
  tokens: 12_345,
  costUsd: 0.02,
};
const { text: _, trouble: __, ...figures } = done;

async function given(answer: Delegated | string) {
  const { context } = await bench();
  const works: Delegation[] = [];
  const delegate = async (work: Delegation) => {
    works.push(work);
    return answer;
  };
  return { context: { ...context, delegate }, works };
}

test('[T13] Explore delegates the question and answers with the findings and the cost', async () => {
  const { context, works } = await given(done);
  expect(await use(explore, { description: 'find it', prompt: 'where?' }, context)).toEqual({
    success: true,
    output: 'found it\n\n[subagent f00d: pass this id as "continue" to ask it more]',
    display: { kind: 'text', text: 'a/b: 2 turns, 1 call, 12,345 tokens, $0.02\nfound it' },
    metadata: { subagent: { ...figures, agent: 'Explore' } },
  });
  expect(works).toEqual([{ agent: 'Explore', task: 'find it', prompt: 'where?' }]);
});

test('[T13] Task names the subagent, and may continue an earlier one', async () => {
  const { context, works } = await given('There is no subagent x.');
  const task = createTask([{ name: 'tester', description: 'writes\ntests' }]);
  const input = { description: 'more', prompt: 'go on', agent: 'tester', continue: 'f00d' };
  expect(await use(task, input, context)).toEqual({ success: false, error: 'There is no subagent x.' });
  expect(works).toEqual([{ agent: 'tester', task: 'more', prompt: 'go on', resumeId: 'f00d' }]);
  expect(task.description).toContain('\ntester: writes tests');
  expect(task.access(input)).toEqual([{ kind: 'delegate', target: 'tester' }]);
});

test('a subagent that stopped early is a failure with its text so far', async () => {
  const { context } = await given({ ...done, trouble: 'A limit was reached.', costUsd: null });
  expect(await use(explore, { description: 'a', prompt: 'b' }, context)).toMatchObject({
    success: false,
    error:
      'The subagent stopped early: A limit was reached.\nIts output so far:\nfound it\n\n[subagent f00d: pass this id as "continue" to ask it more]',
  });
});

test('where delegation is unavailable, the model is asked to do the work itself', async () => {
  const { context } = await bench();
  expect(await use(createTask(), { description: 'a', prompt: 'b' }, context)).toMatchObject({
    success: false,
    error: 'You are a subagent yourself and cannot start another one from here. Do this work yourself.',
  });
});
