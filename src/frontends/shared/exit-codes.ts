import type { EndReason } from '../../contract/event.ts';

/** The program's exit codes, with their descriptions in the documentation. */
export const exitCodes = {
  done: { code: 0, meaning: 'done' },
  error: { code: 1, meaning: 'an error: the model, the network or the program failed' },
  usage: { code: 2, meaning: 'wrong usage: an unknown flag, a bad value, a broken config file' },
  refused: { code: 3, meaning: 'done, but at least one call was refused by the permission policy' },
  limit: { code: 4, meaning: 'a limit was reached before the task was done (turns, tokens, budget)' },
  check: { code: 5, meaning: 'the model is done, but a command of --check fails' },
  incomplete: { code: 6, meaning: 'a replay found no difference, but did not run enough again to tell' },
  hungUp: { code: 129, meaning: 'ended by SIGHUP: the terminal was closed' },
  interrupted: { code: 130, meaning: 'interrupted' },
  terminated: { code: 143, meaning: 'ended by SIGTERM' },
} as const;

export function exitCodeOf(reason: EndReason | 'check_failed', refusals: number): number {
  switch (reason) {
    case 'done':
      return refusals > 0 ? exitCodes.refused.code : exitCodes.done.code;
    case 'max_turns':
    case 'max_tokens':
    case 'budget':
      return exitCodes.limit.code;
    case 'check_failed':
      return exitCodes.check.code;
    case 'refusal':
    case 'error':
      return exitCodes.error.code;
    case 'interrupted':
      return exitCodes.interrupted.code;
    default:
      return reason satisfies never;
  }
}
