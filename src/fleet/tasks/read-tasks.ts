import { isUtf8 } from 'node:buffer';
import { statSync } from 'node:fs';
import path from 'node:path';
import type * as z from 'zod';
import { expectation } from '../../config/schema/expectation.ts';
import { UserError } from '../../contract/errors.ts';
import { resolvePath } from '../../lib/files/data-root.ts';
import { isErrno } from '../../lib/files/errno.ts';
import { readRegularFile, readRegularText } from '../../lib/files/regular-file.ts';
import { counted } from '../../lib/text/counted.ts';
import { isObject, parseJson } from '../../lib/text/json.ts';
import { didYouMean } from '../../lib/text/nearest.ts';
import { type Task, taskLineSchema } from '../task.ts';
import { problemsOf, type TaskChecks } from './check-task.ts';
import { completeTask, type TaskDefaults } from './complete-task.ts';
import { parseCsv, UnclosedQuote } from './csv.ts';
import { matchingFiles } from './matching-files.ts';
import { pinCommits } from './pin-commits.ts';

/** Where tasks come from: a file of lines or rows with its text, or the files that a glob matches. */
export type TaskInput =
  | { type: 'file'; name: string; text: string; folder: string }
  | { type: 'each'; glob: string };

/** What was written for one task, and where. */
type WrittenTask = { place: string } & ({ fields: unknown } | { problem: string });

const MAX_SHOWN = 20;
/** Columns with several values, separated by semicolons. */
const LISTS = new Set(['labels', 'allow', 'deny']);
const NUMBERS = new Set(['checkRetries', 'timeout']);
const FIELDS = Object.keys(taskLineSchema.shape);

/** All tasks, complete; if any is wrong, throws a `UserError` that names every wrong line. */
export async function readTasks(
  input: TaskInput,
  defaults: TaskDefaults,
  checks?: TaskChecks,
): Promise<Task[]> {
  const written = input.type === 'each' ? await eachFile(input.glob, defaults) : writtenIn(input);
  if (written.length === 0)
    throw new UserError(
      input.type === 'each' ? `No file matches ${input.glob}.` : `${input.name} has no tasks.`,
      input.type === 'each'
        ? defaults.source.type === 'repository'
          ? 'Quote the pattern, and note that only committed files count.'
          : `Quote the pattern. ${defaults.cwd} is not in a git repository with a commit: its files on the disk count.`
        : isCsv(input.name)
          ? 'Write one task per row, below a row with the names of the columns.'
          : 'Write one task per line: {"prompt": "…"}',
    );
  const problems: string[] = [];
  const tasks: Task[] = [];
  const folder = input.type === 'file' ? input.folder : defaults.cwd;
  const width = String(written.length).length;
  const seen = new Map<string, string>();
  const isFolder = remembered((place) => statSync(place, { throwIfNoEntry: false })?.isDirectory() ?? false);
  for (const [i, task] of written.entries()) {
    const { place } = task;
    const number = String(i + 1).padStart(width, '0');
    const problem = (text: string) => problems.push(`${place}: ${text}`);
    if ('problem' in task) {
      problem(task.problem);
      continue;
    }
    const parsed = taskLineSchema.safeParse(task.fields);
    if (!parsed.success) {
      for (const issue of parsed.error.issues) problem(issueText(issue));
      continue;
    }
    const completed = completeTask(parsed.data, {
      ...{ ...defaults, folder, number, readCommand, isFolder },
      place: input.type === 'each' ? null : place,
    });
    for (const text of completed.problems) problem(text);
    for (const task of completed.tasks) {
      const other = seen.get(task.id.toLowerCase());
      if (other !== undefined) problem(`the id ${task.id} is already used by ${other}`);
      seen.set(task.id.toLowerCase(), place);
      tasks.push(task);
    }
  }
  const pinned = await pinCommits(tasks, defaults.env);
  for (const [task, problem] of pinned.problems) problems.push(`${seen.get(task.toLowerCase())}: ${problem}`);
  for (const { task, text } of await problemsOf(pinned.tasks, checks))
    problems.push(`${seen.get(task.id.toLowerCase())}: ${text}`);
  if (problems.length > 0)
    throw new UserError(problemList(problems), 'Fix that, and run it again. Nothing was run.');
  for (const note of pinned.notes) defaults.onNote?.(note);
  return pinned.tasks;
}

function remembered<T>(find: (name: string) => T): (name: string) => T {
  const found = new Map<string, T>();
  return (name) => {
    if (!found.has(name)) found.set(name, find(name));
    return found.get(name) as T;
  };
}

/** The text of a task file or a command file. */
export function readTaskFile(name: string, place: { cwd: string; env: NodeJS.ProcessEnv }): string {
  const file = resolvePath(name, place.cwd, place.env);
  try {
    return taskText(name, readRegularFile(file));
  } catch (error) {
    if (!isErrno(error)) throw error;
    const why = error.code === 'ENOENT' ? 'does not exist' : `cannot be read (${error.code})`;
    throw new UserError(`${name} ${why}.`, 'Check the path.', { cause: error });
  }
}

/** The text of tasks: characters that were lost would be found only in what the model does. */
export function taskText(name: string, bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  let line = 1;
  for (let at = 0, end = 0; end !== -1; at = end + 1, line++) {
    end = bytes.indexOf('\n', at);
    if (!isUtf8(bytes.subarray(at, end === -1 ? undefined : end))) break;
  }
  throw new UserError(`${name}:${line} is not text in UTF-8.`, 'Save the file as UTF-8.');
}

function readCommand(file: string): string | null {
  try {
    return readRegularText(file);
  } catch (error) {
    if (!isErrno(error)) throw error;
    return null;
  }
}

function writtenIn({ name, text }: Extract<TaskInput, { type: 'file' }>): WrittenTask[] {
  return isCsv(name) ? rowsOf(name, text) : linesOf(name, text);
}

const isCsv = (name: string): boolean => name.toLowerCase().endsWith('.csv');

/** Blank lines and lines that begin with `//` or `#` are skipped. */
function linesOf(name: string, text: string): WrittenTask[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .flatMap((line, i): WrittenTask[] => {
      if (line.trim() === '' || /^\s*(\/\/|#)/.test(line)) return [];
      const place = `${name}:${i + 1}`;
      const fields = parseJson(line);
      return [isObject(fields) ? { place, fields } : { place, problem: 'is not a JSON object on one line' }];
    });
}

function rowsOf(name: string, text: string): WrittenTask[] {
  try {
    const [header, ...rows] = parseCsv(text);
    if (!header) return [];
    const columns = header.cells.map((cell) => cell.trim());
    const twice = columns.find((column, i) => columns.indexOf(column) !== i);
    if (twice !== undefined)
      throw new UserError(
        `${name}:${header.line}: there are two columns "${twice}".`,
        'Rename or remove one of them.',
      );
    return rows.map(({ line, cells }) => {
      const place = `${name}:${line}`;
      if (cells.length <= columns.length) return { place, fields: fieldsOf(columns, cells) };
      const header = counted(columns.length, 'column');
      return { place, problem: `has ${counted(cells.length, 'cell')}, but the header names ${header}` };
    });
  } catch (error) {
    if (!(error instanceof UnclosedQuote)) throw error;
    throw new UserError(`${name}:${error.line}: ${error.message}.`, 'Close it with a quote (").');
  }
}

/** Columns named after a field of a task set it, others are variables. Empty cells set nothing. */
function fieldsOf(columns: readonly string[], cells: readonly string[]): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  const variables: Record<string, string> = {};
  for (const [i, column] of columns.entries()) {
    const cell = cells[i] ?? '';
    if (!Object.hasOwn(taskLineSchema.shape, column)) variables[column] = cell;
    else if (cell !== '') fields[column] = parsedCell(column, cell);
  }
  return { ...fields, variables };
}

function parsedCell(column: string, cell: string): unknown {
  if (column === 'checks') return [cell];
  if (LISTS.has(column)) return cell.split(';').map((one) => one.trim());
  return NUMBERS.has(column) ? Number(cell) : cell;
}

async function eachFile(glob: string, { cwd, env, ref }: TaskDefaults): Promise<WrittenTask[]> {
  const files = await matchingFiles(glob, { cwd, env, ref });
  return files.map((file) => {
    const { dir, name, base, ext } = path.posix.parse(file);
    return { place: file, fields: { variables: { file, folder: dir || '.', base, name, extension: ext } } };
  });
}

function issueText(issue: z.core.$ZodIssue): string {
  const key = issue.path.join('.');
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((name) => `unknown field "${name}".${didYouMean(name, FIELDS)}`).join(' ');
    case 'invalid_union':
      return `${key} must be text, a number, true or false`;
    case 'invalid_format':
    case 'custom':
      return `${key}: ${issue.message}`;
    default:
      return `${key} ${expectation(issue)}`;
  }
}

function problemList(problems: readonly string[]): string {
  const more = problems.length - MAX_SHOWN;
  const shown = problems.slice(0, MAX_SHOWN);
  return [
    `${counted(problems.length, 'problem')} in the tasks:`,
    ...shown.map((line) => `  ${line}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ].join('\n');
}
