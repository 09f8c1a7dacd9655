import * as z from 'zod';
import { limitProblem } from '../contract/limit.ts';

const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
export const modes = ['default', 'accept-edits', 'plan', 'auto', 'read-only'] as const;

const text = () => z.string().min(1);
const texts = () => z.array(text());

/** No program can get it as an argument. */
const NUL = 'must not contain the character NUL';
const written = () => text().refine((value) => !value.includes('\0'), NUL);
const listed = () => z.array(written());
/** Workers get theirs as a list with commas. */
const label = () =>
  written().refine((one) => one === '' || isLabel(one), 'must have no comma, and no space around it');

export function isLabel(text: string): boolean {
  return text !== '' && text.trim() === text && !text.includes(',');
}

/** Text or number in a task file, text in a template. */
const variables = () =>
  z.record(
    z.string(),
    z
      .union([z.string(), z.number(), z.boolean()])
      .transform((value) => String(value))
      .refine((value) => !value.includes('\0'), NUL),
  );

/** One line of a task file. Paths are relative to the folder of that file. */
export const taskLineSchema = z.strictObject({
  id: z
    .string()
    .regex(ID, 'use letters, digits, - and _, at most 64, beginning with a letter or digit')
    .optional()
    .describe('name of the task in results, branches and patches; its number if absent'),
  prompt: written().optional().describe('what to do; `{{name}}` is replaced by a variable'),
  command: written().optional().describe('a command file (Markdown) with the prompt, instead of `prompt`'),
  arguments: z
    .string()
    .refine((value) => !value.includes('\0'), NUL)
    .optional()
    .describe('arguments of the command file, for its `$ARGUMENTS`'),
  variables: variables().optional().describe('values for `{{name}}` in the prompt and in checks'),
  repository: written().optional().describe('a git repository: a path or a URL; default: this one'),
  ref: written().optional().describe('branch, tag or commit to start from; default: HEAD'),
  folder: written().optional().describe('a folder to work on a copy of, instead of `repository`'),
  model: written().optional().describe('as `--model`'),
  mode: z.enum(modes).optional().describe('permission mode; default: auto'),
  allow: listed().optional().describe('rules, as `--allow`'),
  deny: listed().optional().describe('rules, as `--deny`'),
  budget: written()
    .superRefine((limit, context) => {
      const message = limitProblem(limit);
      if (message !== null) context.addIssue({ code: 'custom', message });
    })
    .optional()
    .describe("limit of this task, such as '$1 and 40 turns'"),
  checks: listed().optional().describe('commands that must pass after the model is done'),
  checkRetries: z
    .int()
    .min(0)
    .max(20)
    .optional()
    .describe('how often a failed check goes back to the model; default: 2'),
  timeout: z.number().positive().optional().describe('minutes after which the task is stopped'),
  labels: z
    .array(label())
    .optional()
    .describe('for reports; a worker of a queue takes only tasks whose labels it has'),
});

export type TaskLine = z.infer<typeof taskLineSchema>;

/** Where a task finds its files: a repository (path or URL) at a ref, or a folder that is copied. Paths are absolute. */
const taskSourceSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('repository'), repository: text(), ref: text() }),
  z.object({ type: z.literal('folder'), folder: text() }),
]);

export type TaskSource = z.infer<typeof taskSourceSchema>;

/** A task that can run: its prompt is complete, and nothing depends on the file it came from. */
export const taskSchema = z.object({
  id: z.string().regex(ID),
  prompt: text(),
  source: taskSourceSchema,
  model: text().optional(),
  mode: z.enum(modes),
  allow: texts(),
  deny: texts(),
  budget: text().optional(),
  checks: texts(),
  checkRetries: z.int().min(0),
  timeout: z.number().positive().optional(),
  labels: texts(),
  variables: z.record(z.string(), z.string()),
  /** Where the texts come from that variables put into the prompt: others may have written them. */
  textFrom: text().optional(),
});

export type Task = z.infer<typeof taskSchema>;

/** Why a task is not done. Those that were `interrupted`, or met the end of the batch's budget, go on when it is resumed. */
const failures = [
  'check', // a check still fails after its retries
  'limit', // turns, tokens or the task's budget
  'budget', // the batch's
  'timeout',
  'model', // the model or its server failed, or refused
  'setup', // no worktree: bad repository or ref, full disk, no git
  'changes', // its changes could not be kept: full disk, branch or push refused
  'crash', // the run ended without a result
  'fenced', // another worker has taken the task over
  'interrupted',
] as const;

export const checkResultSchema = z.object({
  name: z.string(),
  exitCode: z.number().nullable(),
  attempts: z.number(),
  output: z.string(),
});

/** Whether a task has no result yet, and goes on where it was. */
export function isOpen({ failure }: Pick<TaskResult, 'failure'>): boolean {
  return failure === 'interrupted' || failure === 'budget';
}

/** Whether it failed for a reason that is not its own: other tasks would fail for the same. */
export function isTrouble({ failure }: Pick<TaskResult, 'failure'>): boolean {
  return failure === 'model' || failure === 'setup' || failure === 'crash' || failure === 'changes';
}

/** So many of them in a row are enough, or twice as many as run at a time. */
export const MOST_TROUBLES = 5;

/** The outcome of a task: one line of results.jsonl. */
export const taskResultSchema = z.object({
  task: z.string(),
  status: z.enum(['done', 'failed']),
  failure: z.enum(failures).optional(),
  /** Why it failed, for people. */
  reason: z.string().optional(),
  /** The model's last answer. */
  answer: z.string(),
  session: z.string().optional(),
  model: z.string().optional(),
  /** Null if a price is unknown. */
  costUsd: z.number().nullable(),
  tokens: z.number(),
  turns: z.number(),
  startedAt: z.string(),
  durationMs: z.number(),
  checks: z.array(checkResultSchema),
  /** Calls refused by the permission policy. */
  refusals: z.number(),
  filesChanged: z.number(),
  /** What the task changed: a branch with its commit in the repository, and the patch file; absent if nothing changed. */
  branch: z.string().optional(),
  commit: z.string().optional(),
  patch: z.string().optional(),
  /** Files that are not in the patch: in submodules or nested repositories, or unreadable. */
  leftOut: z.array(z.string()).optional(),
  /** The folder with its files, if something in it is kept nowhere else. */
  worktree: z.string().optional(),
  labels: z.array(z.string()),
  variables: z.record(z.string(), z.string()),
});

export type TaskResult = z.infer<typeof taskResultSchema>;
