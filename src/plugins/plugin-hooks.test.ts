import { describe, expect, test } from 'vitest';
import type { AssistantMessage, UserMessage } from '../contract/message.ts';
import type { PluginHooks } from './plugin.ts';
import { createPluginHooks } from './plugin-hooks.ts';

const call = { id: '1', name: 'Read', input: { file_path: 'a' } };
const user: UserMessage = { role: 'user', content: [{ type: 'text', text: 'hi' }], timestamp: 't' };

function bench(...all: PluginHooks[]) {
  const notices: string[] = [];
  const plugins = all.map((hooks, i) => ({ name: `p${i + 1}`, hooks }));
  return {
    hooks: createPluginHooks(plugins, { notice: (text) => notices.push(text), timeoutMs: 50 }),
    notices,
  };
}

describe('[G02] [Y33] before a call', () => {
  test('each plugin gets what the previous ones left, and changes only a copy', async () => {
    const { hooks } = bench(
      { onBeforeToolCall: (asked) => ({ ...asked, input: { n: 1 } }) },
      {
        onBeforeToolCall(asked) {
          (asked.input as { n: number }).n = 5;
        },
      },
      { onBeforeToolCall: (asked) => ({ ...asked, input: { seen: asked.input } }) },
    );
    expect(await hooks.beforeCall(call)).toEqual({ type: 'go', input: { seen: { n: 1 } } });
    expect(call.input).toEqual({ file_path: 'a' });
  });

  test.each([
    [null, 'blocked by the plugin p1'],
    [{ block: 'not today' }, 'blocked by the plugin p1: not today'],
  ])('%j blocks, and no other plugin is called', async (answer, because) => {
    const { hooks } = bench(
      { onBeforeToolCall: () => answer },
      { onBeforeToolCall: () => Promise.reject(new Error('asked')) },
    );
    expect(await hooks.beforeCall(call)).toEqual({ type: 'block', by: 'plugin p1', because });
  });
});

describe('a plugin that misbehaves', () => {
  test('throwing is reported once and ignored', async () => {
    const { hooks, notices } = bench({
      onBeforeToolCall() {
        throw new Error('oh');
      },
    });
    for (let i = 0; i < 3; i++)
      expect(await hooks.beforeCall(call)).toEqual({ type: 'go', input: call.input });
    expect(notices).toEqual(['The plugin p1: onBeforeToolCall failed: oh.']);
  });

  test('a hanging hook is not awaited beyond its time limit, and not called again', async () => {
    let asked = 0;
    const { hooks, notices } = bench({
      onMessage() {
        asked += 1;
        return new Promise(() => undefined);
      },
    });
    expect(await hooks.message(user)).toEqual(user);
    expect(await hooks.message(user)).toEqual(user);
    expect(asked).toBe(1);
    expect(notices).toEqual(['The plugin p1: onMessage did not answer within 0.05s and is now disabled.']);
  });
});

describe('a message', () => {
  const reply: AssistantMessage = {
    role: 'assistant',
    content: [
      { type: 'thinking', text: 'hm', signature: 's' },
      { type: 'text', text: 'Hello' },
      { type: 'tool_call', id: '1', name: 'Read', input: {} },
    ],
    provider: 'p',
    model: 'm',
    stopReason: 'end',
    timestamp: 't',
  };

  test('gets new text; thinking and calls stay as the vendor signed them', async () => {
    const { hooks } = bench({
      onMessage: (message) =>
        ({ ...message, content: [{ type: 'text', text: 'Bye' }], model: 'other' }) as typeof message,
    });
    const [thought, , asked] = reply.content;
    expect(await hooks.message(reply)).toEqual({
      ...reply,
      content: [thought, { type: 'text', text: 'Bye' }, asked],
    });
  });

  test.each([
    ['of another role', { ...user, role: 'assistant' }],
    ['that is none', { role: 'user', content: 'text' }],
    ['that is a number', 7],
  ])('an answer %s is reported, and the message is unchanged', async (_, answer) => {
    const { hooks, notices } = bench({ onMessage: () => answer as UserMessage });
    expect(await hooks.message(user)).toEqual(user);
    expect(notices).toEqual([
      'The plugin p1: onMessage failed: it returned no message of that role, so nothing was changed.',
    ]);
  });
});
