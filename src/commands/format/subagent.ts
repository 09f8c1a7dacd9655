import type { AgentEvent } from '../../contract/event.ts';
import { refusalLine } from './decision.ts';
import { retryLine } from './retry.ts';

/** One line for a step of a subagent; null if there is nothing to show. */
export function subagentLine(
  event: AgentEvent,
  started: (title: string) => string = (title) => `→ ${title}`,
): string | null {
  switch (event.type) {
    case 'tool_start':
      return started(event.title);
    case 'judged':
      return event.verdict === 'deny' ? refusalLine(event) : null;
    case 'retry':
      return retryLine(event);
    case 'notice':
      return event.text;
    default:
      return null;
  }
}
