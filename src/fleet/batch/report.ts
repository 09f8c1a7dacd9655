import path from 'node:path';
import { shortUsd } from '../../contract/limit.ts';
import { counted } from '../../lib/text/counted.ts';
import { elapsed } from '../../lib/text/elapsed.ts';
import { shortCount } from '../../lib/text/short-count.ts';
import type { Task, TaskResult } from '../task.ts';
import type { BatchState } from './batch-store.ts';
import { byModel, type Summary, summarize } from './summary.ts';

/** A batch as a report shows it: plain text, escaped by whoever writes it. */
export type ReportData = {
  title: string;
  facts: string[];
  /** Only if several models were used. */
  models: Table | null;
  tasks: Table<Cell>;
  /** What else the user should know about tasks, also those that are done. */
  notes: { task: string; text: string }[];
  failures: { task: string; reason: string; checks: { name: string; output: string }[] }[];
};

type Table<C = string> = { head: string[]; rows: { cells: C[]; isFailed?: boolean }[] };

/** Text, or text that links to a file beside the report. */
type Cell = string | { text: string; file: string };

const MAX_TITLE = 60;
const MAX_LISTED = 10;

/** `transcripts`: by task, the files with the sessions that are on this machine, relative to the report. */
export function reportOf(
  { description, tasks, results, begun }: BatchState,
  transcripts: ReadonlyMap<string, string>,
): ReportData {
  const summary = summarize(tasks, results, begun);
  const done = tasks.flatMap((task) => {
    const result = results.get(task.id);
    return result ? [{ task, result }] : [];
  });
  return {
    title: `Batch ${description.id}`,
    facts: [
      countsText(summary),
      `Cost: ${costText(summary)}, ${shortCount(summary.tokens)} tokens`,
      `Time of all tasks: ${elapsed(summary.durationMs)}`,
      `Started ${description.createdAt.slice(0, 16).replace('T', ' ')} UTC in ${description.cwd}`,
    ],
    models: modelTable(tasks, results),
    tasks: {
      head: ['Task', 'Prompt', 'Result', 'Changes', 'Cost', 'Time', 'Turns', 'Session'],
      rows: tasks.map((task) => ({
        cells: rowOf(task, results.get(task.id), transcripts.get(task.id)),
        isFailed: results.get(task.id)?.status === 'failed',
      })),
    },
    notes: done.flatMap(({ task, result }) => notesOf(result).map((text) => ({ task: task.id, text }))),
    failures: done
      .filter(({ result }) => result.status === 'failed')
      .map(({ task, result }) => ({
        task: task.id,
        reason: result.reason ?? result.failure ?? '',
        checks: result.checks.filter(({ exitCode }) => exitCode !== 0),
      })),
  };
}

/** Null with one model. */
export function modelTable(tasks: BatchState['tasks'], results: BatchState['results']): Table | null {
  const models = byModel(tasks, results);
  if (models.size < 2) return null;
  return {
    head: ['Model', 'Done', 'Failed', 'Cost', 'Time per task'],
    rows: Array.from(models, ([model, summary]) => ({
      cells: [
        model,
        `${summary.done} (${percent(summary.done, summary.total)})`,
        String(summary.failed),
        costText(summary),
        elapsed(summary.durationMs / Math.max(1, summary.done + summary.failed)),
      ],
    })),
  };
}

function rowOf(task: Task, result: TaskResult | undefined, transcript: string | undefined): Cell[] {
  const prompt = promptTitle(task);
  if (!result) return [task.id, prompt, 'not finished', '', '', '', '', ''];
  // Enough of it for --resume.
  const session = result.session?.slice(0, 8) ?? '';
  return [
    task.id,
    prompt,
    resultText(result),
    changesText(result),
    costText({ costUsd: result.costUsd ?? 0, hasUnknownCost: result.costUsd === null }),
    elapsed(result.durationMs),
    String(result.turns),
    transcript === undefined ? session : { text: session, file: transcript },
  ];
}

export function promptTitle({ prompt }: Pick<Task, 'prompt'>): string {
  const line = prompt.trim().replaceAll(/\s+/g, ' ');
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE - 1)}…` : line;
}

export function resultText({ status, failure }: Pick<TaskResult, 'status' | 'failure'>): string {
  return status === 'done' ? 'done' : `failed (${failure ?? 'unknown'})`;
}

export function changesText({ filesChanged, branch, patch }: TaskResult): string {
  if (filesChanged === 0) return 'none';
  return `${counted(filesChanged, 'file')}: ${branch ?? (patch === undefined ? '' : path.basename(patch))}`;
}

/** What a result says that is neither success nor failure. */
export function notesOf({ refusals, leftOut = [], worktree }: TaskResult): string[] {
  const more = leftOut.length - MAX_LISTED;
  const listed = `${leftOut.slice(0, MAX_LISTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return [
    ...(refusals > 0 ? [`${counted(refusals, 'call')} refused.`] : []),
    ...(leftOut.length > 0 ? [`Not in the patch: ${listed}.`] : []),
    ...(worktree === undefined ? [] : [`Its files are kept in ${worktree}.`]),
  ];
}

/** Without what is zero. */
export function countsText({ total, done, failed, open }: Summary): string {
  return [
    `${done} of ${counted(total, 'task')} done`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(open > 0 ? [`${open} not finished`] : []),
  ].join(', ');
}

export function costText({ costUsd, hasUnknownCost }: Pick<Summary, 'costUsd' | 'hasUnknownCost'>): string {
  if (!hasUnknownCost) return shortUsd(costUsd);
  return costUsd === 0 ? 'unknown' : `${shortUsd(costUsd)} and unknown`;
}

function percent(part: number, whole: number): string {
  return `${Math.round((100 * part) / Math.max(1, whole))}%`;
}

/** Text that Markdown shows as it is, on one line. */
export function markdownText(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\\`*_[\]|<>~&]/g, '\\$&')
    .replace(/^\s*([#+=-]|\d+(?=[.)]))/, (start) => start.replace(/(\S)$/, '\\$1'));
}

export function toMarkdown({ title, facts, models, tasks, notes, failures }: ReportData): string {
  const table = ({ head, rows }: Table<Cell>) =>
    [head, head.map(() => '---'), ...rows.map(({ cells }) => cells.map(markdownCell))]
      .map((cells) => `| ${cells.join(' | ')} |`)
      .join('\n');
  const blocks = [
    `# ${markdownText(title)}`,
    facts.map((fact) => `- ${markdownText(fact)}`).join('\n'),
    ...(models ? ['## Models', table(models)] : []),
    '## Tasks',
    table(tasks),
    ...(notes.length > 0 ? ['## Notes'] : []),
    ...notes.map(({ task, text }) => `- ${markdownText(`${task}: ${text}`)}`),
    ...(failures.length > 0 ? ['## Failures'] : []),
    ...failures.flatMap(({ task, reason, checks }) => [
      `### ${markdownText(task)}`,
      markdownText(reason),
      ...checks.map(({ name, output }) => fenced(`$ ${name}\n${output}`)),
    ]),
    'Continue a session with `aca --resume SESSION --force-dir`.',
  ];
  return `${blocks.join('\n\n')}\n`;
}

function markdownCell(cell: Cell): string {
  if (typeof cell === 'string') return markdownText(cell);
  return `[${markdownText(cell.text)}](${linkTo(cell.file)})`;
}

/** What ends a link in HTML or Markdown is encoded, too. */
function linkTo(file: string): string {
  return encodeURI(file).replaceAll(/[?#()&']/g, (found) => `%${found.charCodeAt(0).toString(16)}`);
}

/** A fence longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text.trimEnd()}\n${fence}`;
}

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 80rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { text-align: left; padding: 0.3rem 0.8rem; border-bottom: 1px solid #8884; vertical-align: top; }
td:nth-child(n + 5) { white-space: nowrap; }
tr.failed td:nth-child(3) { color: light-dark(#b3261e, #ff8a80); font-weight: 600; }
pre { background: #8882; padding: 0.8rem; overflow-x: auto; white-space: pre-wrap; }
code, pre { font-family: ui-monospace, monospace; font-size: 0.9em; }`;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function htmlText(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

function htmlCell(cell: Cell): string {
  if (typeof cell === 'string') return htmlText(cell);
  return `<a href="${linkTo(cell.file)}">${htmlText(cell.text)}</a>`;
}

/** One file that loads and runs nothing. */
export function toHtml({ title, facts, models, tasks, notes, failures }: ReportData): string {
  const table = ({ head, rows }: Table<Cell>) =>
    `<table>\n<thead><tr>${head.map((cell) => `<th scope="col">${htmlText(cell)}</th>`).join('')}</tr></thead>\n<tbody>\n${rows
      .map(
        ({ cells, isFailed }) =>
          `<tr${isFailed ? ' class="failed"' : ''}>${cells.map((cell) => `<td>${htmlCell(cell)}</td>`).join('')}</tr>`,
      )
      .join('\n')}\n</tbody></table>`;
  const body = [
    `<h1>${htmlText(title)}</h1>`,
    `<ul>${facts.map((fact) => `<li>${htmlText(fact)}</li>`).join('')}</ul>`,
    ...(models ? ['<h2>Models</h2>', table(models)] : []),
    '<h2>Tasks</h2>',
    table(tasks),
    ...(notes.length > 0 ? ['<h2>Notes</h2>'] : []),
    ...notes.map(({ task, text }) => `<p>${htmlText(`${task}: ${text}`)}</p>`),
    ...(failures.length > 0 ? ['<h2>Failures</h2>'] : []),
    ...failures.flatMap(({ task, reason, checks }) => [
      `<h3>${htmlText(task)}</h3>`,
      `<p>${htmlText(reason)}</p>`,
      ...checks.map(({ name, output }) => `<pre>${htmlText(`$ ${name}\n${output}`)}</pre>`),
    ]),
    '<p>Continue a session with <code>aca --resume SESSION --force-dir</code>.</p>',
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${htmlText(title)}</title>
<style>${STYLE}
</style>
</head>
<body>
${body.join('\n')}
</body>
</html>
`;
}
