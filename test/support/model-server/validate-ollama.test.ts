import { describe, test } from 'vitest';
import { changed, expectFirst, type Table, user } from './refusal-table.ts';
import { ollamaFaults } from './validate-ollama.ts';

describe('Ollama', () => {
  const good = { model: 'qwen3:8b', messages: [user] };
  const able = { capabilities: ['completion', 'tools', 'thinking'] };
  const call = (args: unknown) => ({
    role: 'assistant',
    content: '',
    tool_calls: [{ function: { name: 'Read', arguments: args } }],
  });
  const tools = [{ type: 'function', function: { name: 'Read' } }];

  test.each<Table[number]>([
    ['a plain request passes', { tools, think: true, options: { num_ctx: 4096 } }, null],
    ['arguments as a text', { messages: [user, call('{}')] }, /cannot unmarshal string .*arguments/],
    ['arguments as an object pass', { messages: [user, call({})] }, null],
    [
      'content in parts',
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] },
      /cannot unmarshal array .*content of type string/,
    ],
    ['a foreign role', { messages: [{ role: 'developer', content: 'x' }] }, /invalid role: developer/],
    [
      'an image as a URL',
      { messages: [{ ...user, images: ['data:image/png;base64,AA=='] }] },
      /illegal base64/,
    ],
    ['no model', { model: undefined }, /model is required/],
  ])('%s', (_sentence, change, refusal) => {
    expectFirst(ollamaFaults(changed(good, change), able), refusal);
  });

  test('a model without the capability refuses tools and thinking', () => {
    const unable = { capabilities: ['completion'] };
    expectFirst(ollamaFaults({ ...good, tools }, unable), /does not support tools/);
    expectFirst(ollamaFaults({ ...good, think: 'high' }, unable), /does not support thinking/);
  });
});
