import { expect, test } from 'vitest';
import { findDialect, type Probe } from './dialect.ts';
import { toDialogue } from './dialogue.ts';
import type { Dialogue, TemplateMessage } from './protocol.ts';

/** A template in the style of Qwen's, which may reject some conversations. */
function probeOf(rejects: (messages: readonly TemplateMessage[]) => boolean): Probe {
  return {
    template: 'yes',
    async render({ messages, tools }: Dialogue) {
      if (rejects(messages)) throw new Error('Conversation roles must alternate');
      const written = messages.map(({ role, content, ...rest }) => {
        const calls = 'tool_calls' in rest ? (rest.tool_calls ?? []) : [];
        const json = calls.map((call) => `<tool_call>\n${JSON.stringify(call.function)}\n</tool_call>`);
        return `<${role}>${content}${json.join('')}</${role}>`;
      });
      return `${tools.map((tool) => tool.function.name).join()}${written.join('')}`;
    },
    respell: async (text) => ({ hidden: text, shown: text }),
    async callsIn(text) {
      const found = /<tool_call>\n([\s\S]*?)\n<\/tool_call>/.exec(text)?.[1];
      if (found === undefined) return [];
      const { name, arguments: input } = JSON.parse(found) as { name: string; arguments: unknown };
      return [{ name, json: JSON.stringify(input) }];
    },
  };
}

const user = (text: string) => ({
  role: 'user' as const,
  content: [{ type: 'text' as const, text }],
  timestamp: '',
});
const call = { type: 'tool_call' as const, id: 'c', name: 'look', input: {} };
const steered = {
  system: '',
  tools: [],
  messages: [
    user('go'),
    {
      role: 'assistant' as const,
      content: [call],
      provider: '',
      model: '',
      stopReason: 'tool_calls' as const,
      timestamp: '',
    },
    { role: 'tool' as const, callId: 'c', name: 'look', success: true, content: [], timestamp: '' },
    user('use tabs'),
  ],
};
const isAfterTool = (messages: readonly TemplateMessage[]) =>
  messages.some(({ role }, i) => role === 'user' && messages[i - 1]?.role === 'tool');

test('a template that rejects a prompt after tool results gets a reply between them', async () => {
  const strict = probeOf(isAfterTool);
  const { accepts } = await findDialect(strict);
  expect(accepts).toEqual({ system: true, tools: true, assistantAfterTool: true });
  const dialogue = toDialogue(steered, accepts);
  expect(dialogue.messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'assistant',
    'user',
  ]);
  await expect(strict.render(dialogue)).resolves.toContain('use tabs');
});

test('any other template gets the messages as they are', async () => {
  const { accepts } = await findDialect(probeOf(() => false));
  expect(accepts).toEqual({ system: true, tools: true });
  expect(toDialogue(steered, accepts).messages.map(({ role }) => role)).toEqual([
    ...['user', 'assistant', 'tool', 'user'],
  ]);
});
