import { type AgentEvent, innermost } from '../contract/event.ts';
import { textOf } from '../contract/message.ts';
import { raceAbort } from '../lib/async/abort.ts';
import type { Controller, RunEnd } from './controller.ts';
import type { SessionLog } from './session-log.ts';

/** What a subagent has said, done and cost, folded from its events, including those of nested subagents. */
export class SubagentTotals {
  text = '';
  turns = 0;
  calls = 0;
  tokens = 0;
  costUsd: number | null = 0;

  take(wrapped: AgentEvent): void {
    const { event, agents } = innermost(wrapped);
    const isOwn = agents.length === 0;
    if (event.type === 'usage') {
      const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = event.usage;
      this.tokens += inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
      this.costUsd = this.costUsd === null || event.costUsd === null ? null : this.costUsd + event.costUsd;
    } else if (event.type === 'tool_end') this.calls += 1;
    else if (isOwn && event.type === 'turn_start') this.turns += 1;
    else if (isOwn && event.type === 'message' && event.message.role === 'assistant')
      this.text = textOf(event.message);
  }
}

/**
 * A log that also notifies the parent: after an event is saved and before the subagent continues, so that the
 * user sees the context of a question first. A parent that has ended is not notified.
 */
export function forwardingLog(
  log: SessionLog,
  emit: (event: AgentEvent) => Promise<void>,
  signal: AbortSignal,
): SessionLog {
  const notifyParent = async (event: AgentEvent) => {
    if (signal.aborted) return;
    await raceAbort(emit(event), signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  };
  return {
    ...log,
    async message(message) {
      await log.message(message);
      await notifyParent({ type: 'message', message });
    },
    async watch(event) {
      await log.watch(event);
      await notifyParent(event);
    },
  };
}

/** Sends one prompt to a subagent. It is interrupted with its parent. */
export async function runSubagent(
  controller: Controller,
  prompt: string,
  signal: AbortSignal,
): Promise<RunEnd> {
  const stop = () => controller.interrupt();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const running = controller.submit([{ type: 'text', text: prompt }]);
    if (signal.aborted) stop();
    return await running;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
