import { expect, test } from 'vitest';
import type { AgentEvent } from '../../contract/event.ts';
import type { Todo } from '../../contract/tool.ts';
import { createProgressSummary } from './progress-summary.ts';

function changed(path: string, success = true): AgentEvent {
  const display = { kind: 'diff' as const, path, patch: '', added: 1, removed: 0 };
  return { type: 'tool_end', callId: '1', name: 'Edit', success, durationMs: 1, display };
}

const begins: AgentEvent = {
  type: 'run_start',
  sessionId: 's',
  provider: 'p',
  model: 'm',
  cwd: '/',
  messages: 0,
};

test('a run is summarized by the files it changed and what is left to do', () => {
  const todos: Todo[] = [
    { text: 'one', status: 'done' },
    { text: 'two', status: 'in_progress' },
    { text: 'three', status: 'pending' },
  ];
  const summary = createProgressSummary(() => todos);
  summary.watch(begins);
  for (const event of [changed('a.ts'), changed('b.ts'), changed('a.ts'), changed('c.ts', false)])
    summary.watch(event);
  expect(summary.text()).toBe('Changed in this run: a.ts, b.ts.\nRemaining: two, three.');
});

test('the next run starts empty, and long lists are truncated', () => {
  const summary = createProgressSummary(() => []);
  summary.watch(changed('a.ts'));
  summary.watch(begins);
  expect(summary.text()).toBe('No changes in this run.');
  for (let i = 1; i <= 12; i++) summary.watch(changed(`${i}.ts`));
  expect(summary.text()).toBe(
    `Changed in this run: ${Array.from({ length: 10 }, (_, i) => `${i + 1}.ts`).join(', ')}, 2 more.`,
  );
});

test('a run that ran commands is not said to have changed nothing', () => {
  const summary = createProgressSummary(() => []);
  const runs = (verdict: 'allow' | 'deny'): AgentEvent => ({
    ...{ type: 'judged', callId: '1', tool: 'Bash', verdict, by: 'mode', because: '' },
    accesses: [{ kind: 'execute', target: 'make' }],
  });
  summary.watch(runs('deny'));
  expect(summary.text()).toBe('No changes in this run.');
  summary.watch(runs('allow'));
  expect(summary.text()).toBe('');
  summary.watch(begins);
  expect(summary.text()).toBe('No changes in this run.');
});
