import { type Json, record, records } from '../../protocol.ts';
import { betasOf, type Rule } from '../rule.ts';
import {
  adapts,
  claudeOf,
  effortsOf,
  hasNoBudget,
  isFableOrMythos,
  omitsByDefault,
  rejectsForcedTools,
  rejectsSampling,
  takesEffortPerMessage,
  thinksByDefault,
} from './claude.ts';

const THINKING = 'build-with-claude/thinking';
const EFFORT = 'build-with-claude/effort';
const TYPES = ['adaptive', 'enabled', 'disabled', 'between_tools'];
const UPDATES_BETA = 'thinking-display-updates-2026-08-18';
const EFFORT_BETA = 'mid-conversation-output-config-2026-07-01';

const unsupported = (type: string) =>
  `"thinking.type.${type}" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`;

function effortOf(body: Json): unknown {
  return record(body.output_config).effort;
}

/** Whether the model thinks before its answer to this request. */
export function isThinkingOn({ model, thinking }: Json): boolean {
  const { type } = record(thinking);
  if (type !== undefined) return type !== 'disabled';
  return thinksByDefault(claudeOf(String(model)));
}

/** Whether thinking arrives without its text. */
/** The display `updates` shows only the notes between calls. */
export function isThinkingHidden({ model, thinking }: Json, { note }: { note?: true } = {}): boolean {
  const { display } = record(thinking);
  if (display === 'updates') return !note;
  return display === undefined ? omitsByDefault(claudeOf(String(model))) : display !== 'summarized';
}

export const thinkingRules: Rule[] = [
  {
    rule: 'each model takes its own types of thinking',
    page: THINKING,
    *check({ body, model }) {
      const { type } = record(body.thinking);
      if (body.thinking === undefined) return;
      if (!TYPES.includes(String(type))) {
        yield `thinking: Input tag '${String(type)}' found using 'type' does not match any of the expected tags: 'adaptive', 'disabled', 'enabled'`;
        return;
      }
      const claude = claudeOf(model);
      if (!claude) return;
      const isSonnet55 = claude.line === 'sonnet' && claude.version === 5.5;
      const alwaysThinks = isFableOrMythos(claude) || (claude.line === 'opus' && claude.version === 5.5);
      if (type === 'adaptive' && !adapts(claude)) yield 'adaptive thinking is not supported on this model';
      if (type === 'enabled' && hasNoBudget(claude)) yield unsupported('enabled');
      if (type === 'disabled' && alwaysThinks) yield unsupported('disabled');
      if (type === 'disabled' && isSonnet55)
        yield '"thinking.type.disabled" is not supported for this model. Use "thinking.type.between_tools" to think between tool calls only.';
      if (type === 'between_tools' && !isSonnet55) yield unsupported('between_tools');
    },
  },
  {
    rule: 'thinking can be off or between tools only up to effort high',
    page: THINKING,
    *check({ body, model }) {
      const { type, display, budget_tokens, block_binding } = record(body.thinking);
      const claude = claudeOf(model);
      const isHigh = ['xhigh', 'max'].includes(String(effortOf(body)));
      const isOff = type === 'between_tools' || (type === 'disabled' && (claude?.version ?? 0) >= 5);
      const isSonnet5 = claude?.line === 'sonnet' && claude.version === 5;
      if (isOff && isHigh && !isSonnet5)
        yield `"thinking.type.${type}" is not supported with effort "${String(effortOf(body))}".`;
      if (type !== 'between_tools') return;
      for (const [field, value] of Object.entries({ display, budget_tokens, block_binding }))
        if (value !== undefined) yield `thinking.between_tools.${field}: Extra inputs are not permitted`;
    },
  },
  {
    rule: 'a thinking budget is at least 1024 and below max_tokens',
    page: THINKING,
    *check({ body }) {
      const { type, budget_tokens } = record(body.thinking);
      if (type !== 'enabled') return;
      if (!(Number(budget_tokens) >= 1024))
        yield 'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024';
      if (Number(body.max_tokens) <= Number(budget_tokens))
        yield '`max_tokens` must be greater than `thinking.budget_tokens`.';
    },
  },
  {
    rule: 'display is summarized or omitted, or updates with its beta header',
    page: THINKING,
    *check({ body, headers }) {
      const { type, display } = record(body.thinking);
      if (display === undefined) return;
      if (type === 'disabled') yield 'thinking.disabled.display: Extra inputs are not permitted';
      const known = ['summarized', 'omitted'];
      if (betasOf({ body, headers }).has(UPDATES_BETA)) known.push('updates');
      if (!known.includes(String(display)))
        yield `thinking.${String(type)}.display: Input should be ${known.map((value) => `'${value}'`).join(' or ')}`;
    },
  },
  {
    rule: 'sampling parameters keep their defaults on models since 4.7, and while thinking is on',
    page: THINKING,
    *check({ body, model }) {
      const claude = claudeOf(model);
      const { temperature, top_p, top_k } = body;
      if (typeof temperature === 'number' && (temperature < 0 || temperature > 1))
        yield 'temperature: range: 0..1';
      if (rejectsSampling(claude)) {
        const sampling = { temperature: temperature === 1 ? undefined : temperature, top_p, top_k };
        for (const [field, value] of Object.entries(sampling))
          if (value !== undefined) yield `\`${field}\` is not supported for this model.`;
      } else if (['enabled', 'adaptive'].includes(String(record(body.thinking).type))) {
        if (temperature !== undefined && temperature !== 1)
          yield '`temperature` may only be set to 1 when thinking is enabled.';
        if (top_p !== undefined && !(Number(top_p) >= 0.95 && Number(top_p) <= 1))
          yield '`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.';
        if (top_k !== undefined) yield '`top_k` must be unset when thinking is enabled.';
      }
    },
  },
  {
    rule: 'newer models do not take forced tool use, nor does any with a thinking budget',
    page: 'build-with-claude/thinking-troubleshooting',
    *check({ body, model }) {
      const { type } = record(body.tool_choice);
      if (type !== 'any' && type !== 'tool') return;
      if (rejectsForcedTools(claudeOf(model)))
        yield 'tool_choice: type "tool" and "any" are not supported for this model.';
      if (record(body.thinking).type === 'enabled')
        yield 'Thinking may not be enabled when tool_choice forces tool use.';
    },
  },
  {
    rule: 'each model takes its own effort levels',
    page: EFFORT,
    *check({ body, model }) {
      const claude = claudeOf(model);
      const levels = claude && effortsOf(claude);
      const effort = effortOf(body);
      if (effort === undefined || !levels) return;
      if (levels.length === 0) yield 'This model does not support the effort parameter.';
      else if (!levels.includes(String(effort)))
        yield `output_config.effort: Input should be ${levels.map((level) => `'${level}'`).join(', ')}`;
    },
  },
  {
    rule: 'effort per message needs its beta header and a model that supports it',
    page: EFFORT,
    *check({ body, model, headers }) {
      const claude = claudeOf(model);
      for (const [i, { role, output_config }] of records(body.messages).entries()) {
        if (output_config === undefined) continue;
        if (role !== 'system' || !betasOf({ body, headers }).has(EFFORT_BETA))
          yield `messages.${i}.output_config: Extra inputs are not permitted`;
        else if (claude && !takesEffortPerMessage(claude))
          yield 'output_config.effort requires a model that supports per-turn effort; this model does not';
        const inEffect = effortOf(body) ?? 'high';
        if (record(body.thinking).type === 'between_tools' && record(output_config).effort !== inEffect)
          yield '"thinking.type.between_tools" is not supported with a per-message effort that differs from the one in effect.';
      }
    },
  },
];
