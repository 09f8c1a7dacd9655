import path from 'node:path';
import type { BatchState, batchFiles } from '../../fleet/batch/batch-store.ts';
import {
  changesText,
  costText,
  countsText,
  modelTable,
  notesOf,
  promptTitle,
  resultText,
} from '../../fleet/batch/report.ts';
import type { BatchEnd } from '../../fleet/batch/run-batch.ts';
import { summarize } from '../../fleet/batch/summary.ts';
import type { Task } from '../../fleet/task.ts';
import { exitCodes } from '../../frontends/shared/exit-codes.ts';
import { counted } from '../../lib/text/counted.ts';
import { elapsed } from '../../lib/text/elapsed.ts';
import { visible } from '../../lib/text/printable.ts';
import { withoutPasswords } from '../../lib/text/url-password.ts';
import { table } from '../subcommands/context.ts';

/** Longer tables are in the report. */
const MOST_ROWS = 40;
const MOST_COUNTED = 100;
const BASE_CODE = 10;

/** How many are not done, unless the batch was interrupted. */
export function exitCodeOf({ tasks, results }: BatchState, end: BatchEnd): number {
  if (end.type === 'interrupted' || end.type === 'cancelled') return exitCodes.interrupted.code;
  const { total, done } = summarize(tasks, results);
  return done === total ? exitCodes.done.code : BASE_CODE + Math.min(MOST_COUNTED, total - done);
}

/** The summary table, what became of the batch, and where everything is. */
export function closingText(state: BatchState, end: BatchEnd, files: ReturnType<typeof batchFiles>): string {
  const { tasks, results, description } = state;
  const rows = tasks.flatMap((task) => {
    const result = results.get(task.id);
    if (!result) return [];
    const cost = costText({ costUsd: result.costUsd ?? 0, hasUnknownCost: result.costUsd === null });
    return [
      {
        isFailed: result.status === 'failed',
        notes: notesOf(result).map((note) => visible(`${task.id}: ${note}`)),
        cells: [task.id, resultText(result), elapsed(result.durationMs), cost, changesText(result)].map(
          visible,
        ),
      },
    ];
  });
  // With many tasks, those that failed matter.
  const shown = rows.length > MOST_ROWS ? rows.filter(({ isFailed }) => isFailed).slice(0, MOST_ROWS) : rows;
  const head = ['TASK', 'RESULT', 'TIME', 'COST', 'CHANGES'];
  const models = modelTable(state.tasks, state.results);
  return [
    ...(shown.length > 0 ? [table([head, ...shown.map(({ cells }) => cells)])] : []),
    ...rows.flatMap(({ notes }) => notes).slice(0, MOST_ROWS),
    ...(models ? [table([models.head, ...models.rows.map(({ cells }) => cells.map(visible))])] : []),
    ...endLines(state, end),
    `Report:  ${files.markdown}`,
    `         ${files.html}`,
    `Results: ${files.results}`,
    ...(rows.some(({ cells }) => cells[4] !== 'none') ? [`Patches: ${files.patches}${path.sep}`] : []),
    ...(end.type === 'complete' ? [] : [`Resume with: aca batch --resume ${description.id}`]),
    '',
  ].join('\n');
}

function endLines({ tasks, results, begun, description }: BatchState, end: BatchEnd): string[] {
  const summary = summarize(tasks, results, begun);
  const { failed } = summary;
  const line = `${countsText(summary)}. Cost: ${costText(summary)}.`;
  switch (end.type) {
    case 'complete':
      return failed > 0
        ? [line, `Run the failed ones again with: aca batch --resume ${description.id} --retry-failed`]
        : [line];
    case 'interrupted':
      return description.queue === undefined
        ? [line, 'Interrupted.']
        : [
            line,
            'Interrupted. The tasks stay in the queue, and workers go on with them.',
            `Cancel them with: aca fleet cancel ${description.id}`,
          ];
    case 'cancelled':
      return [line, 'The other tasks were cancelled.'];
    case 'budget':
      return [line, `The budget of the batch is used up. ${visible(end.reason)}`];
    case 'trouble':
      return [
        line,
        `Stopped, because the last tasks all failed: ${visible(end.reason)}`,
        'When that is fixed, add --retry-failed to run them again.',
      ];
    default:
      return end satisfies never;
  }
}

export function taskList(tasks: readonly Task[]): string {
  const rows = tasks.map((task) => {
    const { source } = task;
    const where =
      source.type === 'folder'
        ? source.folder
        : `${withoutPasswords(source.repository)} ${shortRef(source.ref)}`;
    return [task.id, task.model ?? '', where, promptTitle(task)].map(visible);
  });
  const all = [['TASK', 'MODEL', 'STARTS FROM', 'PROMPT'], ...rows];
  const shown = tasks.some(({ model }) => model !== undefined) ? all : all.map((row) => row.toSpliced(1, 1));
  return `${table(shown)}${counted(tasks.length, 'task')}\n`;
}

function shortRef(ref: string): string {
  return /^[0-9a-f]{40,}$/.test(ref) ? ref.slice(0, 12) : ref;
}

export function batchList(batches: readonly BatchState[]): string {
  if (batches.length === 0) return 'No batches yet.\n';
  const rows = batches.map(({ description, tasks, results }) => {
    const { done, failed, open, total } = summarize(tasks, results);
    const state = open > 0 ? `${open} not finished` : failed > 0 ? `${failed} failed` : 'done';
    return [description.id, `${done}/${total}`, state, visible(description.cwd)];
  });
  return table([['BATCH', 'DONE', 'STATE', 'FOLDER'], ...rows]);
}
