import * as z from 'zod';
import { batchLimitHint, runLimitHint } from '../contract/shared-budget.ts';
import { parseJson } from '../lib/text/json.ts';
import { sentence } from '../lib/text/sentence.ts';
import type { KeptOutcome } from '../sandbox/shell/kept-program.ts';
import { checkResultSchema, type Task, type TaskResult } from './task.ts';

export type Started = { at: Date; clock: number; session: string };

/** What differs between results; the rest is the same for all of a task. */
export type Outcome = Partial<Omit<TaskResult, 'task' | 'startedAt' | 'durationMs' | 'labels' | 'variables'>>;

const MAX_ANSWER = 8_000;
const MAX_REASON = 1_000;
const MAX_WARNINGS = 20;

/** What a headless run prints, as far as it is needed here. */
const reportSchema = z.object({
  type: z.literal('result'),
  sessionId: z.string(),
  provider: z.string(),
  model: z.string(),
  stopReason: z.string(),
  result: z.string(),
  turns: z.number(),
  usage: z.record(z.string(), z.number()),
  costUsd: z.number().nullable(),
  checks: z.array(z.unknown()).default([]),
  denials: z.array(z.unknown()),
  error: z.object({ message: z.string(), hint: z.string().optional() }).optional(),
});

type ChildOptions = { session: string; isResumed: boolean; trust: boolean };

/** The arguments of a headless run. The prompt is its standard input: it may be longer than an argument. */
export function childArguments(
  task: Task,
  { session, isResumed, trust }: ChildOptions,
): { args: string[]; input: string } {
  const repeated = (flag: string, values: readonly string[]) => values.map((value) => `${flag}=${value}`);
  return {
    args: [
      '-p',
      '--output-format=json',
      isResumed ? `--resume=${session}` : `--session-id=${session}`,
      `--mode=${task.mode}`,
      ...(task.model === undefined ? [] : [`--model=${task.model}`]),
      ...(task.budget === undefined ? [] : [`--budget=${task.budget}`]),
      ...repeated('--allow', task.allow),
      ...repeated('--deny', task.deny),
      ...repeated('--check', task.checks),
      `--check-retries=${task.checkRetries}`,
      // A session that is resumed knows it.
      ...(task.textFrom === undefined || isResumed ? [] : [`--stdin-from=${task.textFrom}`]),
      ...(trust ? ['--trust'] : []),
    ],
    // A session that is resumed has its prompt.
    input: isResumed ? '' : task.prompt,
  };
}

/** What a headless run says about itself, and the lines that it printed as warnings. */
export function reportIn({ code, stdout, stderr }: KeptOutcome): Outcome & { warnings: string[] } {
  const line = stdout.trim().split('\n').at(-1) ?? '';
  const parsed = reportSchema.safeParse(parseJson(line));
  if (!parsed.success) {
    const said = stderr.trim().slice(-MAX_REASON);
    const how = code === null ? 'The run was killed.' : `The run ended with exit code ${code}.`;
    // Exit code 2: it never started, and says why.
    return {
      failure: code === 2 ? 'setup' : 'crash',
      reason: said === '' ? how : code === 2 ? said : `${how} ${said}`,
      warnings: [],
    };
  }
  const { data: report } = parsed;
  const isBatchLimit = report.error?.hint?.endsWith(batchLimitHint) ?? false;
  const failure = isBatchLimit ? 'budget' : failureOf(report.stopReason);
  return {
    ...(failure && { failure, reason: reasonIn(report).slice(0, MAX_REASON) }),
    warnings: warningsIn(stderr, report),
    answer: report.result.slice(0, MAX_ANSWER),
    session: report.sessionId,
    ...(report.model !== '' && { model: `${report.provider}/${report.model}` }),
    costUsd: report.costUsd,
    tokens: Object.values(report.usage).reduce((sum, count) => sum + count, 0),
    turns: report.turns,
    checks: report.checks.flatMap((check) => {
      const required = checkResultSchema.safeParse(check);
      return required.success ? [required.data] : [];
    }),
    refusals: report.denials.length,
  };
}

function reasonIn({ stopReason, error }: Pick<z.infer<typeof reportSchema>, 'stopReason' | 'error'>): string {
  const { message = `The run ended: ${stopReason}.`, hint } = error ?? {};
  // For a conversation, which could go on.
  const isOwnLimit = hint?.endsWith(runLimitHint) ?? false;
  const next = isOwnLimit ? 'Give the task a higher budget in a new batch.' : hint;
  return [sentence(message), next].filter(Boolean).join(' ');
}

/** Without the lines that say why it ended: the last ones. */
function warningsIn(
  stderr: string,
  { stopReason, error }: Pick<z.infer<typeof reportSchema>, 'stopReason' | 'error'>,
): string[] {
  const lines = stderr.split('\n').flatMap((line) => line.trim().slice(0, MAX_REASON) || []);
  const why = [error?.message, error?.hint].filter(Boolean).join('\n');
  // The first of them is in the error; the output of failed checks follows.
  const end = lines.findIndex((line) => why.includes(line));
  if (end !== -1) lines.splice(end);
  else if (!error && stopReason !== 'done') lines.pop();
  return lines.slice(0, MAX_WARNINGS);
}

function failureOf(stopReason: string): TaskResult['failure'] | null {
  switch (stopReason) {
    case 'done':
      return null;
    case 'check_failed':
      return 'check';
    case 'max_turns':
    case 'max_tokens':
    case 'budget':
      return 'limit';
    case 'interrupted':
      return 'crash';
    default:
      return 'model';
  }
}

export function resultOf(task: Task, { at, clock, session }: Started, outcome: Outcome): TaskResult {
  return {
    task: task.id,
    status: outcome.failure ? 'failed' : 'done',
    answer: '',
    session,
    ...(task.model !== undefined && { model: task.model }),
    costUsd: 0,
    tokens: 0,
    turns: 0,
    startedAt: at.toISOString(),
    durationMs: Math.round(performance.now() - clock),
    checks: [],
    refusals: 0,
    filesChanged: 0,
    labels: task.labels,
    variables: task.variables,
    ...outcome,
  };
}
