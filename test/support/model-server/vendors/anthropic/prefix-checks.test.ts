import { describe, expect, onTestFinished, test } from 'vitest';
import { type Json, records } from '../../protocol.ts';
import { says, thinks } from '../../script.ts';
import { startModelServer } from '../../server.ts';
import {
  type Body,
  converse,
  DROP,
  edit,
  errorOf,
  FIRST,
  image,
  NEEDS_BETA,
  opening,
  post,
  same,
  signed,
  tool,
  WITH_BETA,
  withoutThinking,
} from './conversation.ts';
import { BOUND_ELSEWHERE } from './preserved-thinking.ts';

type Change = [change: string, (body: Body) => Json, invalid: string | null, named?: string];

const CHANGES: Change[] = [
  ['nothing', same, null],
  ['messages appended', (body) => ({ ...body, messages: [...body.messages, opening.messages[0]] }), null],
  ['cache marks moved', edit(4, ([text]) => [{ type: 'text', text: text?.text }]), null],
  [
    'cache marks added to system and tools',
    (body) => ({
      ...body,
      system: [{ ...body.system[0], cache_control: { type: 'ephemeral' } }],
      tools: body.tools.map((known, i) =>
        i === 0 ? { ...known, cache_control: { type: 'ephemeral' } } : known,
      ),
    }),
    null,
  ],
  [
    'limits, effort, tool choice, metadata and display',
    (body) => ({
      ...body,
      max_tokens: 500,
      output_config: { effort: 'low' },
      tool_choice: { type: 'none' },
      metadata: { user_id: 'u' },
      thinking: { type: 'adaptive', display: 'omitted' },
    }),
    null,
  ],
  [
    'a deferred tool that nothing references',
    (body) => ({ ...body, tools: [...body.tools, tool('other', { defer_loading: true })] }),
    null,
  ],
  ['the oldest thinking removed', withoutThinking(1), null],
  ['the oldest two removed', withoutThinking(1, 3), null],
  ['the newest removed', withoutThinking(5), null],
  ['all thinking removed', withoutThinking(1, 3, 5), null],
  [
    'other key order',
    edit(1, (blocks) => blocks.map((block) => Object.fromEntries(Object.entries(block).reverse()))),
    null,
  ],
  [
    'a text as a string',
    (body) => ({
      ...body,
      messages: body.messages.map((message, i) => (i === 4 ? { role: 'user', content: 'next 1' } : message)),
    }),
    null,
  ],
  [
    'a URL signed anew',
    edit(0, ([text, file]) => [text ?? {}, file ?? {}, signed('https://files.test/a?token=2')]),
    null,
  ],
  [
    'a URL of another file',
    edit(0, ([text, file]) => [text ?? {}, file ?? {}, signed('https://files.test/b')]),
    FIRST,
    'messages.0',
  ],
  [
    'an earlier message edited',
    edit(4, () => [{ type: 'text', text: 'other' }]),
    'messages.5.content.0',
    'messages.4',
  ],
  ['two messages exchanged', edit(0, ([a, b, c]) => [b ?? {}, a ?? {}, c ?? {}]), FIRST, 'messages.0'],
  [
    'a message deleted',
    (body) => ({ ...body, messages: body.messages.filter((_, i) => i !== 3 && i !== 4) }),
    'messages.3.content.0',
  ],
  [
    'an old result shortened',
    edit(2, ([result]) => [{ ...result, content: [{ type: 'text', text: 'alp' }] }]),
    'messages.3.content.0',
    'messages.2',
  ],
  [
    'an old image encoded anew',
    edit(0, ([text, , url]) => [text ?? {}, image('AAAB'), url ?? {}]),
    FIRST,
    'messages.0',
  ],
  [
    'an old input changed',
    edit(1, (blocks) =>
      blocks.map((block) => (block.type === 'tool_use' ? { ...block, input: { path: 'b' } } : block)),
    ),
    'messages.3.content.0',
    'messages.1',
  ],
  [
    'a text added to an earlier turn',
    edit(4, (blocks) => [...blocks, { type: 'text', text: 'more' }]),
    'messages.5.content.0',
    'messages.4',
  ],
  ['a text removed from an earlier turn', edit(0, (blocks) => blocks.slice(1)), FIRST, 'messages.0'],
  [
    'other system text',
    (body) => ({ ...body, system: [{ type: 'text', text: 'It is Friday.' }] }),
    FIRST,
    'The system prompt',
  ],
  [
    'more system text',
    (body) => ({ ...body, system: [...body.system, { type: 'text', text: 'Summary' }] }),
    FIRST,
    'The system prompt',
  ],
  ['a tool added', (body) => ({ ...body, tools: [...body.tools, tool('new')] }), FIRST, 'The tools'],
  [
    'a tool removed',
    (body) => ({ ...body, tools: body.tools.slice(1).concat(tool('other')) }),
    FIRST,
    'The tools',
  ],
  [
    'a tool renamed',
    (body) => ({ ...body, tools: [tool('Read'), ...body.tools.slice(1)] }),
    FIRST,
    'The tools',
  ],
  [
    'a tool described anew',
    (body) => ({ ...body, tools: [tool('read', { description: 'x' }), ...body.tools.slice(1)] }),
    FIRST,
    'The tools',
  ],
  [
    'thinking removed from the middle',
    withoutThinking(3),
    'messages.5.content.0',
    'The thinking blocks before it',
  ],
];

describe('thinking is bound to what came before it', () => {
  test.each(CHANGES)('%s', async (_change, change, invalid, named) => {
    const { server, body } = await converse();
    const answer = await post(server, change(body));
    if (invalid === null) {
      expect([answer.status, answer.reply.error]).toEqual([200, undefined]);
      return;
    }
    expect(answer.status).toBe(400);
    const rest = named === undefined ? expect.anything() : `${named} changed since the block was created.`;
    const start = `${invalid}: ${BOUND_ELSEWHERE}${NEEDS_BETA} `;
    expect(errorOf(answer).slice(0, start.length)).toBe(start);
    expect(errorOf(answer).slice(start.length)).toEqual(rest);

    const dropped = await post(server, { ...change(body), thinking: DROP }, WITH_BETA);
    expect(dropped.status).toBe(200);
    const [first, ...later] = records(dropped.reply.input_transformations);
    expect(first).toEqual({ type: 'thinking_dropped', path: invalid, reason: 'prefix_binding_mismatch' });
    for (const { reason } of later) expect(reason).toBe('prefix_binding_mismatch');
    expect(server.degradations.length).toBe(1 + later.length);
  });
});

describe('parts of the prefix that may appear later', () => {
  test('a deferred tool counts from its first reference on', async () => {
    const headers = { 'anthropic-beta': 'mid-conversation-tool-changes-2026-07-01' };
    const { server, body } = await converse();
    const added = {
      ...body,
      messages: [
        ...body.messages,
        {
          role: 'system',
          content: [{ type: 'tool_addition', tool: { type: 'tool_reference', name: 'later' } }],
        },
      ],
    };
    expect((await post(server, added, headers)).status).toBe(200);
  });

  test.each([
    ['left in place', (messages: Json[]) => messages, 200],
    ['deleted', (messages: Json[]) => messages.filter(({ role }) => role !== 'system'), 400],
  ])('a turn-scoped system message that is %s', async (_title, change, status) => {
    const headers = { 'anthropic-beta': 'mid-conversation-system-clear-at-2026-08-21' };
    const server = await startModelServer([thinks('hm', says('one')), says('two')]);
    onTestFinished(() => server.close());
    const note = { role: 'system', content: 'Read only.', clear_at: 'next_user_message' };
    const messages = [...opening.messages, note];
    const { reply } = await post(server, { ...opening, messages }, headers);
    const next = [
      ...messages,
      { role: 'assistant', content: reply.content },
      { role: 'user', content: 'next' },
    ];
    expect((await post(server, { ...opening, messages: change(next) }, headers)).status).toBe(status);
  });
});
