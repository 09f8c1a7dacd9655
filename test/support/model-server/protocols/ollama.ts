import { argumentValue, idOf, joined, type ScriptedCall, split, stopOf, usageOf } from '../pieces.ts';
import type { Exchange, Frame, Json, Protocol } from '../protocol.ts';
import type { Answer, ScriptedUsage } from '../script.ts';
import { viewOllama } from './view-ollama.ts';

export const ollama: Protocol = {
  name: 'ollama',
  mediaType: 'application/x-ndjson',
  keepAlive: '\n',
  view: viewOllama,
  // This protocol streams by default.
  wantsStream: (body) => body.stream !== false,
  frames,
  whole,
  error: (status, { message = `scripted failure ${status}` }) => ({ error: message }),
  errorFrame: ({ message = 'an error was encountered while running the model' }) => line({ error: message }),
};

function* frames(answer: Answer, exchange: Exchange): Generator<Frame> {
  const chunk = (message: Json): Frame => ({
    text: line({ ...head(exchange), message: { role: 'assistant', content: '', ...message }, done: false }),
  });
  for (const part of answer.parts) {
    if (part.type === 'text')
      for (const content of split(part.text, answer.pieceLength)) yield chunk({ content });
    else if (part.type === 'thinking' && !part.redacted) {
      for (const thinking of split(part.text, answer.pieceLength)) yield chunk({ thinking });
    }
  }
  // Each call is complete, in a separate line.
  for (const call of toolCalls(answer, exchange)) yield chunk({ tool_calls: [call] });
  const message = { role: 'assistant', content: '' };
  yield { text: line({ ...head(exchange), message, ...ending(answer, exchange) }), ending: true };
}

function whole(answer: Answer, exchange: Exchange): Json {
  const thinking = joined(answer, 'thinking');
  const tool_calls = toolCalls(answer, exchange);
  const message = {
    role: 'assistant',
    content: joined(answer, 'text'),
    ...(thinking === '' ? {} : { thinking }),
    ...(tool_calls.length === 0 ? {} : { tool_calls }),
  };
  return { ...head(exchange), message, ...ending(answer, exchange) };
}

function toolCalls(answer: Answer, { seq }: Exchange): Json[] {
  return answer.parts
    .filter((part): part is ScriptedCall => part.type === 'call')
    .map((call, position) => {
      const id = idOf(call, position, { seq, prefix: 'call_' });
      const args = argumentValue(call);
      return {
        ...(id === undefined ? {} : { id }),
        function: {
          index: call.index ?? position,
          name: call.name,
          ...(args === undefined ? {} : { arguments: args }),
        },
      };
    });
}

function head({ model, now }: Exchange): Json {
  return { model, created_at: now.toISOString() };
}

function ending(answer: Answer, exchange: Exchange): Json {
  const usage = usageOf(answer, exchange);
  const done_reason = stopOf(answer) === 'max_tokens' ? 'length' : 'stop';
  return { done: true, done_reason, ...(usage ? figures(usage) : {}) };
}

function figures(usage: ScriptedUsage): Json {
  return {
    total_duration: 50_000_000,
    load_duration: 1_000_000,
    prompt_eval_count: usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens,
    prompt_eval_duration: 9_000_000,
    eval_count: usage.outputTokens,
    eval_duration: 40_000_000,
  };
}

function line(value: Json): string {
  return `${JSON.stringify(value)}\n`;
}
