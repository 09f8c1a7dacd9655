import { record, records } from '../protocol.ts';
import { lostReasoning, withoutReasoning } from './lost-reasoning.ts';
import type { Rule, Violation } from './rule.ts';

const LEVELS = ['low', 'high', 'max'];
const OFF_IS_ALLOWED = /^kimi-k2\.[56]/;

/** What Moonshot rejects or silently degrades. Pages are those of platform.kimi.ai/docs. */
export const moonshotRules: Rule[] = [
  {
    rule: 'Kimi gets the reasoning_content of every message with calls back',
    page: 'guide/use-thinking-effort',
    *check(request) {
      const { body, model } = request;
      if (!/^kimi-k(2\.[5-9]|[3-9])/.test(model) || record(body.thinking).type === 'disabled') return;
      for (const { index, message } of withoutReasoning(request))
        if (records(message.tool_calls).length > 0)
          yield `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${index}`;
    },
  },
  {
    rule: 'Kimi keeps the reasoning of earlier turns',
    page: 'guide/use-thinking-effort',
    check: (request) => lostReasoning(request, { fields: ['reasoning_content'], scope: 'all' }),
  },
  {
    rule: 'Kimi ignores effort levels that it does not know',
    page: 'guide/use-thinking-effort',
    *check({ body: { reasoning_effort: effort }, model }): Generator<Violation> {
      if (effort === undefined) return;
      const levels = model.startsWith('kimi-k3') ? LEVELS : [];
      if (!levels.includes(String(effort))) yield { degraded: `effort ${String(effort)} is ignored` };
    },
  },
  {
    rule: 'Kimi always thinks, except K2.6 and K2.5',
    page: 'guide/kimi-k3-1-pro-quickstart',
    *check({ body, model }) {
      const { type } = record(body.thinking);
      if (type !== undefined && type !== 'enabled' && !(type === 'disabled' && OFF_IS_ALLOWED.test(model)))
        yield `invalid thinking type: only "enabled" is allowed for this model`;
    },
  },
  {
    rule: 'the output limit of Kimi is max_completion_tokens',
    page: 'guide/kimi-k3-1-pro-quickstart',
    *check({ body: { max_tokens: limit } }): Generator<Violation> {
      if (limit !== undefined) yield { degraded: `max_tokens ${Number(limit)} is ignored` };
    },
  },
  {
    rule: 'Kimi has fixed sampling parameters',
    page: 'guide/kimi-k3-1-pro-quickstart',
    *check({ body: { temperature }, model }): Generator<Violation> {
      if (temperature === undefined || temperature === 1) return;
      if (model.startsWith('kimi-k2')) yield 'invalid temperature: only 1 is allowed for this model';
      else yield { degraded: `temperature ${Number(temperature)} is ignored` };
    },
  },
];
