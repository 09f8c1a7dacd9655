import { argumentText, idOf, type ScriptedCall, seal, split, stopOf, usageOf, weave } from '../pieces.ts';
import { type Exchange, type Frame, type Json, list, type Protocol } from '../protocol.ts';
import type { Answer, ErrorWords, ReplyPart, ScriptedUsage } from '../script.ts';
import { hasPhase, phaseOf } from '../vendors/openai.ts';
import { openaiError } from './openai-error.ts';
import { viewResponses } from './view-openai-responses.ts';

/** One output item and its position; `frames` number their own events later. */
type Item = { part: ReplyPart; position: number; outputIndex: number; exchange: Exchange; answer: Answer };

export const openaiResponses: Protocol = {
  name: 'openai-responses',
  mediaType: 'text/event-stream; charset=utf-8',
  keepAlive: ': keep-alive\n\n',
  view: viewResponses,
  wantsStream: (body) => body.stream === true,
  frames,
  whole,
  error: openaiError,
  errorFrame,
};

function* frames(answer: Answer, exchange: Exchange): Generator<Frame> {
  let sequence_number = 0;
  const frame = (event: Json): Frame => ({ text: sse({ ...event, sequence_number: sequence_number++ }) });
  const begun = { ...envelope(exchange), status: 'in_progress', output: [], usage: null };

  yield { ...frame({ type: 'response.created', response: begun }), echo: true };
  yield { ...frame({ type: 'response.in_progress', response: begun }), echo: true };
  const items = itemsOf(answer, exchange);
  const streams = items.map((item) => itemEvents(item));
  for (const stream of answer.interleave ? [weave(streams)] : streams) {
    for (const event of stream) yield frame(event);
  }
  const response = whole(answer, exchange);
  yield { ...frame({ type: `response.${String(response.status)}`, response }), ending: true };
}

function* itemEvents(item: Item): Generator<Json> {
  const { part, outputIndex: output_index, answer } = item;
  const done = toItem(item);
  const where = { item_id: done.id, output_index };
  const status = 'in_progress';

  if (part.type === 'thinking') {
    yield {
      type: 'response.output_item.added',
      output_index,
      item: { ...done, summary: [], encrypted_content: null },
    };
    if (!part.redacted) yield* summaryEvents(part.text, { ...where, summary_index: 0 }, answer.pieceLength);
  } else if (part.type === 'text') {
    yield { type: 'response.output_item.added', output_index, item: { ...done, status, content: [] } };
    yield* textEvents(item, { ...where, content_index: 0 });
  } else {
    const json = argumentText(part) ?? '';
    const opened = part.objectArguments ? done : { ...done, status, arguments: '' };
    yield { type: 'response.output_item.added', output_index, item: opened };
    if (!part.objectArguments) {
      for (const delta of split(json, answer.pieceLength)) {
        yield { type: 'response.function_call_arguments.delta', ...where, delta };
      }
    }
    yield {
      type: 'response.function_call_arguments.done',
      ...where,
      name: part.name,
      arguments: done.arguments,
    };
  }
  yield { type: 'response.output_item.done', output_index, item: done };
}

function* summaryEvents(text: string, where: Json, longest: number | undefined): Generator<Json> {
  yield { type: 'response.reasoning_summary_part.added', ...where, part: { type: 'summary_text', text: '' } };
  for (const delta of split(text, longest))
    yield { type: 'response.reasoning_summary_text.delta', ...where, delta };
  yield { type: 'response.reasoning_summary_text.done', ...where, text };
  yield { type: 'response.reasoning_summary_part.done', ...where, part: { type: 'summary_text', text } };
}

function* textEvents({ part, answer }: Item, where: Json): Generator<Json> {
  if (part.type !== 'text') return;
  const kind = contentKind(answer);
  const field = kind === 'refusal' ? 'refusal' : 'text';
  const extra = kind === 'refusal' ? {} : { logprobs: [] };
  yield { type: 'response.content_part.added', ...where, part: toContent('', kind) };
  for (const delta of split(part.text, answer.pieceLength)) {
    yield { type: `response.${kind}.delta`, ...where, delta, ...extra };
  }
  yield { type: `response.${kind}.done`, ...where, [field]: part.text, ...extra };
  yield { type: 'response.content_part.done', ...where, part: toContent(part.text, kind) };
}

function whole(answer: Answer, exchange: Exchange): Json {
  const cut = stopOf(answer) === 'max_tokens';
  const usage = usageOf(answer, exchange);
  return {
    ...envelope(exchange),
    status: cut ? 'incomplete' : 'completed',
    incomplete_details: cut ? { reason: 'max_output_tokens' } : null,
    output: itemsOf(answer, exchange).map(toItem),
    usage: usage ? toUsage(usage) : null,
  };
}

function itemsOf(answer: Answer, exchange: Exchange): Item[] {
  return answer.parts.map((part, position) => ({
    part,
    position,
    outputIndex: (part.type === 'call' ? part.index : undefined) ?? position,
    exchange,
    answer,
  }));
}

function toItem({ part, position, exchange, answer }: Item): Json {
  const id = `${String(exchange.seq).padStart(4, '0')}${String(position).padStart(4, '0')}`;
  const status = stopOf(answer) === 'max_tokens' ? 'incomplete' : 'completed';
  switch (part.type) {
    case 'thinking': {
      // Encrypted reasoning is sent only on request: other clients must let the vendor store it.
      const wanted = list(exchange.body.include).includes('reasoning.encrypted_content');
      const summary = part.redacted ? [] : [{ type: 'summary_text', text: part.text }];
      return {
        id: `rs_${id}`,
        type: 'reasoning',
        summary,
        encrypted_content: wanted ? seal(part.text) : null,
      };
    }
    case 'text': {
      const content = [toContent(part.text, contentKind(answer))];
      const phase = part.phase ?? (hasPhase(exchange.model) ? phaseOf(answer) : undefined);
      const label = phase && { phase };
      return { id: `msg_${id}`, type: 'message', status, role: 'assistant', ...label, content };
    }
    case 'call':
      return { id: `fc_${id}`, type: 'function_call', status, ...callFields(part, position, exchange) };
    default:
      return part satisfies never;
  }
}

function callFields(call: ScriptedCall, position: number, { seq }: Exchange): Json {
  const call_id = idOf(call, position, { seq, prefix: 'call_' });
  return {
    ...(call_id === undefined ? {} : { call_id }),
    name: call.name,
    arguments: call.objectArguments ? call.input : (argumentText(call) ?? ''),
  };
}

type ContentKind = 'refusal' | 'output_text';

function contentKind(answer: Answer): ContentKind {
  return stopOf(answer) === 'refusal' ? 'refusal' : 'output_text';
}

function toContent(text: string, kind: ContentKind): Json {
  return kind === 'refusal'
    ? { type: 'refusal', refusal: text }
    : { type: 'output_text', text, annotations: [], logprobs: [] };
}

function envelope({ seq, model, now, body }: Exchange): Json {
  return {
    id: `resp_${String(seq).padStart(8, '0')}`,
    object: 'response',
    created_at: Math.floor(now.getTime() / 1000),
    error: null,
    incomplete_details: null,
    instructions: body.instructions ?? null,
    model,
    parallel_tool_calls: true,
    store: body.store ?? true,
    tool_choice: 'auto',
    tools: body.tools ?? [],
    metadata: {},
  };
}

function toUsage(usage: ScriptedUsage): Json {
  const input = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: usage.cacheReadTokens,
      cache_write_tokens: usage.cacheWriteTokens,
    },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: input + usage.outputTokens,
  };
}

/** A failed response, or, for the type `error`, the bare error event. */
function errorFrame({
  type = 'server_error',
  message = 'The server had an error while processing your request.',
}: ErrorWords): string {
  if (type === 'error') return sse({ type, code: 'server_error', message, param: null, sequence_number: 99 });
  const response = {
    id: 'resp_failed',
    object: 'response',
    status: 'failed',
    error: { code: type, message },
    output: [],
  };
  return sse({ type: 'response.failed', response, sequence_number: 99 });
}

function sse(event: Json): string {
  return `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`;
}
