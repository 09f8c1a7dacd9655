import { record, records } from '../protocol.ts';
import { lostReasoning, sentMessages } from './lost-reasoning.ts';
import type { Rule, Violation } from './rule.ts';

/** What Z.ai rejects or silently degrades. Pages are those of docs.z.ai. */
export const zaiRules: Rule[] = [
  {
    rule: 'GLM gets the reasoning of a tool loop back',
    page: 'guides/capabilities/thinking-mode',
    check: (request) => lostReasoning(request, { fields: ['reasoning_content'], scope: 'loop' }),
  },
  {
    rule: 'with clear_thinking off, GLM gets all reasoning back unmodified',
    page: 'guides/capabilities/thinking-mode',
    *check(request): Generator<Violation> {
      if (record(request.body.thinking).clear_thinking !== false) return;
      for (const { index, message, original } of sentMessages(request, 'all'))
        if (original.thinking !== '' && message.reasoning_content !== original.thinking)
          yield { degraded: `the reasoning of messages[${index}] is not what was sent` };
    },
  },
  {
    rule: 'GLM keeps the reasoning of earlier turns if clear_thinking is off',
    page: 'guides/capabilities/thinking-mode',
    *check(request): Generator<Violation> {
      const { type, clear_thinking } = record(request.body.thinking);
      if (clear_thinking === false || type === 'disabled') return;
      const messages = records(request.body.messages);
      const lastPrompt = messages.findLastIndex(({ role }) => role === 'user');
      const cleared = [...sentMessages(request, 'all')].find(
        ({ index, original }) => index < lastPrompt && original.thinking !== '',
      );
      if (cleared) yield { degraded: `the reasoning of messages[${cleared.index}] is cleared` };
    },
  },
  {
    rule: 'GLM takes only tool_choice auto',
    page: 'guides/capabilities/function-calling',
    *check({ body: { tool_choice: choice } }) {
      if (choice !== undefined && choice !== 'auto') yield 'tool_choice: only "auto" is supported';
    },
  },
  {
    rule: 'GLM 5.3 always thinks',
    page: 'guides/capabilities/thinking',
    *check({ body, model }): Generator<Violation> {
      const isOff =
        record(body.thinking).type === 'disabled' ||
        ['none', 'minimal'].includes(String(body.reasoning_effort));
      if (/glm-5\.3(?!-flash)/.test(model) && isOff) yield { degraded: 'turning thinking off is ignored' };
    },
  },
];
