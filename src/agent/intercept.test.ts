import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { AgentEvent } from '../contract/event.ts';
import type { ToolCallPart, ToolMessage } from '../contract/message.ts';
import { defineTool, ok, type ToolContext } from '../contract/tool.ts';
import type { RouterDeps } from './router-deps.ts';
import { runTools } from './tool-router.ts';

const ran: unknown[] = [];
const look = defineTool({
  name: 'Look',
  description: '',
  input: () => z.object({ target: z.string() }),
  title: ({ target }) => `Look ${target}`,
  access: ({ target }) => [{ kind: 'read', target }],
  async run({ target }) {
    ran.push(target);
    return ok(`saw ${target}`);
  },
});

async function play(changes: Partial<RouterDeps>, signal = new AbortController().signal) {
  ran.length = 0;
  const judged: unknown[] = [];
  const deps: RouterDeps = {
    find: (name) => (name === 'Look' || name === 'Door' ? look : undefined),
    toolNames: () => ['Look'],
    decide: async ({ accesses, input, operation }) => {
      judged.push({ accesses, input, operation });
      return { verdict: 'allow', by: 'test', because: '' };
    },
    isReadOnly: () => false,
    answerTo: () => undefined,
    keepOutput: async () => null,
    log: { started: async () => undefined, answered: async () => undefined },
    // The tool of these tests needs no capabilities.
    context: () => ({}) as ToolContext,
    ...changes,
  };
  const calls: ToolCallPart[] = [{ type: 'tool_call', id: '1', name: 'Door', input: { target: 'a' } }];
  const events: AgentEvent[] = [];
  for await (const event of runTools(calls, deps, signal)) events.push(event);
  const answers = events.flatMap((event) => (event.type === 'message' ? [event.message as ToolMessage] : []));
  const texts = answers.map(({ content }) => content.map((part) => (part.type === 'text' ? part.text : '')));
  return { events, judged, answers, texts };
}

describe('[G02] before a call', () => {
  test('a changed input is parsed, judged, shown and run instead of the original; the answer keeps the original name', async () => {
    const { judged, events, answers } = await play({
      resolveCall: (call) => (call.name === 'Door' ? { name: 'Look', input: call.input } : undefined),
      before: async ({ id, name, input }) => {
        expect({ id, name, input }).toEqual({ id: '1', name: 'Look', input: { target: 'a' } });
        return { type: 'go', input: { target: 'b' } };
      },
    });
    expect(judged).toEqual([
      { operation: 'Look b', accesses: [{ kind: 'read', target: 'b' }], input: { target: 'b' } },
    ]);
    expect(events).toContainEqual({
      type: 'tool_start',
      call: { id: '1', name: 'Look', input: { target: 'b' } },
      title: 'Look b',
    });
    expect(ran).toEqual(['b']);
    expect(answers.map(({ name, callId, success }) => [name, callId, success])).toEqual([
      ['Door', '1', true],
    ]);
  });

  test('an input that does not match the schema is answered with an error and not judged', async () => {
    const { judged, answers } = await play({ before: async () => ({ type: 'go', input: { target: 7 } }) });
    expect({ judged, ran, success: answers[0]?.success }).toEqual({ judged: [], ran: [], success: false });
  });

  test('a refusal is reported as a verdict and to the model, and nothing runs', async () => {
    const { events, texts, judged } = await play({
      before: async () => ({ type: 'block', by: 'hook', because: 'not now' }),
      after: () => Promise.reject(new Error('never')),
    });
    expect({ judged, ran }).toEqual({ judged: [], ran: [] });
    expect(texts).toEqual([['It did not run: not now']]);
    expect(events[0]).toEqual({
      type: 'judged',
      callId: '1',
      tool: 'Look',
      verdict: 'deny',
      by: 'hook',
      because: 'not now',
      accesses: [{ kind: 'read', target: 'a' }],
      title: 'Look a',
    });
  });

  test('an interrupt does not wait for the hook', async () => {
    const stop = new AbortController();
    const { texts } = await play(
      {
        before: () => {
          stop.abort();
          return new Promise(() => undefined);
        },
      },
      stop.signal,
    );
    expect(texts).toEqual([['Interrupted by the user before it ran.']]);
    expect(ran).toEqual([]);
  });
});

describe('[G02] after a call', () => {
  test('texts are appended to the answer, and the final message is saved', async () => {
    const kept: ToolMessage[] = [];
    const { texts } = await play({
      after: async ({ input }, result) => [`${JSON.stringify(input)} ${result.success}`],
      transformMessage: async (message) => ({
        ...message,
        content: [...message.content, { type: 'text', text: '!' }],
      }),
      log: { started: async () => undefined, answered: async (message) => void kept.push(message) },
    });
    expect(texts).toEqual([['saw a', '\n\n{"target":"a"} true', '!']]);
    expect(kept.map(({ content }) => content.length)).toEqual([3]);
  });
});
