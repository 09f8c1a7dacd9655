import type { AgentEvent } from '../../../contract/event.ts';

type Told = { level: 'info' | 'warn' | 'error'; text: string };

/** Failures whose hint says what happened better than the vendor does. */
const HINT_FIRST = new Set<string | undefined>(['auth', 'quota', 'model_not_found']);
const TRY_AGAIN = 'Press enter to try again.';

/** How a run ended, if that says more than its answer does. */
export function describeEnd({ reason, turns, error }: Extract<AgentEvent, { type: 'end' }>): Told | null {
  const words = (fallback: string) => {
    const all = [error?.message ?? fallback, error?.hint].filter((text) => text !== undefined);
    return (HINT_FIRST.has(error?.kind) ? all.reverse() : all).join('\n');
  };
  switch (reason) {
    case 'done':
      return null;
    case 'max_turns':
      return { level: 'warn', text: `Stopped at the limit of ${turns} turns.` };
    case 'budget':
      return { level: 'warn', text: words('The next call could exceed a limit.') };
    case 'max_tokens':
      return { level: 'warn', text: 'The answer was cut off at the output limit.' };
    case 'refusal':
      return { level: 'warn', text: words('The model declined to answer.') };
    case 'interrupted':
      return { level: 'warn', text: words('Interrupted. What should I do instead?') };
    case 'error':
      // Without a turn nothing was sent.
      return { level: 'error', text: words('The run failed.') + (turns > 0 ? `\n${TRY_AGAIN}` : '') };
    default:
      return reason satisfies never;
  }
}

/** For a user who leaves and is not asked how to continue. */
export function withoutQuestion(event: AgentEvent): AgentEvent {
  const isInterruption = event.type === 'end' && event.reason === 'interrupted';
  return isInterruption ? { ...event, error: { message: 'Interrupted.' } } : event;
}
