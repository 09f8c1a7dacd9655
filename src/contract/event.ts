import type { CacheKind } from './cache.ts';
import type { Display } from './display.ts';
import type { ProviderErrorKind } from './errors.ts';
import type { Message, StopReason, ToolCall, Usage } from './message.ts';
import type { Access, PermissionRequest, Verdict } from './permission.ts';

/**
 * Why a run ended. `max_tokens` and `refusal`: the model's last answer is incomplete, or it declined to give one.
 * `budget`: the next call could have gone past a limit, so it was not made.
 */
export type EndReason = 'done' | 'max_turns' | 'max_tokens' | 'budget' | 'refusal' | 'interrupted' | 'error';

export type RunError = { message: string; hint?: string; kind?: ProviderErrorKind };

/** Everything a watcher can learn of a run, as plain JSON. `message` is durable; the rest is for watching. */
export type AgentEvent =
  /** `messages` is how many the session has already. */
  | {
      type: 'run_start';
      sessionId: string;
      provider: string;
      model: string;
      cwd: string;
      messages: number;
    }
  | { type: 'turn_start'; turn: number }
  | { type: 'text'; text: string }
  | { type: 'thinking'; text: string }
  /** Everything said in this turn so far was in truth this. */
  | { type: 'reclassify'; as: 'text' | 'thinking' }
  /** The model has begun to write a call; its arguments are still arriving. */
  | { type: 'call_start'; name: string }
  /** A person is being asked. */
  | { type: 'question'; request: PermissionRequest }
  /** What became of a call before it ran, and who said so: a rule, a mode, a grant or the user. */
  | {
      type: 'judged';
      callId: string;
      tool: string;
      verdict: Exclude<Verdict, 'ask'>;
      by: string;
      because: string;
      accesses: Access[];
    }
  | { type: 'tool_start'; call: ToolCall; title: string }
  | { type: 'tool_progress'; callId: string; text: string }
  /** What happens in a subagent that a call has started; `agent` is its name and its task, for eyes. */
  | { type: 'subagent'; callId: string; agent: string; event: AgentEvent }
  | {
      type: 'tool_end';
      callId: string;
      name: string;
      success: boolean;
      durationMs: number;
      display?: Display;
      metadata?: Record<string, unknown>;
    }
  /** An answer was looked for among those kept. `entries` is how many of its kind are kept now. */
  | { type: 'cache'; kind: CacheKind; outcome: 'hit' | 'miss'; entries: number }
  /**
   * A request to a model is over, whether it was the conversation's own or a side job's; each try is one. `stop` is absent
   * where it failed, `error` where it did not. `contextWindow` is what the model can see at once.
   */
  | {
      type: 'model_call';
      provider: string;
      model: string;
      purpose: 'main' | 'helper';
      durationMs: number;
      contextWindow: number;
      usage?: Usage;
      stop?: StopReason;
      error?: ProviderErrorKind | 'unknown';
    }
  | { type: 'retry'; kind: ProviderErrorKind; message: string; attempt: number; delayMs: number }
  /** `usage` of the reply; `costUsd` of all calls since the last such event, side jobs included. */
  | { type: 'usage'; usage: Usage; costUsd: number | null }
  | { type: 'message'; message: Message }
  /** Older messages are sent in a shorter form from here on; the session keeps them whole. `by` as in the session's view. */
  | { type: 'compacted'; before: number; after: number; by: string }
  | { type: 'notice'; level: 'info' | 'warn'; text: string }
  | { type: 'end'; reason: EndReason; turns: number; error?: RunError };

/** The event itself, and the subagents it comes from with the calls that started them, the outermost first. */
export function innermost(event: AgentEvent): { event: AgentEvent; agents: string[]; calls: string[] } {
  if (event.type !== 'subagent') return { event, agents: [], calls: [] };
  const { event: inner, agents, calls } = innermost(event.event);
  return { event: inner, agents: [event.agent, ...agents], calls: [event.callId, ...calls] };
}
