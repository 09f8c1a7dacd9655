import type { ChatRequest, ChatResponse, Message as OllamaMessage, Tool as OllamaTool } from 'ollama/browser';
import type { Message, StopReason, Usage } from '../../contract/message.ts';
import { namesOfCalls, textOf, toolCallsOf } from '../../contract/message.ts';
import type { CompletionRequest, ModelInfo, ProviderEvent } from '../../contract/provider.ts';
import { effortNow } from '../../contract/request/conversation-effort.ts';
import { fitEffort } from '../../contract/request/effort.ts';
import { estimateTokens } from '../models/estimate-tokens.ts';
import type { ProviderOptions } from '../options.ts';
import { systemWithSummary } from '../summary.ts';
import type { Splitter } from '../text-tools/splitter.ts';
import { createThinkSplitter } from '../text-tools/thinking.ts';
import { type WireNames, wireNames } from '../tool-names.ts';
import { resultText } from '../tool-results.ts';

/** A larger context costs memory at once, so it is requested only when the conversation needs it. */
const USUAL_CONTEXT = 32_768;
const ROOM_FOR_ANSWER = 4096;

/**
 * Without an explicit size, the server silently drops the start of all but short conversations. Changing the
 * size makes it reload the model and lose its prompt cache, so the size never shrinks.
 */
export function contextSize(window: number, needed: number, last = USUAL_CONTEXT): number {
  let size = Math.min(Math.max(USUAL_CONTEXT, last), window);
  while (size < needed && size < window) size = Math.min(size * 2, window);
  return size;
}

/** `lastContext`: the size last requested for this model. */
type WireOptions = ProviderOptions & { lastContext?: number | undefined };

export function toWire(request: CompletionRequest, options: WireOptions) {
  const { model, tools = [], maxTokens, temperature, stopSequences, replySchema } = request;
  const info = options.infoOf(model);
  const { abilities, contextWindow, maxOutputTokens } = info;
  const names = wireNames(tools);
  const system = systemWithSummary(request);
  const limit = maxTokens === undefined ? undefined : Math.min(maxTokens, maxOutputTokens);
  const needed = estimateTokens(request) + Math.min(limit ?? ROOM_FOR_ANSWER, ROOM_FOR_ANSWER);
  const called = namesOfCalls(request.messages);
  const wire: Wire = { names, called, images: abilities.images, thoughtsOf: options.name };

  return {
    model,
    stream: true,
    // Otherwise a prompt that is too long loses its beginning without a word.
    truncate: false,
    messages: [
      ...(system ? [{ role: 'system', content: system }] : []),
      ...request.messages.flatMap((message) => messageToWire(message, wire)),
    ],
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function',
        // The library's type covers less of JSON Schema than the server does.
        function: { name: names.toWire(name), description, parameters } as OllamaTool['function'],
      })),
    }),
    ...(abilities.thinking && { think: thinkFor(request, info) }),
    ...(replySchema && { format: replySchema }),
    options: {
      num_ctx: contextSize(contextWindow, needed, options.lastContext),
      ...(limit !== undefined && { num_predict: limit }),
      ...(temperature !== undefined && { temperature }),
      ...(stopSequences?.length && { stop: [...stopSequences] }),
    },
  } satisfies ChatRequest & { stream: true; truncate: boolean };
}

/** Only one model family has levels, and cannot turn its thinking off; the others take on or off. */
function thinkFor(request: CompletionRequest, info: ModelInfo): boolean | 'low' | 'medium' | 'high' {
  const wanted = effortNow(request);
  if (!/gpt-oss/i.test(request.model)) return wanted !== 'none';
  const effort = fitEffort(wanted, { ...info, effort: { levels: LEVELS } });
  return LEVELS.find((level) => level === effort) ?? true;
}

const LEVELS = ['low', 'medium', 'high'] as const;

type Wire = {
  names: WireNames;
  called: ReadonlyMap<string, string>;
  images: boolean;
  thoughtsOf: string;
};

function messageToWire(message: Message, { names, called, images, thoughtsOf }: Wire): OllamaMessage[] {
  if (message.role === 'assistant') {
    const calls = toolCallsOf(message);
    const thoughts = message.content
      .flatMap((part) => (part.type === 'thinking' && message.provider === thoughtsOf ? [part.text] : []))
      .join('');
    const content = textOf(message);
    if (!content && calls.length === 0) return [];
    return [
      {
        role: 'assistant',
        content,
        ...(thoughts && { thinking: thoughts }),
        ...(calls.length > 0 && {
          tool_calls: calls.map((call) => ({
            id: call.id,
            function: { name: names.toWire(call.name), arguments: (call.input ?? {}) as object },
          })),
        }),
      },
    ];
  }
  const pictures = message.content.flatMap((part) => (part.type === 'image' ? [part.data] : []));
  const shown = images && pictures.length > 0 ? { images: pictures } : {};
  const text = [
    message.role === 'tool' ? resultText(message) : textOf(message),
    ...(pictures.length > 0 && !images ? ['[Image omitted: this model does not support images.]'] : []),
  ]
    .filter(Boolean)
    .join('\n');
  if (message.role === 'user') return [{ role: 'user', content: text, ...shown }];
  // Two calls of one tool are distinguished by id; servers without ids go by name and order.
  const name = called.get(message.callId) ?? message.name;
  const call = { tool_name: names.toWire(name), tool_call_id: message.callId };
  return [{ role: 'tool', content: text || '(no output)', ...call, ...shown }];
}

/** State of one reply. */
export type OllamaReply = {
  names: WireNames;
  /** Undefined once thinking arrives in its own field, or a call has arrived. */
  splitter: Splitter | undefined;
  calls: number;
};

export function openReply(names: WireNames): OllamaReply {
  return { names, splitter: createThinkSplitter('unknown'), calls: 0 };
}

/** Translates one line of the stream to events. Calls arrive complete and mostly without ids. */
export function* toEvents(frame: ChatResponse, reply: OllamaReply): Generator<ProviderEvent> {
  const { thinking, content, tool_calls: calls = [] } = frame.message ?? {};
  if (thinking) {
    yield* endText(reply);
    yield { type: 'thinking', text: thinking };
  }
  if (content) {
    if (reply.splitter) yield* reply.splitter.push(content);
    else yield { type: 'text', text: content };
  }
  if (calls.length > 0) yield* endText(reply);
  for (const call of calls) {
    const key = String(reply.calls++);
    const { id } = call as { id?: string };
    const input: unknown = call.function.arguments;
    const json = typeof input === 'string' ? input : JSON.stringify(input ?? {});
    const name = reply.names.fromWire(call.function.name);
    yield { type: 'tool_call_start', key, ...(id ? { id } : {}), name };
    yield { type: 'tool_call_delta', key, json };
    yield { type: 'tool_call_end', key };
  }
  if (!frame.done) return;
  yield* endText(reply);
  yield { type: 'usage', usage: usageOf(frame) };
  yield { type: 'stop', reason: stopReason(frame, reply) };
}

function* endText(reply: OllamaReply): Generator<ProviderEvent> {
  const { splitter } = reply;
  reply.splitter = undefined;
  if (splitter) yield* splitter.end();
}

function stopReason(frame: ChatResponse, { calls }: OllamaReply): StopReason {
  if (frame.done_reason === 'length') return 'max_tokens';
  return calls > 0 ? 'tool_calls' : 'end';
}

/** A fully cached prompt comes without a count. */
function usageOf(frame: Partial<ChatResponse>): Usage {
  return {
    inputTokens: frame.prompt_eval_count ?? 0,
    outputTokens: frame.eval_count ?? 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
  };
}
