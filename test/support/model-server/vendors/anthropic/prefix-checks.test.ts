import { describe, expect, onTestFinished, test } from 'vitest';
import { type Json, record, records } from '../../protocol.ts';
import { calls, type Step, says, thinks, thinksSecretly } from '../../script.ts';
import { type ModelServer, type ModelServerOptions, startModelServer } from '../../server.ts';
import { BOUND_ELSEWHERE, CONTROLS_BETA } from './preserved-thinking.ts';

const NEEDS_BETA = ` That setting requires the \`${CONTROLS_BETA}\` value in the \`anthropic-beta\` header.`;
const HEADERS = { 'x-api-key': 'sk', 'anthropic-version': '2026-10-21' };
const WITH_BETA = { 'anthropic-beta': CONTROLS_BETA };
const DROP = { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } };

const tool = (name: string, more: Json = {}) => ({
  name,
  description: name,
  input_schema: { type: 'object', properties: { path: { type: 'string' } } },
  ...more,
});
const image = (data: string) => ({
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data },
});
const signed = (url: string) => ({ type: 'image', source: { type: 'url', url } });

const opening = {
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

async function post(server: ModelServer, body: Json, headers: Record<string, string> = {}) {
  const response = await fetch(`${server.url}/v1/messages`, {
    method: 'POST',
    headers: { ...HEADERS, ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, reply: (await response.json()) as Json };
}

const errorOf = ({ reply }: { reply: Json }) => String(record(reply.error).message);

/** A conversation of three signed replies, ready for the next request. */
async function converse(options: ModelServerOptions & { model?: string; script?: Step[] } = {}) {
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

type Body = typeof opening;
/** The conversation with one message changed. */
const edit = (index: number, change: (content: Json[]) => Json[]) => (body: Body) => ({
  ...body,
  messages: body.messages.map((message, i) =>
    i === index ? { ...message, content: change(records(message.content)) } : message,
  ),
});
const withoutThinking =
  (...indexes: number[]) =>
  (body: Body) => ({
    ...body,
    messages: body.messages.map((message, i) =>
      indexes.includes(i)
        ? { ...message, content: records(message.content).filter(({ type }) => type !== 'thinking') }
        : message,
    ),
  });
const same = (body: Body) => body;
/** Messages: 0 user, 1 read, 2 result, 3 text, 4 user, 5 text, 6 user. */
const FIRST = 'messages.1.content.0';

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

describe('who is checked', () => {
  const OLD = { id: 'org_old', createdAt: '2026-08-30T23:59:59Z' };
  const broken = (body: Body) => ({ ...body, system: [{ type: 'text', text: 'Other.' }] });

  test.each([
    ['claude-fable-5-2', undefined, 400],
    ['claude-fable-5-2', OLD, 400],
    ['claude-mythos-5-1', OLD, 400],
    ['claude-fable-5-1', undefined, 400],
    ['claude-fable-5-1', OLD, 200],
    ['claude-opus-5-5', undefined, 400],
    ['claude-opus-5-5', OLD, 200],
    ['claude-sonnet-5-5', OLD, 200],
    ['claude-haiku-5-5', undefined, 400],
    ['claude-opus-5', undefined, 200],
    ['claude-sonnet-5', undefined, 200],
  ])('%s, account %o: %i', async (model, account, status) => {
    const { server, body } = await converse({ model, ...(account ? { account } : {}) });
    expect((await post(server, broken(body))).status).toBe(status);
  });

  test('an old account is told what would fail, and fails when it asks to', async () => {
    const { server, body } = await converse({ account: OLD });
    const allowed = await post(server, broken(body), WITH_BETA);
    expect(allowed.reply.input_transformations).toEqual(
      [1, 3, 5].map((i) => ({
        type: 'thinking_mismatch_allowed',
        path: `messages.${i}.content.0`,
        reason: 'prefix_binding_mismatch',
      })),
    );
    const thinking = { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'error' } };
    const asked = await post(server, { ...broken(body), thinking }, WITH_BETA);
    expect(errorOf(asked)).toBe(
      `${FIRST}: ${BOUND_ELSEWHERE} The system prompt changed since the block was created.`,
    );
  });

  test('counting tokens is checked as well', async () => {
    const { server, body } = await converse();
    const { max_tokens: _limit, ...counted } = broken(body);
    const response = await fetch(`${server.url}/v1/messages/count_tokens`, {
      method: 'POST',
      headers: HEADERS,
      body: JSON.stringify(counted),
    });
    expect([response.status, errorOf({ reply: (await response.json()) as Json })]).toEqual([
      400,
      expect.stringContaining(`${FIRST}: ${BOUND_ELSEWHERE}`),
    ]);
  });

  test('another server knows the blocks by their signatures', async () => {
    const { body } = await converse();
    const other = await startModelServer([says('fine')]);
    onTestFinished(() => other.close());
    expect(errorOf(await post(other, broken(body)))).toContain(`${FIRST}: ${BOUND_ELSEWHERE}`);
    expect((await post(other, body)).status).toBe(200);
  });

  test('drop_block without its header is an unknown field', async () => {
    const { server, body } = await converse();
    expect(errorOf(await post(server, { ...body, thinking: DROP }))).toBe(
      'thinking.adaptive.block_binding: Extra inputs are not permitted',
    );
  });

  test.each([
    ['a damaged signature', { signature: 'AAAA' }, 'Invalid `signature` in `thinking` block'],
    ['another text in an earlier message', { thinking: 'x' }, 'Invalid `signature` in `thinking` block'],
  ])('%s is invalid whatever the settings', async (_title, change, text) => {
    const { server, body } = await converse();
    const damaged = edit(1, ([thought, ...rest]) => [{ ...thought, ...change }, ...rest])(body);
    expect(errorOf(await post(server, { ...damaged, thinking: DROP }, WITH_BETA))).toBe(`${FIRST}: ${text}`);
  });

  test('another text in the latest message has an error of its own', async () => {
    const { server, body } = await converse();
    const damaged = edit(5, ([thought, ...rest]) => [{ ...thought, thinking: 'x' }, ...rest])(body);
    expect(errorOf(await post(server, damaged))).toMatch(
      /^messages\.5\.content\.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified/,
    );
  });

  test('hidden thinking has no text, and text put into it is ignored', async () => {
    const hidden = { ...opening, thinking: { type: 'adaptive' } };
    const server = await startModelServer([thinks('hm', says('one')), says('two')]);
    onTestFinished(() => server.close());
    const { reply } = await post(server, hidden);
    const [thought, text] = records(reply.content);
    expect(thought).toEqual({ type: 'thinking', thinking: '', signature: expect.any(String) });
    const messages = [
      ...opening.messages,
      { role: 'assistant', content: [{ ...thought, thinking: 'x' }, text] },
      { role: 'user', content: 'next' },
    ];
    expect((await post(server, { ...hidden, messages })).status).toBe(200);
  });

  test('sealed thinking is bound as well', async () => {
    const script = [thinksSecretly('a', says('one')), thinksSecretly('b', says('two'))];
    const { server, body } = await converse({ script });
    expect((await post(server, body)).status).toBe(200);
    expect(errorOf(await post(server, broken(body)))).toContain(`${FIRST}: ${BOUND_ELSEWHERE}`);
  });
});

describe('whose thinking a model reads', () => {
  test.each([
    ['claude-sonnet-5', 'claude-sonnet-5-5', true],
    ['claude-opus-4-8', 'claude-sonnet-5-5', true],
    ['claude-opus-5', 'claude-sonnet-5-5', false],
    ['claude-opus-5-5', 'claude-sonnet-5-5', false],
    ['claude-fable-5-1', 'claude-sonnet-5-5', false],
    ['claude-sonnet-5-5', 'claude-opus-5-5', true],
    ['claude-opus-5', 'claude-opus-5-5', true],
    ['claude-fable-5', 'claude-opus-5-5', false],
    ['claude-opus-5-5', 'claude-fable-5-1', true],
    ['claude-fable-5-2', 'claude-fable-5-1', false],
    ['claude-mythos-5-2', 'claude-fable-5-2', true],
    ['claude-sonnet-5-5', 'claude-haiku-5-5', false],
    ['claude-haiku-5-5', 'claude-sonnet-5-5', true],
  ])('blocks of %s for %s: %s', async (maker, reader, reads) => {
    const { server, body } = await converse({ model: maker });
    const { status, reply } = await post(server, { ...body, model: reader }, WITH_BETA);
    const dropped = [1, 3, 5].map((i) => ({
      type: 'thinking_dropped',
      path: `messages.${i}.content.0`,
      reason: 'model_binding_mismatch',
    }));
    expect([status, reply.input_transformations]).toEqual([200, reads ? [] : dropped]);
  });

  test('a switch to another model and back, which strips nothing, keeps the blocks valid', async () => {
    const { server, body } = await converse();
    const { reply } = await post(server, { ...body, model: 'claude-opus-5-5' });
    const messages = [
      ...body.messages,
      { role: 'assistant', content: reply.content },
      { role: 'user', content: 'back' },
    ];
    expect((await post(server, { ...body, messages })).status).toBe(200);
  });

  test('blocks of Sonnet 5.5 stay in their account', async () => {
    const { body } = await converse();
    const other = await startModelServer([says('fine')], {
      account: { id: 'org_other', createdAt: '2026-10-01T00:00:00Z' },
    });
    onTestFinished(() => other.close());
    const { reply } = await post(other, body, WITH_BETA);
    expect(records(reply.input_transformations).map(({ reason }) => reason)).toEqual(
      Array.from({ length: 3 }, () => 'organization_binding_mismatch'),
    );
  });
});

describe('compaction on demand', () => {
  const COMPACT = { 'anthropic-beta': 'compact-2026-09-04' };

  /** Compacts everything before message 4, and keeps what follows. */
  async function compact(change: (body: Body) => Json = same) {
    const { server, body } = await converse();
    const { messages, ...rest } = change(body) as Body;
    const { reply } = await post(
      server,
      { ...rest, messages: messages.slice(0, 4), compaction: { type: 'summarize' } },
      COMPACT,
    );
    const kept = messages.slice(4);
    return {
      server,
      body: { ...rest, messages: [{ role: 'assistant', content: reply.content }, ...kept] },
      reply,
    };
  }

  test('it returns one signed block, and its usage as an iteration', async () => {
    const { reply } = await compact();
    expect(reply).toMatchObject({
      content: [{ type: 'compaction', content: 'fine', signature: expect.any(String) }],
      stop_reason: 'compaction',
      usage: { input_tokens: 0, output_tokens: 0, iterations: [{ type: 'compaction' }] },
    });
  });

  test('the thinking of kept turns stays valid', async () => {
    const { server, body } = await compact();
    const answer = await post(server, body, COMPACT);
    expect([answer.status, answer.reply.error]).toEqual([200, undefined]);
  });

  test.each<[string, (body: Json) => Json, string]>([
    ['a changed system prompt', (body) => ({ ...body, system: 'other' }), BOUND_ELSEWHERE],
    [
      'a kept turn without its start',
      (body) => ({
        ...body,
        messages: [
          records(body.messages)[0],
          { role: 'user', content: 'x' },
          ...records(body.messages).slice(2),
        ],
      }),
      BOUND_ELSEWHERE,
    ],
    [
      'what was summarized left before it',
      (body) => ({ ...body, messages: [{ role: 'user', content: 'one' }, ...records(body.messages)] }),
      'compaction_block_misplaced',
    ],
  ])('%s is rejected', async (_title, change, text) => {
    const { server, body } = await compact();
    const answer = await post(server, change(body), COMPACT);
    expect([answer.status, errorOf(answer)]).toEqual([400, expect.stringContaining(text)]);
  });

  test('without its header it is an unknown field', async () => {
    const { server, body } = await converse();
    expect(errorOf(await post(server, { ...body, compaction: { type: 'summarize' } }))).toBe(
      'compaction: Extra inputs are not permitted',
    );
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
