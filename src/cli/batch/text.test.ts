import { expect, test } from 'vitest';
import type { Task } from '../../fleet/task.ts';
import { taskList } from './text.ts';

const task = (source: Task['source']): Task => ({
  id: '1',
  prompt: 'do it',
  source,
  mode: 'auto',
  allow: [],
  deny: [],
  checks: [],
  checkRetries: 2,
  labels: [],
  variables: {},
});

test('the list of tasks shows no password', () => {
  const repository = 'https://user:secretpw@example.com/x.git';
  expect(taskList([task({ type: 'repository', repository, ref: 'main' })])).toBe(
    'TASK  STARTS FROM                     PROMPT\n1     https://example.com/x.git main  do it\n1 task\n',
  );
});
