import { lostReasoning } from './lost-reasoning.ts';
import type { Rule } from './rule.ts';

/** What MiniMax rejects or silently degrades. Pages are those of platform.minimax.io/docs. */
export const minimaxRules: Rule[] = [
  {
    rule: 'MiniMax gets every message back with its thinking',
    page: 'guides/text-m2-function-call',
    check: (request) =>
      lostReasoning(request, {
        fields: ['reasoning_details', 'reasoning_content', '<think>'],
        scope: 'all',
      }),
  },
  {
    rule: 'names of MiniMax models are case-sensitive',
    page: 'api-reference/text-openai-api',
    *check({ model }) {
      if (!/(^|\/)MiniMax-/.test(model)) yield `invalid params, unknown model '${model}' (2013)`;
    },
  },
];
