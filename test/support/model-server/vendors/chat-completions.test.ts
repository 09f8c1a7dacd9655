import { describe, test } from 'vitest';
import type { Json } from '../protocol.ts';
import { chatCompletionsRules } from './chat-completions.ts';
import { openaiRules } from './openai.ts';
import { ACCEPTED, changed, expectVerdict, sampleRequest, type Verdict } from './sample-request.ts';

const user = { role: 'user', content: 'hi' };

describe('Chat Completions', () => {
  const good = { model: 'gpt-4.1', messages: [user] };
  const call = (id: string, name = 'Read') => ({ id, type: 'function', function: { name, arguments: '{}' } });
  const said = (...tool_calls: unknown[]) => ({ role: 'assistant', content: null, tool_calls });
  const told = (tool_call_id: string) => ({ role: 'tool', tool_call_id, content: 'text' });
  const tool = (fn: Json) => ({
    tools: [
      { type: 'function', function: { name: 'Read', parameters: { type: 'object', properties: {} }, ...fn } },
    ],
  });

  test.each<[string, Json, Verdict]>([
    ['a plain request passes', {}, ACCEPTED],
    [
      'answered calls pass',
      { messages: [user, said(call('a'), call('b')), told('b'), told('a'), user] },
      ACCEPTED,
    ],
    [
      'an unanswered call',
      { messages: [user, said(call('a'), call('b')), told('a'), user] },
      /did not have response messages: b/,
    ],
    [
      'an unanswered call at the end',
      { messages: [user, said(call('a'))] },
      /did not have response messages: a/,
    ],
    ['a result for no call', { messages: [user, told('a')] }, /must be a response to a preceeding message/],
    [
      'two results for one call',
      { messages: [user, said(call('a')), told('a'), told('a')] },
      /Duplicate value for 'tool_call_id'/,
    ],
    ['a colon in a tool name', tool({ name: 'a:b' }), /tools\[0\]\.function\.name.*pattern/],
    ['a long tool name', tool({ name: 'a'.repeat(65) }), /maximum length 64/],
    [
      'an id from another vendor',
      { messages: [user, said(call('a'.repeat(41))), told('a'.repeat(41))] },
      /maximum length 40/,
    ],
    [
      'arguments as an object',
      { messages: [user, said({ ...call('a'), function: { name: 'Read', arguments: {} } }), told('a')] },
      /arguments': expected a string/,
    ],
    ['no tools at all', { tools: [] }, /'tools': empty array/],
    ['no calls at all', { messages: [user, said(), user] }, /tool_calls': empty array/],
    [
      'nothing said',
      { messages: [user, { role: 'assistant', content: null }, user] },
      /expected a string, got null/,
    ],
    [
      'a schema that is no object',
      tool({ parameters: {} }),
      /schema must be a JSON Schema of 'type: "object"'/,
    ],
    ['a strict schema left open', tool({ strict: true }), /'additionalProperties' is required/],
    [
      'a strict schema with options',
      tool({
        strict: true,
        parameters: { type: 'object', additionalProperties: false, properties: { a: { type: 'string' } } },
      }),
      /Missing 'a'/,
    ],
    [
      'usage without a stream',
      { stream_options: { include_usage: true } },
      /only allowed when 'stream' is enabled/,
    ],
    ['an invented field', { systemPrompt: 'x' }, /Unrecognized request argument supplied: systemPrompt/],
    ['an old limit for a reasoner', { model: 'o3', max_tokens: 5 }, /Use 'max_completion_tokens' instead/],
    ['a temperature for a reasoner', { model: 'gpt-5', temperature: 0 }, /Only the default \(1\)/],
    ['no model', { model: undefined }, /must provide a model/],
  ])('%s', (_sentence, change, refusal) => {
    expectVerdict(
      [...chatCompletionsRules, ...openaiRules],
      sampleRequest(changed(good, change), { protocol: 'openai-chat' }),
      refusal,
    );
  });
});
