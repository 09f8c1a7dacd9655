import type { CommandOutcome, Shell } from '../contract/tool.ts';

/** Long enough for a build; Esc stops it earlier. */
const TIMEOUT_MS = 600_000;

/** Output passed to the model for one command; the user has seen all of it. */
const MOST_TOLD = 10_000;

export type OwnCommandRun = { shell: Shell; signal: AbortSignal; onOutput: (text: string) => void };

/** `ending` is for the user, who has seen the output; `told` is for the model, with the next prompt. */
export type OwnCommand = { ending: string; told: string };

/** The command after `!`; null for other lines. */
export function ownCommandIn(line: string): string | null {
  const command = /^\s*!([\s\S]*)$/.exec(line)?.[1]?.trim();
  return command === undefined || command === '' ? null : command;
}

/** Runs a command that the user typed, as the user would: without approval or sandbox. */
export async function runOwnCommand(
  command: string,
  { shell, signal, onOutput }: OwnCommandRun,
): Promise<OwnCommand> {
  const outcome = await shell.run({
    command,
    timeoutMs: TIMEOUT_MS,
    signal,
    unconfined: true,
    onOutput,
  });
  const output = [outcome.stdout, outcome.stderr]
    .map((text) => text.trimEnd())
    .filter(Boolean)
    .join('\n');
  const ending = endingOf(outcome);
  return {
    ending: output === '' && ending === '' ? '(no output)' : ending,
    told: [
      'The user ran a command of their own, and may mean its output:',
      `$ ${command}`,
      shortened(output) || '(no output)',
      ...(ending === '' ? [] : [ending]),
      ...(outcome.fullOutput === undefined ? [] : [`All of its output is in ${outcome.fullOutput}.`]),
    ].join('\n'),
  };
}

function endingOf({ exitCode, signal, timedOut }: CommandOutcome): string {
  if (timedOut) return '(stopped: it took too long)';
  if (exitCode === null) return `(ended by ${signal ?? 'a signal'})`;
  return exitCode === 0 ? '' : `(exit code ${exitCode})`;
}

function shortened(text: string): string {
  if (text.length <= MOST_TOLD) return text;
  const half = MOST_TOLD / 2;
  return `${text.slice(0, half)}\n[... ${text.length - MOST_TOLD} characters omitted ...]\n${text.slice(-half)}`;
}
