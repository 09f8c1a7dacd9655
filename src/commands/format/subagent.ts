import type { AgentEvent } from '../../contract/event.ts';
import { retryLine } from './retry.ts';

/** What is told of a step of a subagent, in one line; null where nothing is. */
export function subagentLine(event: AgentEvent): string | null {
  switch (event.type) {
    case 'tool_start':
      return `→ ${event.title}`;
    case 'judged':
      return event.verdict === 'deny' ? `refused: ${event.because}` : null;
    case 'retry':
      return retryLine(event);
    case 'notice':
      return event.text;
    default:
      return null;
  }
}
