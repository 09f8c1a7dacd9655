import path from 'node:path';
import { resolvePath } from '../../lib/files/data-root.ts';
import { parseFrontMatter, textField } from '../../lib/text/front-matter.ts';
import { argumentsFor } from '../../plugins/arguments.ts';
import type { Task, TaskLine } from '../task.ts';
import { fillCommand } from './shell-template.ts';
import { fillTemplate, namesIn } from './template.ts';

/** What flags say for all tasks; a task's own fields win. */
export type TaskDefaults = {
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** For tasks without one; `{{name}}` is a variable. */
  prompt?: string;
  /** A command file, instead of a prompt. */
  command?: string;
  ref: string;
  /** The repository or folder of tasks that name none. */
  source: { type: 'repository' | 'folder'; path: string };
  /** Each task runs once for each of them; with the default model if there are none. */
  models: readonly string[];
  mode: Task['mode'];
  allow: readonly string[];
  deny: readonly string[];
  budget?: string;
  checks: readonly string[];
  checkRetries: number;
  timeout?: number;
  labels: readonly string[];
  /** Gets a sentence about what is not wrong, but worth knowing. */
  onNote?(text: string): void;
};

export type CompleteOptions = TaskDefaults & {
  /** What paths in the line are relative to. */
  folder: string;
  /** File and line; null if its variables are names of the project's files. */
  place: string | null;
  /** Its number, padded: the default id. */
  number: string;
  isFolder(path: string): boolean;
  /** Null if it cannot be read. */
  readCommand(file: string): string | null;
};

/** scp-like or with a scheme. */
const URL = /^([a-z][a-z0-9+.-]*:\/\/|[\w.-]+@[\w.-]+:)/i;

/** The tasks of one line, one for each model; `problems` if it is not a task. */
export function completeTask(
  line: TaskLine,
  options: CompleteOptions,
): { tasks: Task[]; problems: string[] } {
  const problems: string[] = [];
  const { variables } = line;
  const fillWith = (text: string, filler: typeof fillTemplate) => {
    if (variables === undefined) return text;
    const { text: filled, missing } = filler(text, variables);
    for (const name of missing) problems.push(`no value for {{${name}}}`);
    return filled;
  };
  const fill = (text: string) => fillWith(text, fillTemplate);
  const prompt = promptOf(line, options, problems);
  if (line.repository !== undefined && line.folder !== undefined)
    problems.push('names both a repository and a folder');
  const source = sourceOf(line, options, fill);
  if (source.type === 'folder' && line.ref !== undefined)
    problems.push(`has a ref, but starts from a folder without git: ${source.folder}`);
  else if (source.type === 'folder' && line.folder === undefined && options.ref !== 'HEAD')
    problems.push(`cannot start from ${options.ref}: ${source.folder} is not a git repository`);
  const place = source.type === 'folder' ? source.folder : source.repository;
  if (!isRemote(place) && !options.isFolder(place)) problems.push(`${place} is not a folder`);
  const task: Omit<Task, 'id' | 'model'> = {
    prompt: fill(prompt ?? ''),
    source,
    mode: line.mode ?? options.mode,
    allow: [...options.allow, ...(line.allow ?? [])],
    deny: [...options.deny, ...(line.deny ?? [])],
    ...limited('budget', line.budget ?? options.budget),
    // A file name may contain what a shell would run.
    checks: (line.checks ?? options.checks).map((check) => fillWith(check, fillCommand)),
    checkRetries: line.checkRetries ?? options.checkRetries,
    ...limited('timeout', line.timeout ?? options.timeout),
    labels: [...new Set([...options.labels, ...(line.labels ?? [])])],
    variables: variables ?? {},
    ...limited('textFrom', options.place !== null && hasText(prompt, variables) ? options.place : undefined),
  };
  if (prompt !== null && task.prompt.trim() === '') problems.push('the prompt is empty');
  const models = line.model === undefined ? options.models : [line.model];
  const id = line.id ?? idOf(options.number, variables?.name);
  const tasks =
    models.length > 1
      ? models.map((model, i) => ({ ...task, id: idOf(id, `${i + 1}-${model}`), model }))
      : [{ ...task, id, ...limited('model', models[0]) }];
  return { tasks: problems.length > 0 ? [] : tasks, problems: [...new Set(problems)] };
}

/** Names, numbers and versions give no orders. */
const NAME = /^[\w./@+#-]{0,64}$/;

/** Whether a variable of the prompt is more than a name: a title or a description, which others may have written. */
function hasText(prompt: string | null, variables: TaskLine['variables'] = {}): boolean {
  return namesIn(prompt ?? '').some((name) => !NAME.test(variables[name] ?? ''));
}

function limited<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { [K in Key]?: Value };
}

/** Null, with a problem, if there is none. */
function promptOf(line: TaskLine, options: CompleteOptions, problems: string[]): string | null {
  const { prompt, command } = line;
  if (prompt !== undefined && command !== undefined) problems.push('has both a prompt and a command');
  if (line.arguments !== undefined && command === undefined && options.command === undefined)
    problems.push('has arguments, but no command');
  if (prompt !== undefined) return prompt;
  if (command === undefined && options.prompt !== undefined) return options.prompt;
  const file =
    command === undefined
      ? options.command && resolvePath(options.command, options.cwd, options.env)
      : resolvePath(command, options.folder, options.env);
  if (file === undefined) {
    problems.push('has no prompt and no command; add one, or pass --prompt');
    return null;
  }
  const text = options.readCommand(file);
  if (text === null) {
    problems.push(`the command file ${file} cannot be read`);
    return null;
  }
  return commandPrompt(text, line.arguments ?? '');
}

/** As `/name arguments` would send it; the file runs no commands here, and attaches nothing. */
function commandPrompt(text: string, typed: string): string {
  const matter = parseFrontMatter(text);
  const body = matter.body.trim();
  const { inText, isUsed } = argumentsFor(body, typed);
  const filled = inText(body);
  return typed === '' || isUsed || textField(matter, 'argument-hint') ? filled : `${filled}\n\n${typed}`;
}

function sourceOf(line: TaskLine, options: CompleteOptions, fill: (text: string) => string): Task['source'] {
  const { repository, folder, ref } = line;
  const absolute = (written: string) => resolvePath(fill(written), options.folder, options.env);
  if (folder !== undefined) return { type: 'folder', folder: absolute(folder) };
  const at = ref === undefined ? options.ref : fill(ref);
  if (repository !== undefined)
    return {
      type: 'repository',
      repository: isRemote(fill(repository)) ? fill(repository) : absolute(repository),
      ref: at,
    };
  const { type, path: place } = options.source;
  return type === 'folder' ? { type, folder: place } : { type, repository: path.resolve(place), ref: at };
}

export function isRemote(repository: string): boolean {
  return URL.test(repository);
}

const MAX_ID = 64;

/** A readable id: the number, and letters and digits of a name. */
function idOf(number: string, name: string | undefined): string {
  const slug = (name ?? '').replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/^-+|-+$/g, '');
  return slug === '' ? number : `${number}-${slug}`.slice(0, MAX_ID).replace(/-+$/, '');
}
