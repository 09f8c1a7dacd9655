import { type GenerateContentParameters, type GenerateContentResponse, GoogleGenAI } from '@google/genai/web';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { modelInfo } from '../../../test/support/loopback.ts';
import {
  type AssistantMessage,
  type Message,
  newCallId,
  type ToolMessage,
  type UserMessage,
} from '../../contract/message.ts';
import type { CompletionRequest, ProviderEvent } from '../../contract/provider.ts';
import { newReply, stopOf, toEvents, toWire } from './wire.ts';

const timestamp = '2026-01-01T00:00:00.000Z';
const model = 'gemini-3.8-flash';
const options = (abilities: { images?: boolean; thinking?: boolean } = {}) => ({
  name: 'google',
  infoOf: () => modelInfo({ thinking: true, ...abilities }),
});

const user = (text: string): UserMessage => ({ role: 'user', content: [{ type: 'text', text }], timestamp });
const said = (
  content: AssistantMessage['content'],
  over: Partial<AssistantMessage> = {},
): AssistantMessage => ({
  role: 'assistant',
  content,
  provider: 'google',
  model,
  stopReason: 'end',
  timestamp,
  ...over,
});
const call = (id: string, signature?: string) => ({
  type: 'tool_call' as const,
  id,
  name: 'git:log',
  input: { n: id },
  ...(signature ? { signature } : {}),
});
const answer = (callId: string, text: string, success = true): ToolMessage => ({
  role: 'tool',
  callId,
  name: 'git:log',
  success,
  content: [{ type: 'text', text }],
  timestamp,
});
const ask = (messages: Message[], over: Partial<CompletionRequest> = {}): CompletionRequest => ({
  model,
  system: '',
  messages,
  ...over,
});
const contents = (messages: Message[], over: Partial<CompletionRequest> = {}) =>
  toWire(ask(messages, over), options()).contents;

describe("[V01] a request in Gemini's format", () => {
  test('carries system, tools as JSON Schema and the settings', () => {
    const parameters = { type: 'object', properties: { n: { type: 'number' } } };

    expect(
      toWire(
        ask([user('hi')], {
          system: 'Be brief.',
          tools: [{ name: 'git:log', description: 'History', parameters }],
          temperature: 0.5,
          stopSequences: ['END'],
        }),
        options(),
      ),
    ).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
      systemInstruction: { role: 'user', parts: [{ text: 'Be brief.' }] },
      tools: [
        {
          functionDeclarations: [
            { name: 'git__log', description: 'History', parametersJsonSchema: parameters },
          ],
        },
      ],
      generationConfig: {
        maxOutputTokens: 8192,
        temperature: 0.5,
        stopSequences: ['END'],
        thinkingConfig: { includeThoughts: true },
      },
    });
  });

  test('equals what the SDK would have sent, to the last field', async () => {
    const { contents, systemInstruction, tools, generationConfig } = toWire(
      ask(
        [
          { ...user('see'), content: [{ type: 'image', mediaType: 'image/png', data: 'aWNvbg==' }] },
          said([
            { type: 'thinking', text: 'Hm.', signature: 'sig' },
            { type: 'text', text: 'Looking.' },
            call('a', 'sig-a'),
          ]),
          answer('a', 'gone', false),
          user('go on'),
        ],
        {
          system: 'Be brief.',
          tools: [
            { name: 'git:log', description: 'History', parameters: { type: 'object', properties: {} } },
          ],
          temperature: 0.5,
          stopSequences: ['END'],
          effort: 'low',
          maxTokens: 77,
        },
      ),
      options({ images: true }),
    );
    const sent: unknown[] = [];
    const fetch: typeof globalThis.fetch = async (_, init) => {
      sent.push(JSON.parse(String(init?.body)));
      return new Response('');
    };
    const off = { automaticFunctionCalling: { disable: true }, automaticContinuation: false };
    const config = { ...generationConfig, systemInstruction, tools, ...off };
    const client = new GoogleGenAI({ apiKey: 'none', vertexai: false, httpOptions: { fetch } });
    await client.models.generateContentStream({ model, contents, config } as GenerateContentParameters);

    expect([{ contents, systemInstruction, tools, generationConfig }]).toEqual(sent);
  });

  test('[Y36] tool results go in one content, in the order of the calls, and user text in the next', () => {
    expect(
      contents([
        user('go'),
        said([{ type: 'text', text: 'Looking.' }, call('a', 'sig-a'), call('b')]),
        answer('b', 'gone', false),
        user('hurry'),
        answer('a', 'A'),
      ]),
    ).toEqual([
      { role: 'user', parts: [{ text: 'go' }] },
      {
        role: 'model',
        parts: [
          { text: 'Looking.' },
          { functionCall: { id: 'a', name: 'git__log', args: { n: 'a' } }, thoughtSignature: 'sig-a' },
          { functionCall: { id: 'b', name: 'git__log', args: { n: 'b' } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'a', name: 'git__log', response: { output: 'A' } } },
          { functionResponse: { id: 'b', name: 'git__log', response: { error: 'gone' } } },
        ],
      },
      { role: 'user', parts: [{ text: 'hurry' }] },
    ]);
  });

  test('a result has the name of its call, whatever tool ran', () => {
    const results = contents([user('go'), said([call('a', 'sig-a')]), { ...answer('a', 'A'), name: 'Read' }]);
    expect(JSON.stringify(results)).toContain('"functionResponse":{"id":"a","name":"git__log"');
  });

  test('a signature goes back to the model that produced it; calls of other models get the vendor’s placeholder signature', () => {
    const part = (message: AssistantMessage, over: Partial<CompletionRequest> = {}) =>
      JSON.stringify(contents([user('go'), message, answer('a', 'A')], over)).match(
        /"thoughtSignature":"(.*?)"/,
      )?.[1];

    expect(part(said([call('a', 'sig')]))).toBe('sig');
    expect(part(said([call('a', 'sig')], { provider: 'anthropic' }))).toBe(
      'skip_thought_signature_validator',
    );
    expect(part(said([call('a', 'sig')], { model: 'gemini-3.1-pro-preview' }))).toBe(
      'skip_thought_signature_validator',
    );
    expect(part(said([call('a')]))).toBe('skip_thought_signature_validator');
    expect(part(said([call('a')]), { model: 'gemini-2.5-pro' })).toBeUndefined();
  });

  test('an unknown Gemini model gets the placeholder signature, too', () => {
    const sent = (model: string) =>
      JSON.stringify(toWire(ask([user('go'), said([call('a')])], { model }), options({ thinking: false })));
    expect(sent('gemini-9-pro')).toContain('skip_thought_signature_validator');
    expect(sent('gemma-4')).not.toContain('skip_thought_signature_validator');
  });

  test('thinking returns only with its signature; empty text and empty turns are omitted', () => {
    expect(
      contents([
        user('a'),
        said([
          { type: 'thinking', text: 'hm' },
          { type: 'text', text: '' },
        ]),
        user('b'),
        said([
          { type: 'thinking', text: 'hm', signature: 's' },
          { type: 'text', text: 'ok' },
        ]),
        user(''),
        user('c'),
      ]),
    ).toEqual([
      { role: 'user', parts: [{ text: 'a' }, { text: 'b' }] },
      { role: 'model', parts: [{ text: 'hm', thought: true, thoughtSignature: 's' }, { text: 'ok' }] },
      { role: 'user', parts: [{ text: 'c' }] },
    ]);
  });

  test('images are sent as data, those of tools after the results, and replaced by a note for models without vision', () => {
    const image = { type: 'image' as const, mediaType: 'image/png', data: 'AAAA' };
    const messages: Message[] = [
      { role: 'user', content: [image], timestamp },
      said([call('a', 's')]),
      { ...answer('a', 'see'), content: [{ type: 'text', text: 'see' }, image] },
    ];
    const shown = { inlineData: { mimeType: 'image/png', data: 'AAAA' } };

    expect(contents(messages)).toMatchObject([
      { role: 'user', parts: [shown] },
      { role: 'model' },
      { role: 'user', parts: [{ functionResponse: { response: { output: 'see' } } }] },
      { role: 'user', parts: [shown] },
    ]);
    expect(toWire(ask(messages.slice(0, 1)), options({ images: false })).contents).toEqual([
      { role: 'user', parts: [{ text: '[Image omitted: this model does not support images.]' }] },
    ]);
  });

  test.each([
    ['gemini-3.8-flash', 'low', { includeThoughts: true, thinkingLevel: 'LOW' }],
    ['gemini-4-argon', 'high', { includeThoughts: true, thinkingLevel: 'HIGH' }],
    ['gemini-2.5-flash', 'medium', { includeThoughts: true, thinkingBudget: 8_192 }],
  ] as const)('%s with effort %s is sent %j', (name, effort, thinkingConfig) => {
    expect(toWire(ask([user('hi')], { model: name, effort }), options()).generationConfig).toMatchObject({
      thinkingConfig,
    });
  });

  test('a model without thinking gets no thinking settings', () => {
    const { generationConfig } = toWire(ask([user('hi')], { effort: 'high' }), options({ thinking: false }));

    expect(generationConfig).not.toHaveProperty('thinkingConfig');
  });

  test('ids issued by the vendor are sent back, with the call and its result; others are not', () => {
    const made = newCallId();
    const sent = (message: AssistantMessage, id: string) =>
      JSON.stringify(contents([user('go'), message, answer(id, 'A')])).match(/"id":"\w+"/g);
    expect(sent(said([call('fc_1')]), 'fc_1')).toEqual(['"id":"fc_1"', '"id":"fc_1"']);
    expect(sent(said([call(made)]), made)).toBeNull();
    expect(sent(said([call('toolu_1')], { provider: 'anthropic' }), 'toolu_1')).toBeNull();
  });

  test('signed text, even empty, returns with its signature to the model that wrote it; to others as plain text', () => {
    const parts = [
      { type: 'text' as const, text: 'Done.', signature: 's1' },
      { type: 'text' as const, text: '', signature: 's2' },
    ];
    expect(contents([user('go'), said(parts), user('on')])[1]?.parts).toEqual([
      { text: 'Done.', thoughtSignature: 's1' },
      { text: '', thoughtSignature: 's2' },
    ]);
    expect(contents([user('go'), said(parts, { model: 'other' }), user('on')])[1]?.parts).toEqual([
      { text: 'Done.' },
    ]);
  });

  test('results are sorted into the order of their calls', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(['a', 'b', 'c', 'd'], { minLength: 4 }), (order) => {
        const calls = ['a', 'b', 'c', 'd'].map((id) => call(id, 's'));
        const sent = contents([user('go'), said(calls), ...order.map((id) => answer(id, id))]);

        expect(sent).toHaveProperty(
          [2, 'parts'],
          ['a', 'b', 'c', 'd'].map((id) => ({
            functionResponse: { id, name: 'git__log', response: { output: id } },
          })),
        );
      }),
    );
  });
});

describe('a Gemini reply as events', () => {
  const play = (...frames: object[]) => {
    const state = newReply('google', [{ name: 'git:log' }]);
    const events: ProviderEvent[] = frames.flatMap((frame) => [
      ...toEvents(frame as GenerateContentResponse, state),
    ]);
    const stop = stopOf(state);
    return stop ? [...events, stop] : events;
  };
  const parts = (list: object[], finishReason?: string) => ({
    candidates: [{ content: { parts: list }, ...(finishReason ? { finishReason } : {}) }],
  });

  test('a text signature closes the text, also if it arrives alone at the end', () => {
    const frame = (part: object, finishReason?: string) => ({
      candidates: [{ content: { parts: [part] }, ...(finishReason && { finishReason }) }],
    });
    expect(
      play(frame({ text: 'Done' }), frame({ text: '.' }), frame({ text: '', thoughtSignature: 's' }, 'STOP')),
    ).toEqual([
      { type: 'text', text: 'Done' },
      { type: 'text', text: '.' },
      { type: 'text_end', signature: 's' },
      { type: 'stop', reason: 'end' },
    ]);
  });

  test('arguments sent as a string are passed on unchanged', () => {
    const events = play(parts([{ functionCall: { name: 'git__log', args: '{"n":' } }], 'STOP'));
    expect(events[1]).toEqual({ type: 'tool_call_delta', key: '0', json: '{"n":' });
  });

  test('thinking, text and calls keep their order, the stop comes after the usage', () => {
    expect(
      play(
        parts([{ text: 'hm', thought: true, thoughtSignature: 's1' }]),
        parts([{ text: 'Hi' }]),
        parts([
          { functionCall: { name: 'git__log', args: { n: 1 } }, thoughtSignature: 's2' },
          { functionCall: { id: 'x', name: 'git__log' } },
        ]),
        parts([{ text: '' }], 'STOP'),
        {
          usageMetadata: {
            promptTokenCount: 100,
            cachedContentTokenCount: 60,
            candidatesTokenCount: 7,
            thoughtsTokenCount: 5,
          },
        },
      ),
    ).toEqual([
      { type: 'thinking', text: 'hm' },
      { type: 'thinking_signature', signature: 's1' },
      { type: 'text', text: 'Hi' },
      { type: 'tool_call_start', key: '0', name: 'git:log', signature: 's2' },
      { type: 'tool_call_delta', key: '0', json: '{"n":1}' },
      { type: 'tool_call_end', key: '0' },
      { type: 'tool_call_start', key: '1', id: 'x', name: 'git:log' },
      { type: 'tool_call_delta', key: '1', json: '{}' },
      { type: 'tool_call_end', key: '1' },
      {
        type: 'usage',
        usage: { inputTokens: 40, outputTokens: 12, cacheReadTokens: 60, cacheWriteTokens: 0 },
      },
      { type: 'stop', reason: 'tool_calls' },
    ]);
  });

  test.each([
    ['STOP', 'end'],
    ['MAX_TOKENS', 'max_tokens'],
    ['CONTINUATION', 'max_tokens'],
    ['SOMETHING_NEW', 'end'],
  ])('%s is the stop %s', (finishReason, reason) => {
    expect(play(parts([], finishReason))).toEqual([{ type: 'stop', reason }]);
  });

  test.each(['SAFETY', 'RECITATION', 'PROHIBITED_CONTENT', 'SPII', 'BLOCKLIST', 'LANGUAGE', 'OTHER'])(
    '%s is a refusal, and what it was about',
    (category) => {
      const refused = [{ type: 'stop', reason: 'refusal', refusal: { category } }];
      expect(play(parts([], category))).toEqual(refused);
      expect(play({ promptFeedback: { blockReason: category } })).toEqual(refused);
    },
  );

  test('an unspecified finish is ignored', () => {
    expect(play(parts([], 'FINISH_REASON_UNSPECIFIED'))).toEqual([]);
  });

  test.each(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS'])(
    '%s: a call that the vendor itself could not parse is worth a retry',
    (reason) => {
      expect(() => play(parts([], reason))).toThrow(
        expect.objectContaining({ kind: 'server_error', provider: 'google' }),
      );
    },
  );
});
