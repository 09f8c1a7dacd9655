import { RequestError, type StopReason } from '@agentclientprotocol/sdk';
import type { AgentEvent, EndReason } from '../../../contract/event.ts';
import { sentence } from '../../../lib/text/sentence.ts';
import type { TurnEnd } from '../prompt-turns.ts';

function stopReasonOf(reason: EndReason): StopReason {
  switch (reason) {
    case 'max_turns':
      return 'max_turn_requests';
    case 'max_tokens':
    case 'refusal':
      return reason;
    case 'interrupted':
      return 'cancelled';
    case 'done':
    case 'budget':
    case 'error':
      return 'end_turn';
    default:
      return reason satisfies never;
  }
}

export function turnEndOf(event: Extract<AgentEvent, { type: 'end' }>): TurnEnd {
  return event.error ? { error: runError(event) } : stopReasonOf(event.reason);
}

/** A run that failed, with what to do next. */
function runError({ error }: Extract<AgentEvent, { type: 'end' }>): RequestError {
  const message = error ? toldError(error) : 'The run failed.';
  const { code } = error?.kind === 'auth' ? RequestError.authRequired() : RequestError.internalError();
  return new RequestError(code, message);
}

/** What happened, and what to do next, as sentences. */
export function toldError({ message, hint }: { message: string; hint?: string | undefined }): string {
  return hint ? `${sentence(message)} ${hint}` : message;
}
