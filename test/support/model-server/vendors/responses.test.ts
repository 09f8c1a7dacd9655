import { describe, test } from 'vitest';
import { seal } from '../pieces.ts';
import type { Json } from '../protocol.ts';
import { responsesRules } from './responses.ts';
import { ACCEPTED, changed, expectVerdict, sampleRequest, type Verdict } from './sample-request.ts';

const user = { role: 'user', content: 'hi' };

describe('Responses', () => {
  const good = { model: 'gpt-5', input: [user] };
  const call = (change: Json = {}) => ({
    type: 'function_call',
    call_id: 'a',
    name: 'Read',
    arguments: '{}',
    ...change,
  });
  const told = { type: 'function_call_output', call_id: 'a', output: 'text' };
  const reason = (change: Json = {}) => ({
    type: 'reasoning',
    id: 'rs_1',
    summary: [],
    encrypted_content: seal('x'),
    ...change,
  });

  test.each<[string, Json, Verdict]>([
    ['a plain request passes', {}, ACCEPTED],
    [
      'a whole loop passes',
      { store: false, input: [user, reason(), call(), told, { role: 'assistant', content: 'ok' }, user] },
      ACCEPTED,
    ],
    [
      'an output for no call',
      { input: [user, told] },
      /No tool call found for function call output with call_id a/,
    ],
    ['an output before its call', { input: [user, told, call()] }, /No tool call found/],
    ['an unanswered call', { input: [user, call()] }, /No tool output found for function call a/],
    ['reasoning left alone', { input: [user, reason(), user] }, /without its required following item/],
    [
      'reasoning nobody stored',
      { store: false, input: [user, reason({ encrypted_content: null }), call(), told] },
      /Items are not persisted when `store`/,
    ],
    [
      'forged reasoning',
      { input: [user, reason({ encrypted_content: 'x' }), call(), told] },
      /could not be verified/,
    ],
    [
      'an id of the wrong kind',
      { input: [user, call({ id: 'call_1' }), told] },
      /Expected an ID that begins with 'fc'/,
    ],
    ['arguments as an object', { input: [user, call({ arguments: {} }), told] }, /expected a string/],
    [
      'input parts from an assistant',
      { input: [{ role: 'assistant', content: [{ type: 'input_text', text: 'x' }] }] },
      /Invalid value: 'input_text'/,
    ],
    ['a tool role', { input: [{ role: 'tool', content: 'x' }] }, /Invalid value: 'tool'/],
    [
      'tools in the chat shape',
      { tools: [{ type: 'function', function: { name: 'Read' } }] },
      /Missing required parameter: 'tools\[0\]\.name'/,
    ],
    ['a tiny limit', { max_output_tokens: 5 }, /Expected a value >= 16/],
    ['chat messages', { messages: [] }, /Unknown parameter: 'messages'/],
    ['no input', { input: undefined }, /Missing required parameter: 'input'/],
  ])('%s', (_sentence, change, refusal) => {
    expectVerdict(
      responsesRules,
      sampleRequest(changed(good, change), { protocol: 'openai-responses' }),
      refusal,
    );
  });
});
