import type { Report } from '../../app/conversation/run-report.ts';
import type { Opened } from '../../app/open-assistant.ts';
import type { RequiredCheck } from '../../app/run-facts/checks.ts';
import type { PromptRules } from '../../contract/permission.ts';

/** Commands that must succeed after the model is done; a failure goes back to it up to `retries` times. */
export type RequiredChecks = { commands: readonly string[]; retries: number };

export const DEFAULT_RETRIES = 2;

type Deps = {
  call: Opened['call'];
  signal: AbortSignal;
  /** Sends a prompt to the model; resolves with the report of all runs so far. */
  submit(text: string): Promise<Report>;
};

type Outcome = RequiredCheck & { passed: boolean; refused: boolean };

/** Named by the user for this very run, so it needs no approval; what is always denied stays so. */
const rules: PromptRules = { by: '--check', allow: ['Bash'], deny: [] };
/** As long as the user's settings let a command run. */
const TIMEOUT_MS = 3_600_000;
const TAIL = 2_000;

/** All checks run each time: what fixes one may break another. */
export async function requireChecks(
  done: Report,
  { commands, retries }: RequiredChecks,
  deps: Deps,
): Promise<Report> {
  let report = done;
  let outcomes: Outcome[] = [];
  for (let attempt = 1; report.stopReason === 'done'; attempt++) {
    outcomes = [];
    for (const command of commands) outcomes.push(await runCheck(command, attempt, deps));
    if (deps.signal.aborted) return { ...report, ...checksOf(outcomes), stopReason: 'interrupted' };
    const failed = outcomes.filter(({ passed }) => !passed);
    if (failed.length === 0) break;
    if (attempt > retries || failed.some(({ refused }) => refused)) {
      const error = { message: failed.map(sentence).join(' ') };
      return { ...report, ...checksOf(outcomes), stopReason: 'check_failed', error };
    }
    // Begins like all that the program says to the model: the user did not type it.
    report = await deps.submit(failed.map((check) => `\n\n${toModel(check)}`).join(''));
  }
  return { ...report, ...checksOf(outcomes) };
}

async function runCheck(command: string, attempts: number, { call }: Deps): Promise<Outcome> {
  const { success, refused, text, summary } = await call('Bash', { command, timeout: TIMEOUT_MS }, rules);
  const exitCode = summary?.kind === 'exit' ? summary.exitCode : null;
  const output = text.slice(-TAIL);
  return { name: command, exitCode, required: true, attempts, output, passed: success, refused };
}

function checksOf(outcomes: readonly Outcome[]): Pick<Report, 'checks'> {
  return { checks: outcomes.map(({ passed: _, refused: __, ...check }) => check) };
}

function sentence({ name, exitCode, refused, attempts }: Outcome): string {
  if (refused) return `The check \`${name}\` was refused.`;
  const how = exitCode === null ? 'was stopped' : `failed with exit code ${exitCode}`;
  return `The check \`${name}\` ${how}${attempts > 1 ? ` (attempt ${attempts})` : ''}.`;
}

function toModel(check: Outcome): string {
  return `${sentence(check)} The task is done only when it passes: fix the cause, not the check.\n${check.output}`;
}
