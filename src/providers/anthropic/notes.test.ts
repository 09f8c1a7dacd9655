import { describe, expect, test } from 'vitest';
import { fails, hello, loopback, modelInfo, play, sse } from '../../../test/support/loopback.ts';
import type { AssistantMessage } from '../../contract/message.ts';
import { createAnthropic } from './anthropic.ts';

const BETA = 'thinking-display-updates-2026-08-18,thinking-binding-controls-2026-08-01';
const thinking = (text: string, index: number) => [
  { type: 'content_block_start', index, content_block: { type: 'thinking', thinking: '', signature: '' } },
  { type: 'content_block_delta', index, delta: { type: 'thinking_delta', thinking: text } },
  { type: 'content_block_delta', index, delta: { type: 'signature_delta', signature: `sig ${index}` } },
  { type: 'content_block_stop', index },
];
const end = [{ type: 'message_delta', delta: { stop_reason: 'end_turn' } }, { type: 'message_stop' }];

async function open(refusal: { message: string } | null = null, headers: Record<string, string> = {}) {
  const server = await loopback((response, { body }) => {
    if (refusal && JSON.stringify(body).includes('updates'))
      fails(response, 400, { body: { error: { type: 'invalid_request_error', message: refusal.message } } });
    else sse(response, [...thinking('I read the parser first.', 0), ...thinking('', 1), ...end]);
  });
  const infoOf = () => modelInfo({ thinking: true });
  return { server, provider: createAnthropic({ name: 'anthropic', baseUrl: server.url, headers, infoOf }) };
}

test('the text of a thought is a note for people where only notes are shown', async () => {
  const { server, provider } = await open();
  const { events } = await play(provider, hello({ model: 'claude-sonnet-5-5' }));
  expect(events).toEqual([
    { type: 'text', text: 'I read the parser first.', note: true },
    { type: 'thinking_signature', signature: 'sig 0' },
    { type: 'thinking', text: '' },
    { type: 'thinking_signature', signature: 'sig 1' },
    { type: 'stop', reason: 'end' },
  ]);
  expect(server.requests[0]?.headers['anthropic-beta']).toBe(BETA);
});

test('it stays reasoning on models without notes', async () => {
  const { server, provider } = await open();
  const { events } = await play(provider, hello({ model: 'claude-sonnet-5' }));
  expect(events[0]).toEqual({ type: 'thinking', text: 'I read the parser first.' });
  expect(server.requests[0]?.headers).not.toHaveProperty('anthropic-beta');
});

test('a note goes back as the thought it came as', async () => {
  const { server, provider } = await open();
  const turn: AssistantMessage = {
    role: 'assistant',
    content: [
      { type: 'thinking', text: 'I read the parser first.', signature: 'sig 0', note: true },
      { type: 'tool_call', id: 'a', name: 'Read', input: {} },
    ],
    provider: 'anthropic',
    model: 'claude-sonnet-5-5',
    stopReason: 'tool_calls',
    timestamp: '2026-01-01T00:00:00Z',
  };
  await play(provider, hello({ model: 'claude-sonnet-5-5', messages: [turn] }));
  expect(server.requests[0]?.body.messages).toMatchObject([
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'I read the parser first.', signature: 'sig 0' },
        { type: 'tool_use' },
      ],
    },
  ]);
});

test('the beta is added to those that the user configured', async () => {
  const { server, provider } = await open(null, { 'Anthropic-Beta': 'context-1m-2025-08-07' });
  await play(provider, hello({ model: 'claude-sonnet-5-5' }));
  expect(server.requests[0]?.headers['anthropic-beta']).toBe(`context-1m-2025-08-07,${BETA}`);
});

describe('a server without this display', () => {
  test.each([
    "thinking.adaptive.display: Input should be 'summarized' or 'omitted'",
    `Unexpected value(s) \`${BETA}\` for the \`anthropic-beta\` header.`,
    'invalid beta flag',
    'anthropic_beta: Extra inputs are not permitted',
  ])('%s: summaries are requested instead, and from then on', async (message) => {
    const { server, provider } = await open({ message });
    const { events, error } = await play(provider, hello({ model: 'claude-sonnet-5-5' }));
    expect([events[0], error]).toEqual([{ type: 'thinking', text: 'I read the parser first.' }, undefined]);
    await play(provider, hello({ model: 'claude-sonnet-5-5' }));
    expect(server.requests.map(({ body, headers }) => [body.thinking, headers['anthropic-beta']])).toEqual([
      [{ type: 'adaptive', display: 'updates' }, BETA],
      [{ type: 'adaptive', display: 'summarized' }, undefined],
      [{ type: 'adaptive', display: 'summarized' }, undefined],
    ]);
  });

  test('another error is reported', async () => {
    const { server, provider } = await open({ message: 'tools.0: bad schema' });
    const { error } = await play(provider, hello({ model: 'claude-sonnet-5-5' }));
    expect(error).toMatchObject({ message: 'tools.0: bad schema' });
    expect(server.requests).toHaveLength(1);
  });
});
