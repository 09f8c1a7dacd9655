import path from 'node:path';
import { queueVariable } from '../../config/environment.ts';
import { UserError } from '../../contract/errors.ts';
import type { Task } from '../../fleet/task.ts';
import { isRemote, type TaskDefaults } from '../../fleet/tasks/complete-task.ts';
import { readTaskFile, readTasks, type TaskInput, taskText } from '../../fleet/tasks/read-tasks.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { counted } from '../../lib/text/counted.ts';
import { visible } from '../../lib/text/printable.ts';
import { runGit } from '../../sandbox/git.ts';
import { findSource } from '../../sandbox/worktrees/origin.ts';
import type { BatchFlags } from './flags.ts';
import { taskChecks } from './task-checks.ts';

const RETRIES = 2;

/** The tasks that the arguments describe, all of them valid. */
export async function newTasks(
  file: string | undefined,
  flags: BatchFlags,
  terminal: Terminal,
): Promise<Task[]> {
  const { cwd, env } = terminal;
  const input = await inputOf(file, flags, terminal);
  const checks = taskChecks(terminal, flags.queue ?? env[queueVariable]);
  const defaults: TaskDefaults = {
    cwd,
    env,
    ref: flags.base ?? 'HEAD',
    source: { type: await sourceType(terminal), path: cwd },
    models: [...new Set(flags.model)],
    mode: flags.mode ?? 'auto',
    allow: flags.allow,
    deny: flags.deny,
    checks: flags.check,
    checkRetries: flags.checkRetries ?? RETRIES,
    labels: flags.label,
    onNote: (text) => void terminal.stderr.write(`${visible(text)}\n`),
    ...(flags.prompt !== undefined && { prompt: flags.prompt }),
    ...(flags.command !== undefined && { command: flags.command }),
    ...(flags.taskBudget !== undefined && { budget: flags.taskBudget }),
    ...(flags.timeout !== undefined && { timeout: flags.timeout }),
  };
  const tasks = await readTasks(input, defaults, checks);
  if (flags.changes !== 'patch') await checkBranches(tasks, terminal);
  return tasks;
}

async function inputOf(
  file: string | undefined,
  { each }: BatchFlags,
  terminal: Terminal,
): Promise<TaskInput> {
  if (file !== undefined && each !== undefined)
    throw new UserError('Give a task file or --each, not both.', 'Leave out one of them.');
  if (each !== undefined) return { type: 'each', glob: each };
  if (file === undefined)
    throw new UserError(
      'No tasks given.',
      "Name a file (aca batch tasks.jsonl), or use --each 'src/**/*.js' --prompt 'Fix {{file}}'.",
    );
  if (file !== '-') {
    const folder = path.dirname(path.resolve(terminal.cwd, file));
    return { type: 'file', name: file, text: readTaskFile(file, terminal), folder };
  }
  const chunks: Buffer[] = [];
  for await (const chunk of terminal.stdin) chunks.push(Buffer.from(chunk));
  return {
    type: 'file',
    name: 'standard input',
    text: taskText('standard input', Buffer.concat(chunks)),
    folder: terminal.cwd,
  };
}

/** Throws if there is no git at all: worktrees and patches need it. */
async function sourceType({ cwd, env }: Pick<Terminal, 'cwd' | 'env'>): Promise<'repository' | 'folder'> {
  await runGit(['--version'], { cwd, env, use: 'read' });
  try {
    const { commit, ownGitDir } = await findSource(cwd, { env });
    return commit === null && ownGitDir === null ? 'folder' : 'repository';
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    // The tasks that start from it will say why they cannot.
    return 'repository';
  }
}

const MOST_REPOSITORIES = 20;

/** Git cannot have both a branch `aca` and branches `aca/…`: no task could keep its changes. */
async function checkBranches(tasks: readonly Task[], { env }: Pick<Terminal, 'cwd' | 'env'>): Promise<void> {
  for (const [cwd] of [...localStarts(tasks)].slice(0, MOST_REPOSITORIES)) {
    const place = { cwd, env, use: 'read' as const };
    if ((await runGit(['rev-parse', '--verify', '--quiet', 'refs/heads/aca'], place)).success)
      throw new UserError(
        `${cwd} has a branch named aca, so that branches for tasks, such as aca/BATCH/TASK, cannot be created.`,
        'Rename it with `git branch -m aca NAME`, or add --changes patch.',
      );
  }
}

/** The refs from which tasks start, by repository on this machine. */
function localStarts(tasks: readonly Task[]): Map<string, string> {
  return new Map(
    tasks.flatMap(({ source }) =>
      source.type === 'repository' && !isRemote(source.repository) ? [[source.repository, source.ref]] : [],
    ),
  );
}

/** Tasks start from a commit: what is not committed is not there. */
export async function warnIfDirty(tasks: readonly Task[], { env, stderr }: Terminal): Promise<void> {
  for (const [cwd, ref] of [...localStarts(tasks)].slice(0, MOST_REPOSITORIES)) {
    const place = { cwd, env, use: 'read' as const };
    // Who names another commit does not expect them.
    if ((await runGit(['rev-parse', 'HEAD'], place)).out.trim() !== ref) continue;
    const { success, out } = await runGit(['status', '--porcelain', '-z', '--untracked-files=normal'], place);
    const changed = out.split('\0').filter(Boolean).length;
    if (success && changed > 0)
      stderr.write(
        `${counted(changed, 'uncommitted change')} in ${cwd} will be missing: tasks start from the last commit.\n`,
      );
  }
}
