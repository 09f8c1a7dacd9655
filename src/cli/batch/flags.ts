import { availableParallelism } from 'node:os';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { queueVariable } from '../../config/environment.ts';
import { limitProblem } from '../../contract/limit.ts';
import { isLabel, modes, type Task } from '../../fleet/task.ts';
import { positiveInteger, wholeNumber } from '../args.ts';
import { durationFlag, MINUTE_MS } from '../flags/duration-flag.ts';

export type BatchFlags = {
  each?: string;
  prompt?: string;
  command?: string;
  jobs?: number;
  base?: string;
  model: string[];
  mode?: Task['mode'];
  allow: string[];
  deny: string[];
  check: string[];
  checkRetries?: number;
  taskBudget?: string;
  timeout?: number;
  label: string[];
  budget?: string;
  output?: string;
  changes?: 'branch' | 'patch';
  trees?: string;
  trust?: boolean;
  resume?: string | true;
  retryFailed?: boolean;
  dryRun?: boolean;
  list?: boolean;
  queue?: string;
  store?: string;
};

/** Flags that describe the tasks: fixed once a batch has started. */
export const taskFlags = [
  'each',
  'prompt',
  'command',
  'base',
  'model',
  'mode',
  'allow',
  'deny',
  'check',
  'checkRetries',
  'taskBudget',
  'timeout',
  'label',
  'changes',
  'trust',
  'dryRun',
] as const satisfies readonly (keyof BatchFlags)[];

const collect = (value: string, previous: string[]) => [...previous, value];
const list = (option: Option) => option.argParser(collect).default([], 'none');

const MOST_JOBS = 64;
export const defaultJobs = () => Math.min(4, availableParallelism());

export function withBatchFlags(command: Command): Command {
  const groups = {
    'Tasks:': [
      new Option('--each <glob>', "one task per committed file that matches, such as 'src/**/*.js'"),
      new Option(
        '--prompt <text>',
        'prompt of tasks that have none; {{file}} and {{column}} are variables',
      ).conflicts('command'),
      new Option('--command <file>', 'the same, from a command file (Markdown)'),
      new Option('--base <ref>', 'commit, branch or tag that tasks start from (default: HEAD)'),
      list(
        new Option(
          '-m, --model <model>',
          'model of tasks that name none; repeat it to run each task with each',
        ),
      ),
      new Option('--mode <mode>', 'what runs without asking (default: auto)').choices(modes),
      list(new Option('--allow <rule>', 'allow matching tool calls; repeatable')),
      list(new Option('--deny <rule>', 'deny matching tool calls; repeatable')),
      list(new Option('--check <command>', 'a command that must pass when the model is done; repeatable')),
      new Option('--check-retries <n>', 'how often a failure goes back to the model (default: 2)').argParser(
        wholeNumber,
      ),
      new Option('--task-budget <limit>', "limit of each task, such as '$0.50 and 40 turns'").argParser(
        aLimit,
      ),
      new Option('--timeout <time>', 'stop a task after this time, such as 90s or 30m').argParser(
        durationFlag(MINUTE_MS),
      ),
      new Option('--label <label>', 'label of all tasks; repeatable')
        .argParser((value: string, previous: string[]) => [...previous, aLabel(value)])
        .default([], 'none'),
      new Option('--trust', 'trust the settings and scripts of the repositories'),
    ],
    'Running:': [
      new Option(
        '-j, --jobs <n>',
        'how many tasks run at a time (default: number of cores, at most 4)',
      ).argParser(jobCount),
      new Option('--budget <limit>', "limit of the whole batch, such as '$20'; never exceeded").argParser(
        aLimit,
      ),
      new Option('-o, --output <file>', 'append results to this file as JSON lines'),
      new Option(
        '--changes <kind>',
        'keep changes on a branch and as a patch, or as a patch only (default: branch)',
      ).choices(['branch', 'patch']),
      new Option('--trees <folder>', 'folder for the worktrees (default: beside the repository)'),
      new Option('--dry-run', 'print the tasks and stop'),
    ],
    'On many machines:': [
      new Option(
        '--queue <url>',
        `queue the tasks on this Redis server, for \`aca worker\` on any machine (default: ${queueVariable})`,
      ),
      new Option(
        '--store <place>',
        'where workers put patches and results: a shared folder or s3://bucket/prefix',
      ),
    ],
    'Later:': [
      new Option(
        '--resume [batch]',
        'continue a batch that was stopped (default: the last one of this folder)',
      ),
      new Option('--retry-failed', 'with --resume: run failed tasks again'),
      new Option('--list', 'list batches'),
    ],
  };
  for (const [group, options] of Object.entries(groups))
    for (const option of options) command.addOption(option.helpGroup(group));
  return command;
}

function aLimit(value: string): string {
  const problem = limitProblem(value);
  if (problem !== null) throw new InvalidArgumentError(problem);
  return value;
}

function aLabel(value: string): string {
  if (!isLabel(value)) throw new InvalidArgumentError('A label has no comma, and no space around it.');
  return value;
}

function jobCount(value: string): number {
  const count = positiveInteger(value);
  if (count > MOST_JOBS) throw new InvalidArgumentError(`Use at most ${MOST_JOBS}.`);
  return count;
}
