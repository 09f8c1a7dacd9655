import { record } from '../protocol.ts';
import { lostItems } from './lost-reasoning.ts';
import type { Rule } from './rule.ts';

const LEVELS = ['minimal', 'low', 'medium', 'high', 'xhigh'];

/** What Meta rejects or silently degrades. Pages are those of dev.meta.ai/docs. */
export const metaRules: Rule[] = [
  {
    rule: 'Muse takes efforts from minimal to xhigh, and always thinks',
    page: 'models',
    *check({ body }) {
      const effort = body.reasoning_effort ?? record(body.reasoning).effort;
      if (effort !== undefined && !LEVELS.includes(String(effort)))
        yield `reasoning.effort: '${String(effort)}' is not supported. Supported values are: ${LEVELS.join(', ')}.`;
    },
  },
  {
    rule: 'Muse takes only tool_choice auto',
    page: 'protocols/responses',
    *check({ body: { tool_choice: choice } }) {
      if (choice !== undefined && choice !== 'auto') yield 'tool_choice: only "auto" is supported.';
    },
  },
  {
    rule: 'Muse gets its reasoning items back',
    page: 'protocols/responses',
    check: (request) => lostItems(request),
  },
];
