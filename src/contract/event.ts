import type { CacheKind } from './cache.ts';
import type { Display, Exploration, Summary } from './display.ts';
import type { ProviderErrorKind } from './errors.ts';
import type { Message, StopReason, ToolCall, Usage } from './message.ts';
import type { Access, PermissionRequest, Verdict } from './permission.ts';
import type { InputTransformation } from './provider.ts';

/**
 * Why a run ended. `max_tokens` and `refusal`: the model's last answer is incomplete, or it declined to give
 * one. `budget`: the next call could have exceeded a limit and was not made.
 */
export type EndReason = 'done' | 'max_turns' | 'max_tokens' | 'budget' | 'refusal' | 'interrupted' | 'error';

export type RunError = { message: string; hint?: string; kind?: ProviderErrorKind };

/**
 * Everything an observer can learn about a run, as plain JSON. `message` is durable; the rest is transient.
 */
export type AgentEvent =
  /** `messages` is the number already in the session. */
  | {
      type: 'run_start';
      sessionId: string;
      provider: string;
      model: string;
      cwd: string;
      messages: number;
    }
  | { type: 'turn_start'; turn: number }
  /** `note`: a progress note between calls. */
  | { type: 'text'; text: string; note?: true }
  | { type: 'thinking'; text: string }
  /** All text of this turn so far is reclassified. */
  | { type: 'reclassify'; as: 'text' | 'thinking' }
  /** The model started to write a call; its arguments are still arriving. */
  | { type: 'call_start'; name: string }
  /** The user is being asked. */
  | { type: 'question'; request: PermissionRequest }
  /** The verdict on a call before it ran, and its source: a rule, a mode, a grant or the user. */
  | {
      type: 'judged';
      callId: string;
      tool: string;
      verdict: Exclude<Verdict, 'ask'>;
      by: string;
      because: string;
      accesses: Access[];
      title?: string;
    }
  | { type: 'tool_start'; call: ToolCall; title: string; explores?: Exploration }
  | { type: 'tool_progress'; callId: string; text: string }
  /** An event of a subagent started by a call; `agent` is its name and task, for people. */
  | { type: 'subagent'; callId: string; agent: string; event: AgentEvent }
  | {
      type: 'tool_end';
      callId: string;
      name: string;
      success: boolean;
      durationMs: number;
      summary?: Summary;
      display?: Display;
      metadata?: Record<string, unknown>;
    }
  /** A cache lookup. `entries` is the number of cached entries of this kind. */
  | { type: 'cache'; kind: CacheKind; outcome: 'hit' | 'miss'; entries: number }
  /**
   * A request to a model has ended, from the conversation or a side job; each attempt is one. `stop` is
   * absent if it failed, `error` if it succeeded. `contextWindow` is the model's window in tokens.
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
  /** The vendor left out, or allowed, thinking in the request that does not fit its place; it reports which. */
  | { type: 'input_transformed'; transformations: InputTransformation[] }
  /** A part of the prompt that the vendor could have had in its cache was read in full, at this extra cost. */
  | { type: 'cache_miss'; reason: string; tokens: number; costUsd: number | null }
  /** A local model is being loaded from a file of this size; `share` is done, from 0 to 1. */
  | { type: 'loading'; file: string; bytes: number; share: number }
  /** `usage` of the reply; `costUsd` of all calls since the last such event, including side jobs. */
  | { type: 'usage'; usage: Usage; costUsd: number | null }
  | { type: 'message'; message: Message }
  /**
   * Older messages are sent in a shorter form from now on; the session keeps them in full. `by` as in the
   * session's view.
   */
  | { type: 'compacted'; before: number; after: number; by: string }
  | { type: 'notice'; level: 'info' | 'warn'; text: string }
  | { type: 'end'; reason: EndReason; turns: number; error?: RunError };

/**
 * The event itself, and the chain of subagents it comes from with the calls that started them, outermost
 * first.
 */
export function innermost(event: AgentEvent): { event: AgentEvent; agents: string[]; calls: string[] } {
  if (event.type !== 'subagent') return { event, agents: [], calls: [] };
  const { event: inner, agents, calls } = innermost(event.event);
  return { event: inner, agents: [event.agent, ...agents], calls: [event.callId, ...calls] };
}
