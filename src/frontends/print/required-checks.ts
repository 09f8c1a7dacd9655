import type { Report } from '../../app/conversation/run-report.ts';
import type { Opened } from '../../app/open-assistant.ts';
import type { RequiredCheck } from '../../app/run-facts/checks.ts';
import type { PromptRules } from '../../contract/permission.ts';
import { visible } from '../../lib/text/printable.ts';

/** Commands that must succeed after the model is done; a failure goes back to it up to `retries` times. */
export type RequiredChecks = { commands: readonly string[]; retries: number };

export const DEFAULT_RETRIES = 2;

type Deps = {
  call: Opened['call'];
  signal: AbortSignal;
  /** Sends a prompt to the model; resolves with the report of all runs so far. */
  submit(text: string): Promise<Report>;
  /** Says which checks failed in the end. */
  stderr: Pick<NodeJS.WriteStream, 'write'>;
};

type Outcome = RequiredCheck & { passed: boolean; refused: boolean; timedOut: boolean };

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
      deps.stderr.write(failed.map((check) => `${visible(withOutput(sentence(check), check))}\n`).join(''));
      const hint = failed.some(({ timedOut }) => timedOut) && {
        hint: 'If a check needs longer, raise maxCommandTimeoutMs.',
      };
      const error = { message: failed.map(sentence).join(' '), ...hint };
      return { ...report, ...checksOf(outcomes), stopReason: 'check_failed', error };
    }
    // Begins like all that the program says to the model: the user did not type it.
    report = await deps.submit(failed.map((check) => `\n\n${toModel(check)}`).join(''));
  }
  return { ...report, ...checksOf(outcomes) };
}

async function runCheck(command: string, attempts: number, { call }: Deps): Promise<Outcome> {
  const answer = await call('Bash', { command, timeout: TIMEOUT_MS }, rules);
  const { success: passed, refused, text, summary, display } = answer;
  const ending = summary?.kind === 'exit' ? summary : undefined;
  const timedOut = ending?.timedOut === true;
  // The tool's text then says how the model may run a command of its own for longer.
  const output = (timedOut && display?.kind === 'command' ? display.output : text).slice(-TAIL);
  const exitCode = ending?.exitCode ?? null;
  return { name: command, exitCode, required: true, attempts, output, passed, refused, timedOut };
}

function checksOf(outcomes: readonly Outcome[]): Pick<Report, 'checks'> {
  return { checks: outcomes.map(({ passed: _, refused: __, timedOut: ___, ...check }) => check) };
}

function sentence({ name, exitCode, refused, timedOut, attempts }: Outcome): string {
  if (refused) return `The check \`${name}\` was refused.`;
  const stopped = timedOut ? 'timed out' : 'was stopped';
  const how = exitCode === null ? stopped : `failed with exit code ${exitCode}`;
  return `The check \`${name}\` ${how}${attempts > 1 ? ` (attempt ${attempts})` : ''}.`;
}

function toModel(check: Outcome): string {
  const told = `${sentence(check)} The task is done only when it passes: fix the cause, not the check.`;
  return withOutput(told, check);
}

function withOutput(told: string, { output }: Outcome): string {
  return output === '' ? told : `${told}\n${output.trimEnd()}`;
}
