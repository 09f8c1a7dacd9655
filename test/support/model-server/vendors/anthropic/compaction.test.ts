import { describe, expect, test } from 'vitest';
import { type Json, records } from '../../protocol.ts';
import { type Body, converse, errorOf, post, same } from './conversation.ts';
import { BOUND_ELSEWHERE } from './preserved-thinking.ts';

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
