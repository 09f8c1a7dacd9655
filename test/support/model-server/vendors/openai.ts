import { record, records } from '../protocol.ts';
import { viewResponses } from '../protocols/view-openai-responses.ts';
import type { Answer } from '../script.ts';
import { lostItems } from './lost-reasoning.ts';
import type { Rule, VendorRequest, Violation } from './rule.ts';

const TIERS = ['auto', 'default', 'flex', 'priority', 'ultrafast'];
const ALL_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** Only with effort none do these call functions over Chat Completions. */
const NO_CHAT_REASONING = /^gpt-(6(\.\d)?-|5\.6-)/;
/** These have no effort none, so they never do. */
const ALWAYS_REASONS = /^gpt-(6-astra|6\.1-sol)/;
const REASONER = /^(o\d|gpt-[56])/;
/** Labels texts between calls `commentary`, and needs the labels back. */
const LABELS_TEXT = /^gpt-(5\.3-codex|5\.[4-9]|[6-9])/;

export function hasPhase(model: string): boolean {
  return LABELS_TEXT.test(model);
}

/** Texts before calls are on the way to the answer. */
export function phaseOf({ parts }: Answer): 'commentary' | 'final_answer' {
  return parts.some(({ type }) => type === 'call') ? 'commentary' : 'final_answer';
}

function effortOf({ body }: VendorRequest): unknown {
  return body.reasoning_effort ?? record(body.reasoning).effort;
}

/** What OpenAI rejects or silently degrades besides the formats. Pages are those of developers.openai.com/api/docs. */
export const openaiRules: Rule[] = [
  {
    rule: 'reasoning models call functions over the Responses API only, or with effort none',
    page: 'models/gpt-6-luna',
    *check(request) {
      const { protocol, body, model } = request;
      if (protocol !== 'openai-chat' || records(body.tools).length === 0) return;
      const effort = effortOf(request);
      const reasons = NO_CHAT_REASONING.test(model)
        ? effort !== 'none'
        : model.startsWith('gpt-5.4') && effort !== undefined && effort !== 'none';
      if (ALWAYS_REASONS.test(model) || reasons)
        yield `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`;
    },
  },
  {
    rule: 'each OpenAI model takes its own effort levels',
    page: 'guides/reasoning',
    *check(request) {
      const { protocol, model } = request;
      const effort = effortOf(request);
      if (effort === undefined || !NO_CHAT_REASONING.test(model)) return;
      const levels = ALWAYS_REASONS.test(model) ? ALL_EFFORTS.slice(2) : ALL_EFFORTS;
      const known = protocol === 'openai-chat' && ALWAYS_REASONS.test(model) ? levels.slice(0, -1) : levels;
      if (!known.includes(String(effort)))
        yield `Unsupported value: '${String(effort)}' is not supported with the '${model}' model. Supported values are: ${known.map((level) => `'${level}'`).join(', ')}.`;
    },
  },
  {
    rule: 'reasoning models take neither max_tokens nor sampling parameters',
    page: 'guides/reasoning',
    *check(request) {
      const { body, model } = request;
      if (!REASONER.test(model)) return;
      if (body.max_tokens !== undefined)
        yield "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
      if (effortOf(request) === 'none') return;
      for (const field of ['temperature', 'top_p'])
        if (body[field] !== undefined && body[field] !== 1)
          yield `Unsupported value: '${field}' does not support this value with this model. Only the default (1) value is supported.`;
    },
  },
  {
    rule: 'service_tier is one that OpenAI has',
    page: 'guides/flex-processing',
    *check({ body: { service_tier: tier } }) {
      if (tier !== undefined && !TIERS.includes(String(tier)))
        yield `Invalid value: '${String(tier)}'. Supported values are: ${TIERS.map((value) => `'${value}'`).join(', ')}.`;
    },
  },
  {
    rule: 'configuration_update is for the GPT-6 family, except pro models',
    page: 'guides/conversation-state',
    *check({ body, model }) {
      if (!records(body.input).some(({ type }) => type === 'configuration_update')) return;
      if (/-pro\b/.test(model) || record(body.reasoning).mode === 'pro')
        yield "The 'configuration_update' item type is not supported with pro or tournament models.";
      else if (!model.startsWith('gpt-6'))
        yield `The 'configuration_update' item type is not supported with the '${model}' model.`;
    },
  },
  {
    rule: 'the phase of a message goes back with it',
    page: 'guides/conversation-state',
    *check(request): Generator<Violation> {
      if (request.protocol !== 'openai-responses' || request.body.store !== false) return;
      for (const [i, item] of records(request.body.input).entries()) {
        if (item.role !== 'assistant') continue;
        const [seen] = viewResponses({ input: [item] }).messages;
        const original = seen && request.sent.findText(seen.text);
        if (
          original?.phase !== undefined &&
          original.model === request.model &&
          item.phase !== original.phase
        )
          yield { degraded: `input[${i}] lost its phase ${original.phase}` };
      }
    },
  },
  {
    rule: 'reasoning items go back before what followed them',
    page: 'guides/reasoning',
    check: (request) => lostItems(request),
  },
];
