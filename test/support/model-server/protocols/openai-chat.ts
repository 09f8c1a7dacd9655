import { argumentText, idOf, joined, type ScriptedCall, split, stopOf, usageOf, weave } from '../pieces.ts';
import { type Exchange, type Frame, type Json, type Protocol, record } from '../protocol.ts';
import type { Answer, ScriptedUsage } from '../script.ts';
import { thinkingChunk } from '../vendors/mistral.ts';
import { reasoningDetails } from '../vendors/openrouter.ts';
import { vendorOf } from '../vendors/vendor-of.ts';
import { openaiError } from './openai-error.ts';
import { viewChat } from './view-openai-chat.ts';

const STOPS = { end: 'stop', calls: 'tool_calls', max_tokens: 'length', refusal: 'content_filter' } as const;

export const openaiChat: Protocol = {
  name: 'openai-chat',
  mediaType: 'text/event-stream; charset=utf-8',
  keepAlive: ': PROCESSING\n\n',
  view: viewChat,
  wantsStream: (body) => body.stream === true,
  frames,
  whole,
  error: openaiError,
  errorFrame: (words) => sse(openaiError(500, words)),
};

function* frames(answer: Answer, exchange: Exchange): Generator<Frame> {
  const envelope = { ...head(exchange, 'chat.completion.chunk'), system_fingerprint: 'fp_scripted' };
  const counted = record(exchange.body.stream_options).include_usage === true;
  const chunk = (delta: Json, finish_reason: string | null = null): Frame => ({
    text: sse({
      ...envelope,
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      ...(counted ? { usage: null } : {}),
    }),
  });

  const details = reasoningDetails(answer, exchange.request);
  const isMistral = vendorOf(exchange.request) === 'mistral';
  const reasoningField = details.length > 0 ? 'reasoning' : 'reasoning_content';

  yield chunk({ role: 'assistant', content: '', refusal: null });
  for (const part of answer.parts) {
    if (part.type === 'text') {
      for (const content of split(part.text, answer.pieceLength)) yield chunk({ content });
    } else if (part.type === 'thinking' && !part.redacted) {
      const pieces = split(part.text, answer.pieceLength);
      for (const [i, piece] of pieces.entries())
        yield chunk(
          isMistral
            ? { content: [thinkingChunk(piece, i === pieces.length - 1 && part)] }
            : { [reasoningField]: piece },
        );
    }
  }
  if (details.length > 0) yield chunk({ reasoning_details: details });
  for (const tool_calls of callDeltas(answer, exchange.seq)) yield chunk({ tool_calls });

  yield { ...chunk({}, STOPS[stopOf(answer)]), ending: true };
  const usage = usageOf(answer, exchange);
  if (counted && usage)
    yield { text: sse({ ...envelope, choices: [], usage: toUsage(usage) }), ending: true };
  yield { text: 'data: [DONE]\n\n', ending: true };
}

function* callDeltas(answer: Answer, seq: number): Generator<Json[]> {
  const streams = callsOf(answer).map((call, position) =>
    callStream(call, position, { seq, longest: answer.pieceLength }),
  );
  if (answer.interleave) yield* weave(streams);
  else for (const stream of streams) yield* stream;
}

function* callStream(
  call: ScriptedCall,
  position: number,
  { seq, longest }: { seq: number; longest: number | undefined },
): Generator<Json[]> {
  const index = call.index ?? position;
  const opened = wholeCall(call, position, seq);
  if (call.objectArguments) {
    yield [{ index, ...opened }];
    return;
  }
  yield [{ index, ...opened, function: { name: call.name, arguments: '' } }];
  for (const piece of split(argumentText(call) ?? '', longest))
    yield [{ index, function: { arguments: piece } }];
}

function whole(answer: Answer, exchange: Exchange): Json {
  const calls = callsOf(answer).map((call, position) => wholeCall(call, position, exchange.seq));
  const reasoning = joined(answer, 'thinking');
  const details = reasoningDetails(answer, exchange.request);
  const said = joined(answer, 'text');
  const usage = usageOf(answer, exchange);
  return {
    ...head(exchange, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: said === '' && calls.length > 0 ? null : said,
          refusal: null,
          ...(reasoning !== '' && details.length === 0 && { reasoning_content: reasoning }),
          ...(details.length > 0 && { reasoning, reasoning_details: details }),
          ...(calls.length === 0 ? {} : { tool_calls: calls }),
        },
        logprobs: null,
        finish_reason: STOPS[stopOf(answer)],
      },
    ],
    ...(usage ? { usage: toUsage(usage) } : {}),
  };
}

function wholeCall(call: ScriptedCall, position: number, seq: number): Json {
  const id = idOf(call, position, { seq, prefix: 'call_' });
  return {
    ...(id === undefined ? {} : { id }),
    type: 'function',
    function: { name: call.name, arguments: call.objectArguments ? call.input : (argumentText(call) ?? '') },
  };
}

function callsOf(answer: Answer): ScriptedCall[] {
  return answer.parts.filter((part) => part.type === 'call');
}

function head({ seq, model, now }: Exchange, object: string): Json {
  const id = `chatcmpl-${String(seq).padStart(8, '0')}`;
  return { id, object, created: Math.floor(now.getTime() / 1000), model, service_tier: 'default' };
}

function toUsage(usage: ScriptedUsage): Json {
  const prompt = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.outputTokens,
    total_tokens: prompt + usage.outputTokens,
    prompt_tokens_details: {
      cached_tokens: usage.cacheReadTokens,
      cache_write_tokens: usage.cacheWriteTokens,
    },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  };
}

function sse(data: Json): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
