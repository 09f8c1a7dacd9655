import { record, records } from '../protocol.ts';
import { lostItems, sentMessages } from './lost-reasoning.ts';
import type { Rule, Violation } from './rule.ts';

/** What xAI rejects or silently degrades. Pages are those of docs.x.ai. */
export const xaiRules: Rule[] = [
  {
    rule: 'Grok keeps its reasoning over the Responses API only',
    page: 'developers/model-capabilities/text/best-practices',
    *check(request): Generator<Violation> {
      if (request.protocol !== 'openai-chat') return;
      for (const { index, original } of sentMessages(request, 'all'))
        if (original.thinking !== '')
          yield { degraded: `Chat Completions discards the reasoning of messages[${index}]` };
    },
  },
  {
    rule: 'Grok gets its reasoning items back',
    page: 'developers/grok-4-7',
    check: (request) => lostItems(request),
  },
  {
    rule: 'a conversation with Grok names its cache',
    page: 'developers/advanced-api-usage/prompt-caching',
    *check({ protocol, body, headers }): Generator<Violation> {
      const messages = records(protocol === 'openai-chat' ? body.messages : body.input);
      const isLater = messages.some(({ role, type }) => role === 'assistant' || type === 'function_call');
      if (isLater && body.prompt_cache_key === undefined && headers['x-grok-conv-id'] === undefined)
        yield { degraded: 'without prompt_cache_key or x-grok-conv-id the input is paid in full' };
    },
  },
  {
    rule: 'each Grok takes its own effort levels',
    page: 'developers/grok-4-7',
    *check({ body, model }) {
      const effort = body.reasoning_effort ?? record(body.reasoning).effort;
      if (effort === undefined) return;
      const levels = ['low', 'medium', 'high', ...(model.startsWith('grok-4.7') ? ['xhigh'] : [])];
      if (/^grok-4(-|$)/.test(model)) yield `Model ${model} does not support parameter reasoningEffort.`;
      else if (!levels.includes(String(effort)))
        yield `Invalid reasoning effort '${String(effort)}'. Supported values are: ${levels.join(', ')}.`;
    },
  },
  {
    rule: 'Grok takes neither presence penalty nor stop sequences',
    page: 'developers/model-capabilities/text/reasoning',
    *check({ body, model }) {
      for (const field of ['presence_penalty', 'frequency_penalty', 'stop'])
        if (body[field] !== undefined) yield `Model ${model} does not support parameter ${field}.`;
    },
  },
];
