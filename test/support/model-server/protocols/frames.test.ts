// @module-tag soak
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Json, type Protocol, type ProtocolName, record, records, text } from '../protocol.ts';
import { type Answer, both, thinks } from '../script.ts';
import { anthropic } from './anthropic.ts';
import { google } from './google.ts';
import { ollama } from './ollama.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';

const PROTOCOLS: Protocol[] = [anthropic, openaiChat, openaiResponses, google, ollama];

import { sampleRequest } from '../vendors/sample-request.ts';

type Said = { text: string; thought: string; args: Record<string, string> };

const argumentsOf = fc.dictionary(
  fc.string(),
  fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.boolean()),
);

const answers = fc
  .record({
    text: fc.string({ unit: 'grapheme', minLength: 1 }),
    thought: fc.string({ unit: 'grapheme', minLength: 1 }),
    inputs: fc.array(argumentsOf, { maxLength: 3 }),
    pieceLength: fc.integer({ min: 1, max: 15 }),
    interleave: fc.boolean(),
  })
  .map(({ text: said, thought, inputs, pieceLength, interleave }): { answer: Answer; said: Said } => ({
    answer: {
      ...thinks(thought, both(said, ...inputs.map((input, i): [string, unknown] => [`T${i}`, input]))),
      pieceLength,
      ...(interleave ? { interleave: true as const } : {}),
    },
    said: {
      text: said,
      thought,
      args: Object.fromEntries(inputs.map((input, i) => [`T${i}`, JSON.stringify(input)])),
    },
  }));

describe.each(PROTOCOLS)('frames of $name', (protocol) => {
  const body = { stream_options: { include_usage: true } };
  const request = sampleRequest(body, { protocol: protocol.name });
  const exchange = { seq: 1, model: 'm', body, now: new Date(0), request };

  test('any content, split in any way, is complete once joined', () => {
    fc.assert(
      fc.property(answers, ({ answer, said }) => {
        const events = [...protocol.frames(answer, exchange)].flatMap((frame) => payloads(frame.text));
        expect(READ[protocol.name](events)).toEqual(said);
      }),
    );
  });

  test('the ending is one run of frames at the end', () => {
    fc.assert(
      fc.property(answers, ({ answer }) => {
        const endings = [...protocol.frames(answer, exchange)].map((frame) => frame.ending === true);
        expect(endings).toEqual(endings.toSorted((a, b) => Number(a) - Number(b)));
        expect(endings.at(-1)).toBe(true);
      }),
    );
  });
});

function payloads(frame: string): Json[] {
  return frame
    .split(/\r?\n/)
    .map((line) => line.replace(/^data: /, ''))
    .flatMap((line) => (line.startsWith('{') ? [record(JSON.parse(line))] : []));
}

const READ: Record<ProtocolName, (events: Json[]) => Said> = {
  anthropic(events) {
    const deltas = events.filter((event) => event.type === 'content_block_delta');
    const join = (field: string, index?: unknown) =>
      deltas
        .filter((event) => index === undefined || event.index === index)
        .map((event) => text(record(event.delta)[field]))
        .join('');
    const opened = events
      .map((event) => ({ index: event.index, block: record(event.content_block) }))
      .filter(({ block }) => block.type === 'tool_use');
    const args = opened.map(({ index, block }) => [text(block.name), join('partial_json', index)]);
    return { text: join('text'), thought: join('thinking'), args: Object.fromEntries(args) };
  },
  'openai-chat'(events) {
    const deltas = events.flatMap((event) => records(event.choices)).map((choice) => record(choice.delta));
    const join = (field: string) => deltas.map((delta) => text(delta[field])).join('');
    const args: Record<string, string> = {};
    const names = new Map<unknown, string>();
    for (const { index, function: fn } of deltas.flatMap((delta) => records(delta.tool_calls))) {
      const name = text(record(fn).name) || (names.get(index) ?? '');
      names.set(index, name);
      args[name] = (args[name] ?? '') + text(record(fn).arguments);
    }
    return { text: join('content'), thought: join('reasoning_content'), args };
  },
  'openai-responses'(events) {
    const join = (type: string, index?: unknown) =>
      events
        .filter((event) => event.type === type && (index === undefined || event.output_index === index))
        .map((event) => text(event.delta))
        .join('');
    const done = events.filter((event) => event.type === 'response.function_call_arguments.done');
    return {
      text: join('response.output_text.delta'),
      thought: join('response.reasoning_summary_text.delta'),
      args: Object.fromEntries(
        done.map((event) => [
          text(event.name),
          join('response.function_call_arguments.delta', event.output_index),
        ]),
      ),
    };
  },
  google(events) {
    const parts = events
      .flatMap((event) => records(event.candidates))
      .flatMap((candidate) => records(record(candidate.content).parts));
    const join = (thought: true | undefined) =>
      parts
        .filter((part) => part.thought === thought)
        .map((part) => text(part.text))
        .join('');
    const called = parts
      .filter((part) => part.functionCall !== undefined)
      .map((part) => record(part.functionCall));
    const args = Object.fromEntries(called.map((call) => [text(call.name), JSON.stringify(call.args)]));
    return { text: join(undefined), thought: join(true), args };
  },
  ollama(events) {
    const messages = events.map((event) => record(event.message));
    const join = (field: string) => messages.map((message) => text(message[field])).join('');
    const called = messages
      .flatMap((message) => records(message.tool_calls))
      .map((call) => record(call.function));
    const args = Object.fromEntries(called.map((call) => [text(call.name), JSON.stringify(call.arguments)]));
    return { text: join('content'), thought: join('thinking'), args };
  },
};
