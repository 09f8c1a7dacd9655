import { expect, test } from 'vitest';
import type { ChatEvent } from '../chat/connection.ts';
import { reduce } from '../chat/state/reduce.ts';
import { emptyView } from '../chat/state/view.ts';
import { JsonRpc } from './json-rpc.ts';
import { Questions } from './questions.ts';

const options = [
  { optionId: 'once', kind: 'allow_once' as const, name: 'Yes' },
  { optionId: 'no', kind: 'reject_once' as const, name: 'No' },
];
const toolCall = { toolCallId: 'c1', title: 'Edit a.txt' };

/** The page's end of a connection, and what it sent and showed. */
function connected() {
  const sent: unknown[] = [];
  const shown: ChatEvent[] = [];
  const questions = new Questions((event) => shown.push(event));
  const rpc = new JsonRpc((text) => sent.push(JSON.parse(text)), {
    onRequest: (_method, params, signal) => questions.approve(params as never, signal),
    onNotification: () => undefined,
  });
  const ask = (id: number) => {
    const _meta = { aca: { requestId: 'r1', digest: 'd1' } };
    rpc.take(
      JSON.stringify({ id, method: 'session/request_permission', params: { toolCall, options, _meta } }),
    );
  };
  return { sent, shown, questions, rpc, ask };
}

test('an answer repeats the id and the digest of what was asked', async () => {
  const { sent, shown, questions, ask } = connected();
  ask(7);
  expect(shown).toEqual([{ type: 'permission_asked', request: { requestId: 'r1', toolCall, options } }]);

  questions.answer('r1', 'once');

  await expect
    .poll(() => sent)
    .toEqual([
      {
        jsonrpc: '2.0',
        id: 7,
        result: {
          outcome: { outcome: 'selected', optionId: 'once' },
          _meta: { aca: { requestId: 'r1', digest: 'd1' } },
        },
      },
    ]);
  expect(() => questions.answer('r1', 'once')).toThrow('already answered');
});

test('after a lost connection, the answer goes to the question that was asked again', async () => {
  const before = connected();
  before.ask(7);
  before.rpc.end(new Error('lost'));
  await expect.poll(() => before.questions.asked).toEqual([]);
  before.ask(9);
  before.questions.answer('r1', null);

  await expect
    .poll(() => before.sent)
    .toMatchObject([{ id: 9, result: { outcome: { outcome: 'selected', optionId: 'no' } } }]);
});

test('a question that somebody else answered is withdrawn', async () => {
  const { sent, questions, rpc, ask } = connected();
  ask(7);
  rpc.take(JSON.stringify({ method: '$/cancel_request', params: { requestId: 7 } }));

  await expect.poll(() => sent).toMatchObject([{ id: 7, error: { code: -32_800 } }]);
  expect(questions.asked).toEqual([]);
});

test('a question in words that the session names is settled by its events, not here', async () => {
  const { shown, questions } = connected();
  const { signal } = new AbortController();
  const request = { mode: 'form', message: 'Which colour?', requestedSchema: {} };
  const named = questions.ask({ ...request, _meta: { aca: { requestId: 'e-1' } } } as never, signal);
  questions.answer('e-1', 'Blue');
  expect(await named).toEqual({ action: 'accept', content: { answer: 'Blue' } });
  const other = questions.ask(request as never, signal);
  questions.answer('question-1', null);
  expect(await other).toEqual({ action: 'decline' });

  expect(shown.map(({ type }) => type)).toEqual(['question_asked', 'question_asked', 'question_settled']);
});

test('a question with yes or no that was answered elsewhere is gone; asked again, it is the same one', async () => {
  const { shown, questions, rpc } = connected();
  const ask = (id: number) => {
    const _meta = { aca: { requestId: 'e-1', digest: 'd' } };
    const toolCall = { toolCallId: 'e-1', title: 'Trust this folder?' };
    const params = { toolCall, options, _meta };
    rpc.take(JSON.stringify({ id, method: 'session/request_permission', params }));
  };
  ask(1);
  rpc.end(new Error('lost'));
  await expect.poll(() => questions.asked).toEqual([]);
  ask(2);
  let view = reduce(emptyView, shown, 0);
  expect(view.asks).toMatchObject([{ requestId: 'e-1' }]);

  const question = 'Trust this folder?';
  view = reduce(
    view,
    [{ type: 'question_settled', requestId: 'e-1', question, answer: 'Yes', by: 'Bob' }],
    0,
  );
  expect(view.asks).toEqual([]);
  expect(view.items).toMatchObject([{ type: 'answer', question, answer: 'Yes', by: 'Bob' }]);
});
