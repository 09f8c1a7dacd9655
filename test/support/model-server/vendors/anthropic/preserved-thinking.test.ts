import { describe, expect, onTestFinished, test } from 'vitest';
import { type Json, records } from '../../protocol.ts';
import { says, thinks, thinksSecretly } from '../../script.ts';
import { startModelServer } from '../../server.ts';
import {
  type Body,
  converse,
  DROP,
  edit,
  errorOf,
  FIRST,
  HEADERS,
  opening,
  post,
  WITH_BETA,
} from './conversation.ts';
import { BOUND_ELSEWHERE } from './preserved-thinking.ts';

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
