import { expect, onTestFinished } from 'vitest';
import { type Json, record, records } from '../../protocol.ts';
import { calls, type Step, says, thinks } from '../../script.ts';
import { type ModelServer, type ModelServerOptions, startModelServer } from '../../server.ts';
import { CONTROLS_BETA } from './preserved-thinking.ts';

export const NEEDS_BETA = ` That setting requires the \`${CONTROLS_BETA}\` value in the \`anthropic-beta\` header.`;
export const HEADERS = { 'x-api-key': 'sk', 'anthropic-version': '2026-10-21' };
export const WITH_BETA = { 'anthropic-beta': CONTROLS_BETA };
export const DROP = { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } };

export const tool = (name: string, more: Json = {}) => ({
  name,
  description: name,
  input_schema: { type: 'object', properties: { path: { type: 'string' } } },
  ...more,
});
export const image = (data: string) => ({
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data },
});
export const signed = (url: string) => ({ type: 'image', source: { type: 'url', url } });

export const opening = {
  model: 'claude-sonnet-5-5',
  max_tokens: 1000,
  system: [{ type: 'text', text: 'You help.' }],
  tools: [tool('read'), tool('later', { defer_loading: true })],
  thinking: { type: 'adaptive', display: 'summarized' },
  messages: [
    {
      role: 'user',
      content: [{ type: 'text', text: 'one' }, image('AAAA'), signed('https://files.test/a?token=1')],
    },
  ] as Json[],
};

const SCRIPT: Step[] = [
  thinks('first', calls(['read', { path: 'a', all: true }])),
  thinks('second', says('read it')),
  thinks('third', says('and again')),
];

export async function post(server: ModelServer, body: Json, headers: Record<string, string> = {}) {
  const response = await fetch(`${server.url}/v1/messages`, {
    method: 'POST',
    headers: { ...HEADERS, ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, reply: (await response.json()) as Json };
}

export const errorOf = ({ reply }: { reply: Json }) => String(record(reply.error).message);

/** A conversation of three signed replies, ready for the next request. */
export async function converse(options: ModelServerOptions & { model?: string; script?: Step[] } = {}) {
  const { model = opening.model, script = SCRIPT, ...rest } = options;
  const more = [says('fine'), says('fine'), says('fine')];
  const server = await startModelServer([...script, ...more], { degrades: 'it is about drops', ...rest });
  onTestFinished(() => server.close());
  let body: typeof opening = { ...opening, model };
  for (let turn = 0; turn < script.length; turn++) {
    const { status, reply } = await post(server, body);
    expect([status, reply.error]).toEqual([200, undefined]);
    const uses = records(reply.content).filter(({ type }) => type === 'tool_use');
    const results = uses.map(({ id }) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: [{ type: 'text', text: 'alpha' }],
    }));
    const text = [{ type: 'text', text: `next ${turn}`, cache_control: { type: 'ephemeral' } }];
    const next = results.length > 0 ? results : text;
    body = {
      ...body,
      messages: [
        ...body.messages,
        { role: 'assistant', content: reply.content },
        { role: 'user', content: next },
      ],
    };
  }
  return { server, body };
}

export type Body = typeof opening;
/** The conversation with one message changed. */
export const edit = (index: number, change: (content: Json[]) => Json[]) => (body: Body) => ({
  ...body,
  messages: body.messages.map((message, i) =>
    i === index ? { ...message, content: change(records(message.content)) } : message,
  ),
});
export const withoutThinking =
  (...indexes: number[]) =>
  (body: Body) => ({
    ...body,
    messages: body.messages.map((message, i) =>
      indexes.includes(i)
        ? { ...message, content: records(message.content).filter(({ type }) => type !== 'thinking') }
        : message,
    ),
  });
export const same = (body: Body) => body;
/** Messages: 0 user, 1 read, 2 result, 3 text, 4 user, 5 text, 6 user. */
export const FIRST = 'messages.1.content.0';
