import { isDeepStrictEqual } from 'node:util';
import { joined, sign } from '../pieces.ts';
import type { Json } from '../protocol.ts';
import type { Answer } from '../script.ts';
import { lostReasoning, sentMessages } from './lost-reasoning.ts';
import type { Rule, VendorRequest, Violation } from './rule.ts';
import { vendorOf } from './vendor-of.ts';

/** Reasoning that is not signed: its text is enough. */
const UNSIGNED = /^~?(deepseek|moonshotai|z-ai|qwen|minimax|mistralai|meta-llama)\//;

/** The reasoning of a reply as OpenRouter sends it: text with the signature of the vendor behind it. */
export function reasoningDetails(answer: Answer, request: VendorRequest): Json[] {
  const thinking = joined(answer, 'thinking');
  if (request.protocol !== 'openai-chat' || vendorOf(request) !== 'openrouter' || thinking === '') return [];
  const format = request.model.includes('anthropic/') ? 'anthropic-claude-v1' : 'unknown';
  return [{ type: 'reasoning.text', text: thinking, signature: sign(thinking), id: null, format, index: 0 }];
}

/** What OpenRouter silently degrades. Pages are those of openrouter.ai/docs. */
export const openrouterRules: Rule[] = [
  {
    rule: 'reasoning_details go back unmodified in a tool loop',
    page: 'guides/best-practices/reasoning-tokens',
    *check(request): Generator<Violation> {
      if (UNSIGNED.test(request.model)) {
        yield* lostReasoning(request, {
          fields: ['reasoning_details', 'reasoning', 'reasoning_content'],
          scope: 'loop',
        });
        return;
      }
      for (const { index, message, original } of sentMessages(request, 'loop')) {
        const isKept = isDeepStrictEqual(message.reasoning_details, original.reasoningDetails);
        if (original.reasoningDetails !== undefined && !isKept)
          yield { degraded: `messages[${index}] came back without its reasoning_details` };
      }
    },
  },
];
