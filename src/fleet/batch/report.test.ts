import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Task, TaskResult } from '../task.ts';
import type { BatchState } from './batch-store.ts';
import { htmlText, markdownText, reportOf, toHtml, toMarkdown } from './report.ts';

const HOSTILE = '<img src=x onerror=alert(1)> | **bold** `x` [a](javascript:x)\n# head & "q"';

const task = (id: string, more: Partial<Task> = {}): Task => ({
  id,
  prompt: HOSTILE,
  source: { type: 'folder', folder: '/x' },
  mode: 'auto',
  allow: [],
  deny: [],
  checks: [],
  checkRetries: 2,
  labels: [],
  variables: {},
  ...more,
});

const result = (id: string, more: Partial<TaskResult> = {}): TaskResult => ({
  task: id,
  status: 'done',
  answer: '',
  session: '0123abcd-4567',
  model: 'm/one',
  costUsd: 0.25,
  tokens: 1000,
  turns: 3,
  startedAt: '2026-01-01T00:00:00.000Z',
  durationMs: 61_000,
  checks: [],
  refusals: 0,
  filesChanged: 0,
  labels: [],
  variables: {},
  ...more,
});

const state: BatchState = {
  description: {
    id: 'b',
    createdAt: '2026-01-01T00:00:00.000Z',
    cwd: HOSTILE,
    total: 3,
    jobs: 2,
    changes: 'branch',
    trust: false,
  },
  tasks: [task('1'), task('2'), task('3')],
  results: new Map([
    ['1', result('1', { filesChanged: 2, branch: 'aca/b/1' })],
    [
      '2',
      result('2', {
        status: 'failed',
        failure: 'check',
        reason: HOSTILE,
        model: 'm/two',
        costUsd: null,
        checks: [{ name: 'npm test', exitCode: 1, attempts: 2, output: '```\n<script>x</script>' }],
      }),
    ],
  ]),
  sessions: new Map(),
  begun: new Map([
    ['3', { startedAt: '2026-01-01T00:00:00.000Z', costUsd: 0.5, tokens: 500, durationMs: 2_000 }],
  ]),
  earlier: new Map(),
  keepers: [],
};

test('a report says what was done, what failed and why, cost, time and sessions', () => {
  const { facts, models, tasks, failures } = reportOf(state, new Map([['2', 'transcripts/2.html']]));
  expect(facts).toEqual([
    '1 of 3 tasks done, 1 failed, 1 not finished',
    'Cost: $0.75 and unknown, 2.5k tokens',
    'Time of all tasks: 2m 04s',
    `Started 2026-01-01 00:00 UTC in ${HOSTILE}`,
  ]);
  expect(models?.rows.map(({ cells }) => cells)).toEqual([
    ['m/one', '1 (100%)', '0', '$0.25', '1m 01s'],
    ['m/two', '0 (0%)', '1', 'unknown', '1m 01s'],
  ]);
  expect(tasks.rows.map(({ cells }) => cells.filter((_, i) => i !== 1))).toEqual([
    ['1', 'done', '2 files: aca/b/1', '$0.25', '1m 01s', '3', '0123abcd'],
    [
      '2',
      'failed (check)',
      'none',
      'unknown',
      '1m 01s',
      '3',
      { text: '0123abcd', file: 'transcripts/2.html' },
    ],
    ['3', 'not finished', '', '', '', '', ''],
  ]);
  expect(failures).toMatchObject([{ task: '2', reason: HOSTILE, checks: [{ name: 'npm test' }] }]);
});

test('a report says which tasks had calls refused, and where files are that no patch has', () => {
  const more = { refusals: 2, leftOut: ['sub/x', 'nested'], worktree: '/w/b-1/tree' };
  const results = new Map([['1', result('1', more)]]);
  const report = reportOf({ ...state, results }, new Map());
  const texts = [
    '2 calls refused.',
    'Not in the patch: sub/x, nested.',
    'Its files are kept in /w/b-1/tree.',
  ];
  expect(report.notes).toEqual(texts.map((text) => ({ task: '1', text })));
  expect(toMarkdown(report)).toContain(`## Notes\n\n- 1: ${texts[0]}`);
  expect(toHtml(report)).toContain(`<p>1: ${texts[2]}</p>`);
});

test('whatever a task says stays text', () => {
  const html = toHtml(reportOf(state, new Map()));
  expect(html).not.toMatch(/<(img|script)/i);
  expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;');
  expect(html).toContain("default-src 'none'");
  const markdown = toMarkdown(reportOf(state, new Map()));
  expect(markdown.split('\n').filter((line) => line.startsWith('#'))).toEqual([
    '# Batch b',
    '## Models',
    '## Tasks',
    '## Failures',
    '### 2',
  ]);
  expect(markdown.replaceAll(/^````text[\s\S]*?^````$/gm, '')).not.toMatch(/(?<!\\)<|(?<!\\)\[/);
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(htmlText(text)).not.toMatch(/[<>"']|&(?!(amp|lt|gt|quot|#39);)/);
      expect(markdownText(text)).not.toMatch(/[\n\r]|(?<!\\)(\\\\)*[`*_[\]|<>~&]/);
    }),
  );
});

test('a session links to its transcript, however the task is called', () => {
  const report = reportOf(state, new Map([['2', `transcripts/a b)"<'#?.html`]]));
  const link = 'transcripts/a%20b%29%22%3C%27%23%3f.html';
  expect(toHtml(report)).toContain(`<td><a href="${link}">0123abcd</a></td>`);
  expect(toMarkdown(report)).toContain(`| [0123abcd](${link}) |`);
});
