import { type AgentEvent, innermost } from '../../contract/event.ts';
import { addUsage, type Message, noUsage, type Usage } from '../../contract/message.ts';
import { genAiMessage, providerName } from './gen-ai.ts';
import type { OperationIds } from './trace-ids.ts';

export type Attributes = Record<string, string | number | boolean | string[]>;

/** A finished operation. Times are milliseconds since 1970; `error` is a kind, never a text. */
export type FinishedSpan = {
  ids: OperationIds;
  name: string;
  kind: 'internal' | 'client';
  startMs: number;
  endMs: number;
  attributes: Attributes;
  error?: string;
};

/** `capture`: redacts content; null if content is not captured, which is the default. */
export type Moment = { ids: OperationIds; atMs: number; capture: (<T>(value: T) => T) | null };

type OpenSpan = Omit<FinishedSpan, 'endMs'>;
type OpenRun = OpenSpan & { usage: Usage; asked: Message[]; said: Message[] };

export const AGENT_NAME = 'ai-code-assistant';

/**
 * The operations of all sessions of a process as spans, by OpenTelemetry's conventions for generative AI:
 * runs, model requests, calls, and the time spent waiting for the user.
 */
export class SpanFold {
  readonly #runs = new Map<string, OpenRun>();
  readonly #calls = new Map<string, OpenSpan>();
  readonly #questions = new Map<string, OpenSpan>();
  /** By trace. */
  readonly #sessions = new Map<string, string>();

  /** The spans that ended with this event. */
  take(outer: AgentEvent, { ids, atMs, capture }: Moment): FinishedSpan[] {
    const { event, agents } = innermost(outer);
    const isMain = agents.length === 0;
    switch (event.type) {
      case 'run_start':
        this.#sessions.set(ids.traceId, event.sessionId);
        this.#begin({ ids, atMs, agent: AGENT_NAME, event });
        return [];
      case 'turn_start':
        // A subagent's run has no start event; its first turn does.
        if (!isMain && !this.#runs.has(ids.spanId))
          this.#begin({ ids, atMs, agent: agentName(agents.at(-1) ?? '') });
        return [];
      case 'message':
        if (capture) this.#keep(ids, event.message);
        return [];
      case 'model_call':
        return [this.#modelCall(event, { ids, atMs })];
      case 'question': {
        const { tool, callId } = event.request;
        this.#questions.set(ids.spanId, {
          ids,
          name: `permission_wait ${tool}`,
          kind: 'internal',
          startMs: atMs,
          attributes: { 'gen_ai.tool.name': tool, 'gen_ai.tool.call.id': callId },
        });
        return [];
      }
      case 'judged': {
        const attributes = { 'aca.permission.verdict': event.verdict, 'aca.permission.by': event.by };
        return ended(this.#questions, ids, { atMs, attributes });
      }
      case 'tool_start': {
        const { name, id, input } = event.call;
        this.#calls.set(ids.spanId, {
          ids,
          name: `execute_tool ${name}`,
          kind: 'internal',
          startMs: atMs,
          attributes: {
            'gen_ai.operation.name': 'execute_tool',
            'gen_ai.tool.name': name,
            'gen_ai.tool.call.id': id,
            'gen_ai.tool.type': 'function',
            ...(capture && { 'gen_ai.tool.call.arguments': JSON.stringify(capture(input)) }),
          },
        });
        return [];
      }
      case 'tool_end':
        return ended(this.#calls, ids, { atMs, ...(!event.success && { error: 'tool_error' }) });
      case 'end': {
        const spans = this.#end(event, { ids, atMs, capture });
        if (isMain) this.#sessions.delete(ids.traceId);
        return spans;
      }
      default:
        return [];
    }
  }

  /** Ends all open operations. */
  close(atMs: number): FinishedSpan[] {
    const open = [this.#questions, this.#calls, this.#runs].flatMap((spans) => [...spans.values()]);
    for (const spans of [this.#questions, this.#calls, this.#runs]) spans.clear();
    return open.map((span) => finish(span, { atMs, error: 'unfinished' }));
  }

  #begin({
    ids,
    atMs,
    agent,
    event,
  }: {
    ids: OperationIds;
    atMs: number;
    agent: string;
    event?: { provider: string; model: string };
  }): void {
    this.#runs.set(ids.spanId, {
      ids,
      name: `invoke_agent ${agent}`,
      kind: 'internal',
      startMs: atMs,
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': agent,
        ...this.#session(ids),
        ...(event && {
          'gen_ai.provider.name': providerName(event.provider),
          'gen_ai.request.model': event.model,
        }),
      },
      usage: noUsage,
      asked: [],
      said: [],
    });
  }

  #session({ traceId }: OperationIds): Attributes {
    const id = this.#sessions.get(traceId);
    return id === undefined ? {} : { 'gen_ai.conversation.id': id };
  }

  #keep({ spanId }: OperationIds, message: Message): void {
    const run = this.#runs.get(spanId);
    if (run) (message.role === 'assistant' ? run.said : run.asked).push(message);
  }

  #modelCall(
    call: Extract<AgentEvent, { type: 'model_call' }>,
    { ids, atMs }: Pick<Moment, 'ids' | 'atMs'>,
  ): FinishedSpan {
    const { provider, model, purpose, durationMs, usage, stop, error } = call;
    const run = this.#runs.get(ids.parentId ?? '');
    if (run && usage) run.usage = addUsage(run.usage, usage);
    return {
      ids,
      name: `chat ${model}`,
      kind: 'client',
      startMs: atMs - durationMs,
      endMs: atMs,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': providerName(provider),
        'gen_ai.request.model': model,
        ...this.#session(ids),
        'aca.purpose': purpose,
        ...(usage && usageAttributes(usage)),
        ...(stop !== undefined && { 'gen_ai.response.finish_reasons': [stop] }),
        ...(error !== undefined && { 'error.type': error }),
      },
      ...(error !== undefined && { error }),
    };
  }

  #end(
    { reason, turns, error }: Extract<AgentEvent, { type: 'end' }>,
    { ids, atMs, capture }: Moment,
  ): FinishedSpan[] {
    const run = this.#runs.get(ids.spanId);
    if (!run) return [];
    const { usage, asked, said } = run;
    const contents = (messages: readonly Message[]) => JSON.stringify(capture?.(messages.map(genAiMessage)));
    const attributes = {
      ...usageAttributes(usage),
      'aca.run.turns': turns,
      'aca.run.end_reason': reason,
      ...(capture && { 'gen_ai.input.messages': contents(asked), 'gen_ai.output.messages': contents(said) }),
    };
    const kind = reason === 'error' ? (error?.kind ?? 'run_failed') : undefined;
    return ended(this.#runs, ids, { atMs, attributes, ...(kind !== undefined && { error: kind }) });
  }
}

type Ending = { atMs: number; attributes?: Attributes; error?: string };

function ended(open: Map<string, OpenSpan>, { spanId }: OperationIds, ending: Ending): FinishedSpan[] {
  const span = open.get(spanId);
  open.delete(spanId);
  return span ? [finish(span, ending)] : [];
}

function finish(
  { ids, name, kind, startMs, attributes }: OpenSpan,
  { atMs, attributes: last, error }: Ending,
): FinishedSpan {
  const failure = error === undefined ? {} : { 'error.type': error };
  return {
    ids,
    name,
    kind,
    startMs,
    endMs: atMs,
    attributes: { ...attributes, ...last, ...failure },
    ...(error !== undefined && { error }),
  };
}

/** The conventions include cached tokens in the input. */
function usageAttributes({
  inputTokens,
  outputTokens,
  cacheReadTokens,
  cacheWriteTokens,
}: Usage): Attributes {
  return {
    'gen_ai.usage.input_tokens': inputTokens + cacheReadTokens + cacheWriteTokens,
    'gen_ai.usage.output_tokens': outputTokens,
    'gen_ai.usage.cache_read.input_tokens': cacheReadTokens,
    'gen_ai.usage.cache_creation.input_tokens': cacheWriteTokens,
  };
}

/** A label is a name and, after a colon, the task, which is content. */
function agentName(label: string): string {
  return label.split(':')[0] ?? label;
}
