import { lostReasoning } from './lost-reasoning.ts';
import type { Rule } from './rule.ts';

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** What Alibaba Model Studio rejects or silently degrades. Pages are those of help.aliyun.com/model-studio. */
export const qwenRules: Rule[] = [
  {
    rule: 'Qwen gets the reasoning of a tool loop back',
    page: 'deep-thinking',
    check: (request) => lostReasoning(request, { fields: ['reasoning_content', 'reasoning'], scope: 'loop' }),
  },
  {
    rule: 'Qwen 3.8 takes known effort levels',
    page: 'deep-thinking',
    *check({ body: { reasoning_effort: effort }, model }) {
      if (model.startsWith('qwen3.8') && effort !== undefined && !EFFORTS.includes(String(effort)))
        yield `<400> InternalError.Algo.InvalidParameter: reasoning_effort must be one of ${EFFORTS.join(', ')}`;
    },
  },
];
