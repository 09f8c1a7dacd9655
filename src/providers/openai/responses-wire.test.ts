import { describe, expect, test } from 'vitest';
import { hello, modelInfo } from '../../../test/support/loopback.ts';
import type { AssistantMessage, Message } from '../../contract/message.ts';
import type { CompletionRequest } from '../../contract/provider.ts';
import { signatureOf, toWire } from './responses-wire.ts';

const timestamp = '2026-01-01T00:00:00Z';
const thinks = modelInfo({ thinking: true });

function wire(extra: Partial<CompletionRequest>, { info = modelInfo(), noSummaries = false } = {}) {
  return toWire(hello(extra), { name: 'openai', baseUrl: '', infoOf: () => info, noSummaries });
}
const input = (messages: Message[], info = modelInfo()) => wire({ messages }, { info }).input;

function assistant(
  content: AssistantMessage['content'],
  from: Partial<Pick<AssistantMessage, 'provider' | 'model'>> = {},
): AssistantMessage {
  return {
    role: 'assistant',
    content,
    provider: 'openai',
    model: 'm',
    stopReason: 'end',
    timestamp,
    ...from,
  };
}
const thought = {
  type: 'thinking' as const,
  text: 'hm',
  signature: signatureOf({ id: 'rs_1', encrypted_content: 'XYZ' }),
};
const text = { type: 'text' as const, text: 'ok' };
const call = { type: 'tool_call' as const, id: 'call_1', name: 'files:read', input: { x: 1 } };

describe('[V02] a request on the wire', () => {
  test('is not stored by the vendor and carries only what was requested', () => {
    expect(wire({})).toEqual({
      model: 'm',
      stream: true,
      store: false,
      instructions: 'Be brief.',
      input: [{ role: 'user', content: [{ type: 'input_text', text: 'hi' }] }],
    });
  });

  test('carries tools and settings', () => {
    const parameters = { type: 'object', properties: {} };
    expect(
      wire({
        tools: [{ name: 'files:read', description: 'Reads.', parameters }],
        maxTokens: 99_999,
        temperature: 0.5,
        effort: 'high',
        cacheKey: 'session',
      }),
    ).toMatchObject({
      tools: [{ type: 'function', name: 'files__read', description: 'Reads.', parameters, strict: false }],
      max_output_tokens: 8192,
      temperature: 0.5,
      prompt_cache_key: 'session',
    });
    expect(wire({ maxTokens: 1 })).toMatchObject({ max_output_tokens: 16 });
    expect(wire({ effort: 'high' })).not.toHaveProperty('reasoning');
  });

  test('requests thinking from thinking models, and sets no temperature', () => {
    const asked = wire({ effort: 'high', temperature: 0.5 }, { info: thinks });
    expect(asked).toMatchObject({
      reasoning: { effort: 'high', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
    });
    expect(asked).not.toHaveProperty('temperature');
    expect(wire({}, { info: thinks, noSummaries: true })).toMatchObject({ reasoning: {} });
  });
});

describe('[Y36] a conversation on the wire', () => {
  test('thinking, text, calls and results are separate items, in order', () => {
    expect(
      input([
        assistant([thought, text, call]),
        {
          role: 'tool',
          callId: 'call_1',
          name: 'files:read',
          success: true,
          content: [{ type: 'text', text: 'data' }],
          timestamp,
        },
      ]),
    ).toEqual([
      {
        type: 'reasoning',
        id: 'rs_1',
        encrypted_content: 'XYZ',
        summary: [{ type: 'summary_text', text: 'hm' }],
      },
      { role: 'assistant', content: 'ok' },
      { type: 'function_call', call_id: 'call_1', name: 'files__read', arguments: '{"x":1}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'data' },
    ]);
  });

  test('labels of texts go back to their vendor, and ids after the thinking they belong to', () => {
    const note = {
      type: 'text' as const,
      text: 'Looking.',
      signature: 'msg_1',
      phase: 'commentary' as const,
    };
    const answer = { type: 'text' as const, text: 'Done.', phase: 'final_answer' as const };
    expect(input([assistant([thought, note, call, answer])])).toMatchObject([
      { type: 'reasoning', id: 'rs_1' },
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        phase: 'commentary',
        content: [{ type: 'output_text', text: 'Looking.', annotations: [] }],
      },
      { type: 'function_call', call_id: 'call_1' },
      { role: 'assistant', content: 'Done.', phase: 'final_answer' },
    ]);
    // The vendor rejects the id of an item whose thinking is missing.
    expect(input([assistant([note])])).toEqual([
      { role: 'assistant', content: 'Looking.', phase: 'commentary' },
    ]);
    expect(input([assistant([thought, note], { model: 'other' })])).toEqual([
      { role: 'assistant', content: 'Looking.', phase: 'commentary' },
    ]);
    expect(input([assistant([thought, note], { provider: 'xai' })])).toEqual([
      { role: 'assistant', content: 'Looking.' },
    ]);
  });

  test.each<[string, Parameters<typeof signatureOf>[0]]>([
    ['without an id', { encrypted_content: 'X' }],
    [
      'with several summaries',
      {
        id: 'rs_2',
        encrypted_content: 'X',
        summary: [
          { type: 'summary_text', text: 'one' },
          { type: 'summary_text', text: 'two\n\nthree' },
        ],
      },
    ],
    [
      'with its text',
      {
        id: 'rs_3',
        encrypted_content: 'X',
        summary: [],
        content: [{ type: 'reasoning_text', text: 'all of it' }],
      },
    ],
  ])('thinking %s goes back as it came', (_, item) => {
    const part = { type: 'thinking' as const, text: '', signature: signatureOf(item) };
    expect(input([assistant([part, text])])).toMatchObject([
      { type: 'reasoning', summary: [], ...item },
      { role: 'assistant' },
    ]);
  });

  test('redacted thinking goes back without a summary', () => {
    expect(input([assistant([{ ...thought, text: '', redacted: true }, text])])).toMatchObject([
      { type: 'reasoning', summary: [] },
      { role: 'assistant' },
    ]);
  });

  test.each<[string, AssistantMessage]>([
    ['of another provider', assistant([thought, text], { provider: 'anthropic' })],
    ['of another model', assistant([thought, text], { model: 'other' })],
    ['with another vendor’s proof', assistant([{ ...thought, signature: 'abc' }, text])],
    ['without proof', assistant([{ type: 'thinking', text: 'hm' }, text])],
    ['that led to nothing', assistant([text, thought])],
  ])('thinking %s is not sent', (_, message) => {
    expect(input([message])).toEqual([{ role: 'assistant', content: 'ok' }]);
  });

  test('images are sent inside results and messages, or replaced by a note', () => {
    const image = { type: 'image' as const, mediaType: 'image/png', data: 'AAAA' };
    const result: Message = {
      role: 'tool',
      callId: 'c',
      name: 'Read',
      success: true,
      content: [image],
      timestamp,
    };
    expect(input([result])).toEqual([
      {
        type: 'function_call_output',
        call_id: 'c',
        output: [{ type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,AAAA' }],
      },
    ]);
    expect(input([result], modelInfo({ images: false }))).toMatchObject([
      { output: [{ type: 'input_text', text: expect.stringContaining('does not support images') }] },
    ]);
  });

  test('long ids are shortened the same way in call and result', () => {
    const id = 'x'.repeat(200);
    const [asked, answered] = input([
      assistant([{ ...call, id }]),
      { role: 'tool', callId: id, name: 'files:read', success: true, content: [], timestamp },
    ]) as { call_id: string }[];
    expect(asked?.call_id).toHaveLength(64);
    expect(answered).toEqual({
      type: 'function_call_output',
      call_id: asked?.call_id,
      output: '(no output)',
    });
  });
});

test('answers are short where the vendor lets clients choose', () => {
  const textOf = (name: string, model: string) =>
    toWire({ model, system: '', messages: [] }, { name, baseUrl: '', infoOf: () => thinks }).text;
  expect(textOf('openai', 'gpt-6.1-sol')).toEqual({ verbosity: 'low' });
  expect([textOf('openai', 'gpt-4.1'), textOf('xai', 'grok-4-7')]).toEqual([undefined, undefined]);
});
