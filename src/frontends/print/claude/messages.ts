import { randomUUID } from 'node:crypto';
import type { Report } from '../../../app/conversation/run-report.ts';
import { type AgentEvent, innermost } from '../../../contract/event.ts';
import {
  type AssistantMessage,
  addUsage,
  noUsage,
  readablePart,
  type StopReason,
  type ToolMessage,
  type Usage,
  type UserMessage,
} from '../../../contract/message.ts';
import { isObject } from '../../../lib/text/json.ts';
import { PartialMessages } from './partial-messages.ts';
import type {
  ClaudeMessage,
  ClaudeReply,
  ClaudeResult,
  ClaudeStopReason,
  ClaudeUsage,
  ContentBlock,
  ImageType,
  ModelUsage,
  PermissionDenial,
  PromptBlock,
  ResultBlock,
  SessionFacts,
} from './types.ts';

type Deps = {
  sessionId: string;
  facts(): SessionFacts;
  /** Claude Code's name of a tool. */
  toolName(tool: string): string;
  /** Whether the pieces of a reply are written as they arrive. */
  partial: boolean;
  /** Whether prompts are repeated. */
  replay: boolean;
};

type Seen = { calls: number; usage: Usage; contextWindow: number };

/** Turns the events of a session into the messages that Claude Code writes. Totals count all its runs. */
export class ClaudeMessages {
  readonly #deps: Deps;
  readonly #models = new Map<string, Seen>();
  readonly #inputs = new Map<string, Record<string, unknown>>();
  readonly #pieces = new PartialMessages();
  #denials: PermissionDenial[] = [];
  #requestMs = 0;
  #costUsd = 0;
  #lastStop: ClaudeStopReason | null = null;
  #model = '';

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  *take(outer: AgentEvent): Generator<ClaudeMessage> {
    const { event, calls } = innermost(outer);
    const parent = calls.at(-1) ?? null;
    switch (event.type) {
      case 'run_start':
        if (parent !== null) break;
        this.#denials = [];
        this.#requestMs = 0;
        this.#lastStop = null;
        this.#model = event.model;
        yield { type: 'system', subtype: 'init', ...this.#deps.facts(), ...this.#stamp() };
        break;
      case 'text':
      case 'thinking':
        if (this.#deps.partial && parent === null)
          for (const piece of this.#pieces.piece(event, () => this.#emptyReply())) yield this.#piece(piece);
        break;
      case 'message':
        yield* this.#message(event.message, parent);
        break;
      case 'judged':
        if (event.verdict === 'deny')
          this.#denials.push({
            tool_name: this.#deps.toolName(event.tool),
            tool_use_id: event.callId,
            tool_input: this.#inputs.get(event.callId) ?? {},
          });
        break;
      case 'model_call':
        this.#count(event);
        break;
      case 'compacted':
        yield {
          type: 'system',
          subtype: 'compact_boundary',
          compact_metadata: { trigger: 'auto', pre_tokens: event.before, post_tokens: event.after },
          ...this.#stamp(),
        };
        break;
      default:
        break;
    }
  }

  result(report: Report): ClaudeResult {
    this.#costUsd += report.costUsd ?? 0;
    const { stopReason, error } = report;
    const common = {
      type: 'result' as const,
      duration_ms: report.durationMs,
      duration_api_ms: Math.round(this.#requestMs),
      num_turns: report.turns,
      stop_reason: this.#lastStop,
      total_cost_usd: this.#costUsd,
      usage: usageOf(report.usage),
      modelUsage: this.#modelUsage(),
      permission_denials: this.#denials,
      ...this.#stamp(),
    };
    const failure = failureOf(report);
    if (failure === null) {
      const { result } = report;
      const structured = 'structured' in report ? { structured_output: report.structured } : {};
      return { ...common, subtype: 'success', is_error: false, result, ...structured };
    }
    const message = error
      ? [error.message, error.hint].filter(Boolean).join(' ')
      : `The run ended: ${stopReason}.`;
    return { ...common, subtype: failure, is_error: isFailure(report), errors: [message] };
  }

  *#message(message: Extract<AgentEvent, { type: 'message' }>['message'], parent: string | null) {
    if (message.role === 'assistant') {
      const reply = this.#reply(message);
      if (parent === null) this.#lastStop = reply.stop_reason;
      if (this.#deps.partial && parent === null)
        for (const piece of this.#pieces.end(reply)) yield this.#piece(piece);
      yield { type: 'assistant' as const, message: reply, parent_tool_use_id: parent, ...this.#stamp() };
    } else if (message.role === 'tool') {
      const about = { type: 'user' as const, parent_tool_use_id: parent, ...this.#stamp() };
      yield { ...about, message: { role: 'user' as const, content: [resultOf(message)] } };
    } else if (this.#deps.replay && parent === null) {
      const about = { type: 'user' as const, parent_tool_use_id: null, ...this.#stamp() };
      const content = message.content.map(blockOf);
      yield { ...about, message: { role: 'user' as const, content }, isReplay: true as const };
    }
  }

  #reply(message: AssistantMessage): ClaudeReply {
    const content = message.content.map(readablePart).map((part): ContentBlock => {
      switch (part.type) {
        case 'text':
          return { type: 'text', text: part.text, citations: null };
        case 'thinking':
          return part.redacted
            ? { type: 'redacted_thinking', data: part.signature ?? '' }
            : { type: 'thinking', thinking: part.text, signature: part.signature ?? '' };
        case 'tool_call': {
          const input = isObject(part.input) ? part.input : {};
          this.#inputs.set(part.id, input);
          return { type: 'tool_use', id: part.id, name: this.#deps.toolName(part.name), input };
        }
        default:
          return part satisfies never;
      }
    });
    return {
      ...this.#emptyReply(),
      model: message.model,
      content,
      stop_reason: stopReasonOf(message.stopReason),
      usage: usageOf(message.usage ?? noUsage),
    };
  }

  #emptyReply(): ClaudeReply {
    return {
      id: `msg_${randomUUID().replaceAll('-', '')}`,
      type: 'message',
      role: 'assistant',
      model: this.#model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      container: null,
      context_management: null,
      diagnostics: null,
      usage: usageOf(noUsage),
    };
  }

  #piece(event: Extract<ClaudeMessage, { type: 'stream_event' }>['event']): ClaudeMessage {
    return { type: 'stream_event', event, parent_tool_use_id: null, ...this.#stamp() };
  }

  #count({ model, durationMs, usage, contextWindow }: Extract<AgentEvent, { type: 'model_call' }>): void {
    this.#requestMs += durationMs;
    const seen = this.#models.get(model) ?? { calls: 0, usage: noUsage, contextWindow };
    this.#models.set(model, {
      calls: seen.calls + 1,
      usage: usage ? addUsage(seen.usage, usage) : seen.usage,
      contextWindow,
    });
  }

  /** What each model cost is known only if there is one. */
  #modelUsage(): Record<string, ModelUsage> {
    const costUSD = this.#models.size === 1 ? this.#costUsd : 0;
    return Object.fromEntries(
      [...this.#models].map(([model, { usage, contextWindow }]) => [
        model,
        {
          inputTokens: usage.inputTokens,
          outputTokens: usage.outputTokens,
          cacheReadInputTokens: usage.cacheReadTokens,
          cacheCreationInputTokens: usage.cacheWriteTokens,
          webSearchRequests: 0,
          costUSD,
          contextWindow,
          maxOutputTokens: 0,
        },
      ]),
    );
  }

  #stamp() {
    return { uuid: randomUUID(), session_id: this.#deps.sessionId };
  }
}

/** An interrupted run is none: whoever interrupted it knows. */
export function isFailure(report: Report): boolean {
  return failureOf(report) !== null && report.stopReason !== 'interrupted';
}

function failureOf({
  stopReason,
  structured,
  error,
}: Report): Exclude<ClaudeResult['subtype'], 'success'> | null {
  switch (stopReason) {
    case 'done':
    case 'max_tokens':
    case 'refusal':
      return null;
    case 'max_turns':
      return 'error_max_turns';
    case 'budget':
      return 'error_max_budget_usd';
    case 'check_failed':
      return 'error_during_execution';
    case 'error':
      return structured === undefined &&
        error?.message.startsWith('The answer does not match the JSON Schema')
        ? 'error_max_structured_output_retries'
        : 'error_during_execution';
    case 'interrupted':
      return 'error_during_execution';
    default:
      return stopReason satisfies never;
  }
}

function usageOf({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage): ClaudeUsage {
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cacheReadTokens,
    cache_creation: { ephemeral_5m_input_tokens: cacheWriteTokens, ephemeral_1h_input_tokens: 0 },
    output_tokens_details: { thinking_tokens: 0 },
    server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
    service_tier: 'standard',
    speed: 'standard',
    inference_geo: '',
    iterations: [],
    fallback_credit: null,
  };
}

/** Null for a reply that broke off. */
function stopReasonOf(reason: StopReason): ClaudeStopReason | null {
  const reasons = {
    end: 'end_turn',
    tool_calls: 'tool_use',
    max_tokens: 'max_tokens',
    refusal: 'refusal',
  } as const;
  return reason === 'cut' || reason === 'aborted' ? null : reasons[reason];
}

function resultOf({ callId, success, content }: ToolMessage): ResultBlock {
  return {
    type: 'tool_result',
    tool_use_id: callId,
    is_error: !success,
    content: content.map(blockOf),
  };
}

function blockOf(part: UserMessage['content'][number]): PromptBlock {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const { mediaType, data } = part;
  return { type: 'image', source: { type: 'base64', media_type: mediaType as ImageType, data } };
}
