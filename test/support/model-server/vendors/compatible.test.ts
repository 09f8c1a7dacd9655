import { describe, expect, test } from 'vitest';
import type { Json, ProtocolName } from '../protocol.ts';
import { allRules } from './judge.ts';
import { NOT_YET } from './not-yet.ts';
import type { Rule } from './rule.ts';
import { ACCEPTED, expectVerdict, sampleRequest, type Verdict } from './sample-request.ts';
import { SentReplies } from './sent-replies.ts';
import { vendorOf } from './vendor-of.ts';
import { VENDORS } from './vendors.ts';

const CALLS = [{ name: 'Read', input: { path: 'a' } }];
const DETAILS = [{ type: 'reasoning.text', text: 'hm', signature: 's' }];
const user = { role: 'user', content: 'hi' };
const tools = [{ type: 'function', function: { name: 'Read', parameters: { type: 'object' } } }];
const call = (id = 'abcdefghi') => ({
  id,
  type: 'function',
  function: { name: 'Read', arguments: '{"path":"a"}' },
});
const result = (id = 'abcdefghi') => ({ role: 'tool', tool_call_id: id, content: 'alpha' });
const called = (more: Json = {}) => ({ role: 'assistant', content: '', tool_calls: [call()], ...more });
/** In the middle of a tool loop. */
const loop = (more: Json = {}) => ({ messages: [user, called(more), result()], tools });
/** After it. */
const later = (more: Json = {}, text: Json = {}) => ({
  messages: [user, called(more), result(), { role: 'assistant', content: 'done', ...text }, user],
  tools,
});
const kept = { reasoning_content: 'hm' };
const responses = (...input: Json[]) => ({ store: false, input });
const functionCall = { type: 'function_call', call_id: 'c', name: 'Read', arguments: '{"path":"a"}' };
const output = { type: 'function_call_output', call_id: 'c', output: 'alpha' };
const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' };
const said = (more: Json = {}) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'done' }],
  ...more,
});
const HM = { type: 'thinking', thinking: 'hm', signature: 's' };
const USE = { type: 'tool_use', id: 't', name: 'Read', input: { path: 'a' } };
const RESULT = { type: 'tool_result', tool_use_id: 't', content: 'alpha' };
const block = (...content: Json[]) => ({ role: 'assistant', content });
const LOST = { degraded: /came back without its reasoning/ };

/** The model made both replies: a call after a thought, and a text after another. */
function sentBy(model: string, protocol: ProtocolName): SentReplies {
  const sent = new SentReplies();
  sent.add({ protocol, model, text: '', thinking: 'hm', calls: CALLS, reasoningDetails: DETAILS });
  sent.add({ protocol, model, text: 'done', thinking: 'hm', calls: [], phase: 'final_answer' });
  return sent;
}

type Row = [sentence: string, body: Json, verdict: Verdict];

function expectRows(
  title: string,
  {
    rules,
    model,
    protocol = 'openai-chat',
  }: { rules: readonly Rule[]; model: string; protocol?: ProtocolName },
  rows: Row[],
): void {
  describe(title, () => {
    test.each(rows)('%s', (_sentence, body, verdict) => {
      const named = String(body.model ?? model);
      const sent = sentBy(named, protocol);
      expectVerdict(
        rules,
        sampleRequest({ model: named, ...body }, { protocol, model: named, sent }),
        verdict,
      );
    });
  });
}

const NO_CHAT = (model: string) =>
  `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`;

expectRows('OpenAI over Chat Completions', { rules: VENDORS.openai, model: 'gpt-6-luna' }, [
  ['no tools', { messages: [user] }, ACCEPTED],
  ['tools', { messages: [user], tools }, NO_CHAT('gpt-6-luna')],
  ['tools with effort none', { messages: [user], tools, reasoning_effort: 'none' }, ACCEPTED],
  [
    'tools of Sol 6.1 with effort none',
    { model: 'gpt-6.1-sol', tools, reasoning_effort: 'none' },
    NO_CHAT('gpt-6.1-sol'),
  ],
  ['tools of Astra', { model: 'gpt-6-astra', tools }, NO_CHAT('gpt-6-astra')],
  ['tools of 5.6', { model: 'gpt-5.6-sol', tools }, NO_CHAT('gpt-5.6-sol')],
  ['tools of 5.4', { model: 'gpt-5.4', tools }, ACCEPTED],
  ['tools of 5.4 with an effort', { model: 'gpt-5.4', tools, reasoning_effort: 'low' }, NO_CHAT('gpt-5.4')],
  ['tools of 4.1', { model: 'gpt-4.1', tools }, ACCEPTED],
  ['effort max of Sol 6.1', { model: 'gpt-6.1-sol', reasoning_effort: 'max' }, /Unsupported value: 'max'/],
  ['max_tokens', { max_tokens: 5 }, /Use 'max_completion_tokens' instead/],
]);

expectRows(
  'OpenAI over Responses',
  { rules: VENDORS.openai, model: 'gpt-6.1-sol', protocol: 'openai-responses' },
  [
    ['effort max', { reasoning: { effort: 'max' } }, ACCEPTED],
    [
      'effort none',
      { reasoning: { effort: 'none' } },
      /Unsupported value: 'none' is not supported with the 'gpt-6.1-sol' model/,
    ],
    ['effort none of Luna', { model: 'gpt-6-luna', reasoning: { effort: 'none' } }, ACCEPTED],
    ['a temperature', { temperature: 0 }, /Only the default \(1\) value/],
    ['the flex tier', { service_tier: 'flex' }, ACCEPTED],
    ['an invented tier', { service_tier: 'cheap' }, /Invalid value: 'cheap'/],
    ['configuration_update', responses(user, { type: 'configuration_update' }), ACCEPTED],
    [
      'configuration_update of a pro model',
      { model: 'gpt-6-pro', ...responses({ type: 'configuration_update' }) },
      "The 'configuration_update' item type is not supported with pro or tournament models.",
    ],
    ['a message with its phase', responses(user, said({ phase: 'final_answer' }), user), ACCEPTED],
    [
      'a message without its phase',
      responses(user, said(), user),
      { degraded: /lost its phase final_answer/ },
    ],
    [
      'a message with another phase',
      responses(user, said({ phase: 'commentary' }), user),
      { degraded: /lost its phase/ },
    ],
    ['a call with its reasoning', responses(user, reasoning, functionCall, output), ACCEPTED],
    [
      'a call without its reasoning',
      responses(user, functionCall, output),
      { degraded: /without the reasoning before it/ },
    ],
  ],
);

expectRows('xAI', { rules: VENDORS.xai, model: 'grok-4.7' }, [
  ['a first prompt', { messages: [user] }, ACCEPTED],
  [
    'a tool loop over Chat Completions',
    { ...loop(kept), prompt_cache_key: 'k' },
    { degraded: /discards the reasoning of messages\[1\]/ },
  ],
  [
    'a later prompt without a cache key',
    { messages: [user, { role: 'assistant', content: 'other' }, user] },
    { degraded: /prompt_cache_key/ },
  ],
  ['effort xhigh', { messages: [user], reasoning_effort: 'xhigh' }, ACCEPTED],
  ['effort xhigh of 4.6', { model: 'grok-4.6', reasoning_effort: 'xhigh' }, /Invalid reasoning effort/],
  [
    'an effort of Grok 4',
    { model: 'grok-4', reasoning_effort: 'low' },
    /does not support parameter reasoningEffort/,
  ],
  ['stop sequences', { messages: [user], stop: ['x'] }, /does not support parameter stop/],
]);
expectRows('xAI over Responses', { rules: VENDORS.xai, model: 'grok-4.7', protocol: 'openai-responses' }, [
  ['a tool loop', { ...responses(user, reasoning, functionCall, output), prompt_cache_key: 'k' }, ACCEPTED],
  [
    'a tool loop without reasoning',
    { ...responses(user, functionCall, output), prompt_cache_key: 'k' },
    { degraded: /without the reasoning before it/ },
  ],
  [
    'a tool loop without a cache key',
    responses(user, reasoning, functionCall, output),
    { degraded: /prompt_cache_key/ },
  ],
]);

expectRows('DeepSeek', { rules: VENDORS.deepseek, model: 'deepseek-v4-pro' }, [
  ['all reasoning', later(kept, kept), ACCEPTED],
  [
    'an earlier answer without it',
    later(kept),
    'The reasoning_content in the thinking mode must be passed back to the API.',
  ],
  ['without tools', { ...later(), tools: undefined }, ACCEPTED],
  ['with thinking off', { ...later(), thinking: { type: 'disabled' } }, ACCEPTED],
  [
    'an unknown type of thinking',
    { messages: [user], thinking: { type: 'adaptive' } },
    /unknown variant `adaptive`/,
  ],
  [
    'an unknown effort',
    { messages: [user], reasoning_effort: 'huge' },
    { status: 422, text: /unknown variant `huge`/ },
  ],
]);

expectRows('Kimi', { rules: VENDORS.moonshot, model: 'kimi-k3.1-pro' }, [
  ['all reasoning', later(kept, kept), ACCEPTED],
  [
    'a call without it',
    loop(),
    'thinking is enabled but reasoning_content is missing in assistant tool call message at index 1',
  ],
  ['an earlier answer without it', later(kept), LOST],
  ['effort max', { messages: [user], reasoning_effort: 'max' }, ACCEPTED],
  [
    'effort medium',
    { messages: [user], reasoning_effort: 'medium' },
    { degraded: /effort medium is ignored/ },
  ],
  ['thinking off', { messages: [user], thinking: { type: 'disabled' } }, /only "enabled" is allowed/],
  [
    'thinking off of K2.6',
    { model: 'kimi-k2.6', messages: [user], thinking: { type: 'disabled' } },
    ACCEPTED,
  ],
  ['a temperature of K2.6', { model: 'kimi-k2.6', messages: [user], temperature: 0 }, /only 1 is allowed/],
  ['a temperature', { messages: [user], temperature: 0 }, { degraded: /temperature 0 is ignored/ }],
  ['an output limit', { messages: [user], max_completion_tokens: 9 }, ACCEPTED],
  ['max_tokens', { messages: [user], max_tokens: 9 }, { degraded: /max_tokens 9 is ignored/ }],
]);

expectRows('GLM', { rules: VENDORS.zai, model: 'glm-5.3' }, [
  ['a tool loop', loop(kept), ACCEPTED],
  ['a tool loop without reasoning', loop(), LOST],
  ['earlier turns, by default', later(kept, kept), { degraded: /the reasoning of messages\[1\] is cleared/ }],
  [
    'earlier turns with thinking off',
    { ...later(), thinking: { type: 'disabled' }, model: 'glm-5.1' },
    ACCEPTED,
  ],
  [
    'all of it, unmodified',
    { ...later(kept, kept), thinking: { type: 'enabled', clear_thinking: false } },
    ACCEPTED,
  ],
  [
    'edited, though it should be kept',
    { ...later(kept, { reasoning_content: 'h' }), thinking: { type: 'enabled', clear_thinking: false } },
    { degraded: /messages\[3\] is not what was sent/ },
  ],
  ['a forced tool', { messages: [user], tool_choice: 'required' }, /only "auto"/],
  ['thinking off', { messages: [user], thinking: { type: 'disabled' } }, { degraded: /ignored/ }],
]);

expectRows('MiniMax', { rules: VENDORS.minimax, model: 'MiniMax-M3' }, [
  ['as details', later({ reasoning_details: DETAILS }, { reasoning_details: DETAILS }), ACCEPTED],
  ['inside the text', { messages: [user, called({ content: '<think>hm</think>' }), result()] }, ACCEPTED],
  ['not at all', loop(), LOST],
  ['another case', { model: 'minimax-m3', messages: [user] }, /unknown model/],
]);

expectRows('MiniMax over Messages', { rules: VENDORS.minimax, model: 'MiniMax-M3', protocol: 'anthropic' }, [
  ['all blocks', { messages: [user, block(HM, USE), { role: 'user', content: [RESULT] }] }, ACCEPTED],
  ['without its thinking', { messages: [user, block(USE), { role: 'user', content: [RESULT] }] }, LOST],
  ['earlier turns without it', { messages: [user, block({ type: 'text', text: 'done' }), user] }, LOST],
  ['the tier priority', { messages: [user], service_tier: 'priority' }, ACCEPTED],
  ['a tier of others', { messages: [user], service_tier: 'auto' }, /service_tier 'auto'/],
]);

expectRows('Meta', { rules: VENDORS.meta, model: 'muse-spark-1.3', protocol: 'openai-responses' }, [
  ['a tool loop', responses(user, reasoning, functionCall, output), ACCEPTED],
  [
    'a tool loop without reasoning',
    responses(user, functionCall, output),
    { degraded: /without the reasoning before it/ },
  ],
  ['effort minimal', { ...responses(user), reasoning: { effort: 'minimal' } }, ACCEPTED],
  ['effort none', { ...responses(user), reasoning: { effort: 'none' } }, /'none' is not supported/],
  ['effort max', { ...responses(user), reasoning: { effort: 'max' } }, /'max' is not supported/],
  ['a forced tool', { ...responses(user), tool_choice: 'required' }, /only "auto"/],
]);

expectRows('Qwen', { rules: VENDORS.qwen, model: 'qwen3.8-max' }, [
  ['a tool loop', loop(kept), ACCEPTED],
  ['a tool loop without reasoning', loop(), LOST],
  ['an unknown effort', { messages: [user], reasoning_effort: 'huge' }, /reasoning_effort must be one of/],
]);

expectRows('Mistral', { rules: VENDORS.mistral, model: 'mistral-large-4' }, [
  [
    'thinking chunks',
    loop({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }], signature: 's' }] }),
    ACCEPTED,
  ],
  [
    'thinking chunks without a signature',
    loop({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] }),
    { degraded: /without the signature of its thinking/ },
  ],
  ['no thinking chunks', loop(), LOST],
  [
    'a long id',
    { messages: [user, { ...called(), tool_calls: [call('call_1234567')] }, result('call_1234567')] },
    'Tool call id was call_1234567 but must be a-z, A-Z, 0-9, with a length of 9.',
  ],
  [
    'a user after a result',
    { messages: [user, called(), result(), user] },
    "Unexpected role 'user' after role 'tool'",
  ],
  ['stream options', { messages: [user], stream_options: {} }, { status: 422, text: /Extra inputs/ }],
  ['an effort', { messages: [user], reasoning_effort: 'medium' }, ACCEPTED],
  [
    'effort high of the latest Medium',
    { model: 'mistral-medium-latest', reasoning_effort: 'high' },
    ACCEPTED,
  ],
  [
    'an effort of Medium 3.5',
    { model: 'mistral-medium-3.5', reasoning_effort: 'medium' },
    { status: 422, text: /not supported/ },
  ],
]);

expectRows('OpenRouter', { rules: VENDORS.openrouter, model: 'anthropic/claude-sonnet-5.5' }, [
  ['the same details', loop({ reasoning_details: DETAILS }), ACCEPTED],
  ['only the text', loop({ reasoning: 'hm' }), { degraded: /without its reasoning_details/ }],
  [
    'other details',
    loop({ reasoning_details: [{ ...DETAILS[0], signature: 't' }] }),
    { degraded: /reasoning_details/ },
  ],
  ['only the text of an open model', { ...loop({ reasoning: 'hm' }), model: 'z-ai/glm-5.3' }, ACCEPTED],
  ['nothing of an open model', { ...loop(), model: 'z-ai/glm-5.3' }, LOST],
]);

expectRows('open models', { rules: VENDORS.local, model: 'gpt-oss-120b' }, [
  ['a tool loop', loop({ reasoning: 'hm' }), ACCEPTED],
  ['a tool loop without reasoning', loop(), LOST],
  ['earlier turns without it', later(), ACCEPTED],
]);

test.each([
  ['gpt-6.1-sol', 'openai'],
  ['o3', 'openai'],
  ['gpt-oss-120b', 'local'],
  ['openai/gpt-oss-120b', 'local'],
  ['anthropic/claude-sonnet-5.5', 'openrouter'],
  ['openai/gpt-5.2', 'openrouter'],
  ['grok-4.7', 'xai'],
  ['deepseek-v4-pro', 'deepseek'],
  ['deepseek-r1:8b', 'local'],
  ['kimi-k3', 'moonshot'],
  ['glm-5.3', 'zai'],
  ['MiniMax-M3', 'minimax'],
  ['muse-spark-1.3', 'meta'],
  ['qwen3.8-max', 'qwen'],
  ['qwen3-8b', 'local'],
  ['mistral-large-4', 'mistral'],
])('%s is a model of %s', (model, vendor) => {
  expect(vendorOf(sampleRequest({ model }, { protocol: 'openai-chat' }))).toBe(vendor);
});

test.each([
  ['claude-sonnet-5-5', 'anthropic'],
  ['anything', 'anthropic'],
  ['MiniMax-M3', 'minimax'],
])('%s over Messages is a model of %s', (model, vendor) => {
  expect(vendorOf(sampleRequest({ model }))).toBe(vendor);
});

test('an option names the vendor, or else the path', () => {
  const request = { protocol: 'openai-chat', path: '/xai/v1/chat/completions' } as const;
  expect(vendorOf(sampleRequest({ model: 'm' }, request))).toBe('xai');
  expect(vendorOf(sampleRequest({ model: 'm' }, { ...request, settled: { vendor: 'zai' } }))).toBe('zai');
});

test('each rule has a sentence of its own and a page, and those not followed yet exist', () => {
  const sentences = allRules.map(({ rule }) => rule);
  expect(new Set(sentences).size).toBe(sentences.length);
  expect(sentences).toEqual(expect.arrayContaining([...NOT_YET]));
  expect(allRules.filter(({ page }) => page === '')).toEqual([]);
});
