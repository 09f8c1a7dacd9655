import { type AgentEvent, innermost } from '../../contract/event.ts';
import type { Usage } from '../../contract/message.ts';
import type { MetricName } from './metric-definitions.ts';

/** One value for one metric: added to a counter, observed by a histogram, set on a gauge. */
export type Observation = { metric: MetricName; value: number; labels: Readonly<Record<string, string>> };

/** Cache lookups of the whole process. */
export type Lookups = { hits: number; misses: number };

type CallState = 'denied' | 'running';

/**
 * Converts the events of one session to metrics. Names made up by a model, such as an unknown tool, never
 * become labels: their number would be unbounded.
 */
export class EventMetrics {
  readonly #lookups: Lookups;
  readonly #calls = new Map<string, CallState>();
  readonly #tools = new Set<string>();
  #messages = 0;

  constructor(lookups: Lookups = { hits: 0, misses: 0 }) {
    this.#lookups = lookups;
  }

  take(outer: AgentEvent): Observation[] {
    const { event, calls } = innermost(outer);
    const key = (callId: string) => [...calls, callId].join('/');
    const isOwn = calls.length === 0;
    switch (event.type) {
      case 'run_start':
        if (!isOwn) return [];
        this.#messages = event.messages;
        return [one('session_message_count', event.messages)];
      case 'model_call':
        return this.#modelCall(event, isOwn);
      case 'judged':
        this.#tools.add(event.tool);
        if (event.verdict === 'allow') return [];
        this.#calls.set(key(event.callId), 'denied');
        return [one('permission_denials', 1, { tool: event.tool, pattern: patternOf(event.by) })];
      case 'tool_start':
        this.#tools.add(event.call.name);
        this.#calls.set(key(event.call.id), 'running');
        return [];
      case 'tool_end':
        return this.#toolEnd(event, key(event.callId));
      case 'message':
        return [...this.#invalidCall(event.message, key), ...(isOwn ? [this.#message()] : [])];
      case 'cache':
        return this.#lookup(event);
      case 'compacted': {
        const phases = [
          one('context_token_count', event.before, { phase: 'before_compaction' }),
          one('context_token_count', event.after, { phase: 'after_compaction' }),
        ];
        return isOwn ? [...phases, ...contextIs(event.after)] : phases;
      }
      case 'input_transformed':
        return event.transformations
          .filter(({ kind }) => kind === 'thinking_dropped')
          .map(({ reason }) => one('reasoning_dropped', 1, { reason }));
      case 'cache_miss':
        return [one('cache_missed_tokens', event.tokens)];
      case 'end':
        // A model's failure was counted with its request.
        return event.reason === 'error' && event.error?.kind === undefined
          ? [one('errors', 1, { type: 'run_failed', source: 'agent' })]
          : [];
      default:
        return [];
    }
  }

  #modelCall(call: Extract<AgentEvent, { type: 'model_call' }>, isOwn: boolean): Observation[] {
    const { provider, model, purpose, durationMs, contextWindow, usage, error } = call;
    const phase = purpose === 'main' ? 'request' : 'side_job';
    return [
      one('llm_api_calls', 1, { provider, model }),
      one('llm_response_time_seconds', durationMs / 1000, { provider }),
      ...(usage ? [one('context_token_count', sentOf(usage), { phase })] : []),
      ...(error === undefined
        ? []
        : [one('errors', 1, { type: error, source: 'llm' }), one('llm_api_errors_total', 1)]),
      ...(isOwn && purpose === 'main'
        ? [
            one('context_window_tokens', contextWindow),
            ...(usage ? contextIs(sentOf(usage) + usage.outputTokens) : []),
          ]
        : []),
    ];
  }

  #toolEnd(
    { name, success, durationMs }: Extract<AgentEvent, { type: 'tool_end' }>,
    key: string,
  ): Observation[] {
    const state = this.#calls.get(key);
    if (state === undefined) return [];
    if (state === 'denied') return [one('tool_execution_count', 1, { tool: name, status: 'denied' })];
    return [
      one('tool_execution_count', 1, { tool: name, status: success ? 'success' : 'error' }),
      one('tool_execution_duration_seconds', durationMs / 1000, { tool: name }),
      ...(success
        ? []
        : [one('errors', 1, { type: 'failed', source: 'tool' }), one('tool_execution_errors_total', 1)]),
    ];
  }

  /** A call that was neither run nor refused but has a result was invalid. A call sent twice counts once. */
  #invalidCall(
    message: Extract<AgentEvent, { type: 'message' }>['message'],
    key: (callId: string) => string,
  ): Observation[] {
    if (message.role !== 'tool') return [];
    const { callId, name, success, metadata } = message;
    if (this.#calls.delete(key(callId)) || success || metadata?.repeats !== undefined) return [];
    const tool = this.#tools.has(name) ? name : 'unknown';
    return [
      one('tool_execution_count', 1, { tool, status: 'invalid' }),
      one('errors', 1, { type: 'invalid_call', source: 'tool' }),
    ];
  }

  #message(): Observation {
    this.#messages += 1;
    return one('session_message_count', this.#messages);
  }

  #lookup({ kind, outcome, entries }: Extract<AgentEvent, { type: 'cache' }>): Observation[] {
    const lookups = this.#lookups;
    if (outcome === 'hit') lookups.hits += 1;
    else lookups.misses += 1;
    const labels = { cache_type: kind };
    return [
      one(outcome === 'hit' ? 'cache_hits' : 'cache_misses', 1, labels),
      one('cached_entries', entries, labels),
      one('cache_hit_ratio', lookups.hits / (lookups.hits + lookups.misses)),
    ];
  }
}

function one(metric: MetricName, value: number, labels: Observation['labels'] = {}): Observation {
  return { metric, value, labels };
}

function contextIs(tokens: number): Observation[] {
  return [one('active_context_tokens', tokens), one('context_tokens_used', tokens)];
}

function sentOf({ inputTokens, cacheReadTokens, cacheWriteTokens }: Usage): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens;
}

/** A rule by its pattern, anything else by name. */
function patternOf(by: string): string {
  return by.replace(/^rule (allow|ask|deny) /, '');
}
