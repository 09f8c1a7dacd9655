import { describe, test } from 'vitest';
import { seal, sign } from './pieces.ts';
import type { Json } from './protocol.ts';
import { changed, expectFirst, type Table, user } from './refusal-table.ts';
import { anthropicFaults, THOUGHT_BEFORE } from './validate-anthropic.ts';

describe('Anthropic', () => {
  const headers = { 'anthropic-version': '2023-06-01' };
  const good = { model: 'claude-sonnet-5', max_tokens: 100, messages: [user] };
  const use = (id: string, name = 'Read') => ({ type: 'tool_use', id, name, input: {} });
  const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'text' });
  const talk = (assistant: unknown[], next: unknown[]) => ({
    messages: [user, { role: 'assistant', content: assistant }, { role: 'user', content: next }],
  });
  const tool = (change: Json) => ({ tools: [{ name: 'Read', input_schema: { type: 'object' }, ...change }] });

  test.each<Table[number]>([
    ['a plain request passes', {}, null],
    [
      'answered calls pass',
      talk([use('a'), use('b')], [result('b'), result('a'), { type: 'text', text: 'and?' }]),
      null,
    ],
    [
      'neighbours of one role are one turn',
      {
        messages: [
          user,
          { role: 'assistant', content: [use('a')] },
          { role: 'user', content: [result('a')] },
          user,
        ],
      },
      null,
    ],
    ['no limit', { max_tokens: undefined }, /max_tokens: Field required/],
    [
      'an unanswered call',
      talk([use('a'), use('b')], [result('a')]),
      /without `tool_result` blocks immediately after: b/,
    ],
    [
      'a result after text',
      talk([use('a')], [{ type: 'text', text: 'x' }, result('a')]),
      /immediately after: a/,
    ],
    [
      'a call at the very end',
      { messages: [user, { role: 'assistant', content: [use('a')] }] },
      /end with a user message/,
    ],
    [
      'a result for no call',
      { messages: [{ role: 'user', content: [result('x')] }] },
      /unexpected `tool_use_id`.*x/,
    ],
    ['two results for one call', talk([use('a')], [result('a'), result('a')]), /single result/],
    ['an id from another vendor', talk([use('a:1')], [result('a:1')]), /tool_use\.id.*pattern/],
    [
      'one id twice',
      {
        messages: [
          ...talk([use('a')], [result('a')]).messages,
          ...talk([use('a')], [result('a')]).messages.slice(1),
        ],
      },
      /ids must be unique/,
    ],
    [
      'a colon in a tool name',
      tool({ name: 'server:tool' }),
      /tools\.0\.custom\.name: String should match pattern/,
    ],
    ['two tools of one name', { tools: [...tool({}).tools, ...tool({}).tools] }, /must be unique/],
    ['a schema without a type', tool({ input_schema: {} }), /input_schema\.type/],
    [
      'a union at the top',
      tool({ input_schema: { type: 'object', anyOf: [] } }),
      /does not support oneOf, allOf, or anyOf/,
    ],
    [
      'an invalid schema',
      tool({ input_schema: { type: 'object', properties: { a: { type: 'strnig' } } } }),
      /JSON schema is invalid/,
    ],
    [
      'an empty text',
      { messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }] },
      /must be non-empty/,
    ],
    ['a blank text', { messages: [{ role: 'user', content: ' \n' }] }, /non-whitespace/],
    ['an empty message', { messages: [{ role: 'user', content: [] }] }, /non-empty content/],
    ['a system role', { messages: [{ role: 'system', content: 'x' }, user] }, /Unexpected role "system"/],
    [
      'an assistant first',
      { messages: [{ role: 'assistant', content: 'x' }, user] },
      /first message must use the "user" role/,
    ],
    ['no messages', { messages: [] }, /at least one message/],
    ['an invented field', { reasoning: {} }, /reasoning: Extra inputs are not permitted/],
    [
      'too small a budget',
      { thinking: { type: 'enabled', budget_tokens: 10 } },
      /greater than or equal to 1024/,
    ],
    [
      'a budget over the limit',
      { thinking: { type: 'enabled', budget_tokens: 2000 } },
      /`max_tokens` must be greater/,
    ],
    [
      'a thought of its own',
      talk(
        [
          { type: 'thinking', thinking: 'a', signature: sign('a') },
          { type: 'redacted_thinking', data: seal('a') },
          use('a'),
        ],
        [result('a')],
      ),
      null,
    ],
    [
      'a changed thought',
      talk([{ type: 'thinking', thinking: 'b', signature: sign('a') }, use('a')], [result('a')]),
      /Invalid `signature`/,
    ],
    [
      'a thought without signature',
      talk([{ type: 'thinking', thinking: 'b' }, use('a')], [result('a')]),
      /signature: Field required/,
    ],
    [
      'a forged seal',
      talk([{ type: 'redacted_thinking', data: 'x' }, use('a')], [result('a')]),
      /Invalid `data`/,
    ],
    [
      'five cache marks',
      {
        system: Array.from({ length: 5 }, () => ({
          type: 'text',
          text: 'x',
          cache_control: { type: 'ephemeral' },
        })),
      },
      /maximum of 4 blocks.*Found 5/,
    ],
    [
      'a foreign image type',
      {
        messages: [
          {
            role: 'user',
            content: [{ type: 'image', source: { type: 'base64', media_type: 'image/bmp', data: '' } }],
          },
        ],
      },
      /media_type/,
    ],
  ])('%s', (_sentence, change, refusal) => {
    expectFirst(anthropicFaults(changed(good, change), { headers }), refusal);
  });

  test('a missing thought is reported while thinking is on', () => {
    const thinking = { type: 'adaptive' };
    const id = `${THOUGHT_BEFORE}1`;
    const thought = { type: 'thinking', thinking: 'a', signature: sign('a') };
    const lost = { ...good, ...talk([use(id)], [result(id)]) };
    const kept = { ...good, ...talk([thought, use(id)], [result(id)]) };
    expectFirst(
      anthropicFaults({ ...lost, thinking }, { headers }),
      /Expected `thinking`.*but found `tool_use`/,
    );
    expectFirst(anthropicFaults({ ...kept, thinking }, { headers }), null);
    expectFirst(anthropicFaults(lost, { headers }), null);
  });

  test('a request without a version', () => {
    expectFirst(anthropicFaults(good, { headers: {} }), /anthropic-version: header is required/);
  });
});
