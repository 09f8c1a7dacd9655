import { record, records } from '../protocol.ts';
import { withoutReasoning } from './lost-reasoning.ts';
import type { Rule } from './rule.ts';

/** What DeepSeek rejects or silently degrades. Pages are those of api-docs.deepseek.com. */
export const deepseekRules: Rule[] = [
  {
    rule: 'with tools, every earlier answer comes back with its reasoning_content',
    page: 'guides/thinking_mode',
    *check(request) {
      const { tools, thinking } = request.body;
      if (records(tools).length === 0 || record(thinking).type === 'disabled') return;
      for (const _missing of withoutReasoning(request))
        yield 'The reasoning_content in the thinking mode must be passed back to the API.';
    },
  },
  {
    rule: 'DeepSeek has thinking enabled or disabled, and known effort levels',
    page: 'guides/thinking_mode',
    *check({ body }) {
      const { type } = record(body.thinking);
      if (type !== undefined && type !== 'enabled' && type !== 'disabled')
        yield `thinking.type: unknown variant \`${String(type)}\`, expected \`enabled\` or \`disabled\``;
      const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max', 'ultra'];
      if (body.reasoning_effort !== undefined && !efforts.includes(String(body.reasoning_effort)))
        yield {
          status: 422,
          message: `reasoning_effort: unknown variant \`${String(body.reasoning_effort)}\``,
        };
    },
  },
];
