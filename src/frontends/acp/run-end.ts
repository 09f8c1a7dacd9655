import { RequestError, type StopReason } from '@agentclientprotocol/sdk';
import type { AgentEvent, EndReason } from '../../contract/event.ts';

export function stopReasonOf(reason: EndReason): StopReason {
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

/** A run that failed, with what to do next. */
export function runError({ error }: Extract<AgentEvent, { type: 'end' }>): RequestError {
  const message = [error?.message ?? 'The run failed.', error?.hint].filter(Boolean).join(' ');
  const { code } = error?.kind === 'auth' ? RequestError.authRequired() : RequestError.internalError();
  return new RequestError(code, message);
}
