import { describe, test } from 'vitest';
import type { Json } from '../../protocol.ts';
import { anthropicRules } from '../anthropic.ts';
import { changed, expectVerdict, sampleRequest, type Verdict } from '../sample-request.ts';

export const user = { role: 'user', content: 'hi' };
export const good = { model: 'claude-sonnet-5', max_tokens: 100, messages: [user] };
export const use = (id: string, more: Json = {}) => ({
  type: 'tool_use',
  id,
  name: 'Read',
  input: {},
  ...more,
});
export const result = (id: string, more: Json = {}) => ({
  type: 'tool_result',
  tool_use_id: id,
  content: 'text',
  ...more,
});
export const talk = (assistant: unknown[], next: unknown[]) => ({
  messages: [user, { role: 'assistant', content: assistant }, { role: 'user', content: next }],
});
export const tool = (change: Json) => ({
  tools: [{ name: 'Read', input_schema: { type: 'object' }, ...change }],
});
export const text = (said: string, more: Json = {}) => ({ type: 'text', text: said, ...more });
export const mark = (ttl?: string) => ({ cache_control: { type: 'ephemeral', ...(ttl && { ttl }) } });
export const model = (id: string, more: Json = {}) => ({ model: id, ...more });
export const thinking = (type: string, more: Json = {}) => ({ thinking: { type, ...more } });
export const effort = (level: string) => ({ output_config: { effort: level } });
export const system = (content: unknown, more: Json = {}) => ({
  model: 'claude-sonnet-5-5',
  messages: [user, { role: 'system', content, ...more }],
});
export const picture = (data: string) => ({
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data },
});
export const pictures = (count: number, data: string) => ({
  messages: [{ role: 'user', content: Array.from({ length: count }, () => picture(data)) }],
});

export type Row = [sentence: string, change: Json, verdict: Verdict, headers?: Record<string, string>];
export const beta = (...values: string[]) => ({ 'anthropic-beta': values.join(', ') });
export const NEW = { 'anthropic-version': '2026-10-21' };

export function expectRows(title: string, rows: Row[]): void {
  describe(title, () => {
    test.each(rows)('%s', (_sentence, change, verdict, headers = {}) => {
      const body = changed(good, change);
      const request = sampleRequest(body, { headers: { 'anthropic-version': '2023-06-01', ...headers } });
      expectVerdict(anthropicRules, request, verdict);
    });
  });
}
