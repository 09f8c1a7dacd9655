import { describe, test } from 'vitest';
import type { Json } from '../protocol.ts';
import { ollamaRules } from './ollama.ts';
import { ACCEPTED, changed, expectVerdict, sampleRequest, type Verdict } from './sample-request.ts';
import { SentReplies } from './sent-replies.ts';

const user = { role: 'user', content: 'hi' };

describe('Ollama', () => {
  const good = { model: 'qwen3:8b', messages: [user] };
  const call = (args: unknown) => ({
    role: 'assistant',
    content: '',
    tool_calls: [{ function: { name: 'Read', arguments: args } }],
  });
  const tools = [{ type: 'function', function: { name: 'Read' } }];

  test.each<[string, Json, Verdict]>([
    ['a plain request passes', { tools, think: true, options: { num_ctx: 4096 } }, ACCEPTED],
    ['arguments as a text', { messages: [user, call('{}')] }, /cannot unmarshal string .*arguments/],
    ['arguments as an object pass', { messages: [user, call({})] }, ACCEPTED],
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
    expectVerdict(ollamaRules, sampleRequest(changed(good, change), { protocol: 'ollama' }), refusal);
  });

  test('a model without the capability refuses tools and thinking', () => {
    const unable = { capabilities: ['completion'] };
    const request = (body: Json) => sampleRequest(body, { protocol: 'ollama', settled: unable });
    expectVerdict(ollamaRules, request({ ...good, tools }), /does not support tools/);
    expectVerdict(ollamaRules, request({ ...good, think: 'high' }), /does not support thinking/);
  });

  test.each<[string, Json, Verdict]>([
    ['with its thinking', { thinking: 'hm' }, ACCEPTED],
    ['without its thinking', {}, { degraded: /came back without its reasoning/ }],
  ])('a call %s', (_title, more, verdict) => {
    const sent = new SentReplies();
    sent.add({
      protocol: 'ollama',
      model: 'qwen3:8b',
      text: '',
      thinking: 'hm',
      calls: [{ name: 'Read', input: {} }],
    });
    const messages = [user, { ...call({}), ...more }, { role: 'tool', tool_name: 'Read', content: 'alpha' }];
    expectVerdict(ollamaRules, sampleRequest({ ...good, messages }, { protocol: 'ollama', sent }), verdict);
  });

  test('a prompt that is too long for num_ctx', () => {
    const long = {
      ...good,
      messages: [{ role: 'user', content: 'x'.repeat(50_000) }],
      options: { num_ctx: 4096 },
    };
    const judged = (body: Json) => sampleRequest(body, { protocol: 'ollama' });
    expectVerdict(ollamaRules, judged(long), { degraded: /tokens for a window of 4096/ });
    expectVerdict(ollamaRules, judged({ ...long, truncate: false }), /exceeds the context length/);
    expectVerdict(ollamaRules, judged({ ...long, truncate: false, options: { num_ctx: 32_768 } }), ACCEPTED);
  });
});
