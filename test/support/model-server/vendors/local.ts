import { lostReasoning } from './lost-reasoning.ts';
import type { Rule } from './rule.ts';

/** What llama.cpp, vLLM, LM Studio and hosts of open models silently degrade. */
export const localRules: Rule[] = [
  {
    rule: 'open models get the reasoning of a tool loop back',
    page: 'docs.vllm.ai features/interleaved_thinking',
    check: (request) =>
      lostReasoning(request, { fields: ['reasoning_content', 'reasoning', '<think>'], scope: 'loop' }),
  },
];
