import { lostReasoning } from './lost-reasoning.ts';
import type { Rule } from './rule.ts';

/** What MiniMax rejects or silently degrades. Pages are those of platform.minimax.io/docs. */
export const minimaxRules: Rule[] = [
  {
    rule: 'MiniMax gets every message back with its thinking',
    page: 'guides/text-m2-function-call',
    check: (request) =>
      lostReasoning(request, {
        fields: ['reasoning_details', 'reasoning_content', '<think>', 'thinking part'],
        scope: 'all',
      }),
  },
  {
    rule: 'MiniMax has the tiers standard and priority',
    page: 'guides/pricing',
    *check({ body: { service_tier: tier } }) {
      if (tier !== undefined && tier !== 'standard' && tier !== 'priority')
        yield `invalid params, service_tier '${String(tier)}' (2013)`;
    },
  },
  {
    rule: 'names of MiniMax models are case-sensitive',
    page: 'api-reference/text-openai-api',
    *check({ model }) {
      if (!/(^|\/)MiniMax-/.test(model)) yield `invalid params, unknown model '${model}' (2013)`;
    },
  },
];
