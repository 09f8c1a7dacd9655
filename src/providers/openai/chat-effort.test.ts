import { describe, expect, test } from 'vitest';
import { hello } from '../../../test/support/loopback.ts';
import type { Effort } from '../../contract/request/effort.ts';
import { infoOf } from '../models/models.ts';
import { findPreset, type Preset } from '../presets.ts';
import { toWire } from './chat-wire.ts';

/** The fields of a request to the vendor that carry the effort. */
function sent(vendor: string, model: string, effort: Effort | undefined) {
  const { quirks = {}, effort: usual, local } = findPreset(vendor) as Preset;
  const known = infoOf(vendor, model);
  const info = {
    ...known,
    ...(!known.effort && usual && { effort: usual }),
    abilities: { ...known.abilities, ...(local && { thinking: true }) },
  };
  const body = toWire(
    { ...hello(), model, ...(effort && { effort }) },
    { name: vendor, baseUrl: '', quirks, infoOf: () => info },
  );
  const { reasoning_effort, thinking, reasoning, chat_template_kwargs } = body as unknown as Record<
    string,
    unknown
  >;
  return JSON.parse(JSON.stringify({ reasoning_effort, thinking, reasoning, chat_template_kwargs }));
}

const on = { type: 'enabled' };
const off = { type: 'disabled' };
const preserved = { type: 'enabled', clear_thinking: false };
const template = (enable_thinking: boolean, reasoning_effort?: string) => ({
  ...(reasoning_effort && { reasoning_effort }),
  chat_template_kwargs: { enable_thinking, ...(reasoning_effort && { reasoning_effort }) },
});

type Row = [vendor: string, model: string, wanted: Partial<Record<Effort | 'default', object>>];

const rows: Row[] = [
  [
    'deepseek',
    'deepseek-v4-pro',
    {
      default: {},
      none: { thinking: off },
      low: { reasoning_effort: 'low' },
      medium: { reasoning_effort: 'low' },
      xhigh: { reasoning_effort: 'high' },
      max: { reasoning_effort: 'max' },
    },
  ],
  [
    'moonshot',
    'kimi-k3.1-pro',
    {
      default: {},
      none: { reasoning_effort: 'low' },
      medium: { reasoning_effort: 'low' },
      high: { reasoning_effort: 'high' },
      max: { reasoning_effort: 'max' },
    },
  ],
  ['moonshot', 'kimi-k2.7-code', { default: {}, none: {}, high: {}, max: {} }],
  ['moonshot', 'kimi-k2.6', { none: { thinking: off }, max: { thinking: on } }],
  [
    'zai',
    'glm-5.3',
    {
      default: { thinking: preserved },
      none: { thinking: preserved, reasoning_effort: 'low' },
      max: { thinking: preserved, reasoning_effort: 'max' },
    },
  ],
  [
    'zai',
    'glm-5.2',
    {
      none: { thinking: off },
      low: { thinking: off },
      medium: { thinking: preserved, reasoning_effort: 'high' },
    },
  ],
  [
    'zai',
    'glm-4.7',
    { default: { thinking: preserved }, none: { thinking: off }, max: { thinking: preserved } },
  ],
  ['qwen', 'qwen3.8-max', { none: { reasoning_effort: 'none' }, minimal: { reasoning_effort: 'minimal' } }],
  ['mistral', 'mistral-large-4', { none: { reasoning_effort: 'low' }, max: { reasoning_effort: 'high' } }],
  [
    'mistral',
    'mistral-medium-latest',
    { low: { reasoning_effort: 'none' }, high: { reasoning_effort: 'high' } },
  ],
  ['mistral', 'codestral-latest', { high: {} }],
  ['openrouter', 'z-ai/glm-5.3', { medium: { reasoning: { effort: 'low' } } }],
  ['openrouter', 'moonshotai/kimi-k2.6', { none: { reasoning: { enabled: false } } }],
  ['groq', 'openai/gpt-oss-120b', { none: { reasoning_effort: 'low' }, max: { reasoning_effort: 'high' } }],
  ...['llamacpp', 'vllm'].map(
    (server): Row => [
      server,
      'qwen3-8b',
      { default: {}, none: template(false), low: template(true, 'low'), max: template(true, 'high') },
    ],
  ),
  ['lmstudio', 'gpt-oss-20b', { none: { reasoning_effort: 'low' }, high: { reasoning_effort: 'high' } }],
];

describe.each(rows)('%s/%s', (vendor, model, wanted) => {
  test.each(Object.entries(wanted))('effort %s', (effort, fields) => {
    expect(sent(vendor, model, effort === 'default' ? undefined : (effort as Effort))).toEqual(fields);
  });
});

test('Kimi gets its own limit field, and no temperature', () => {
  const quirks = findPreset('moonshot')?.quirks ?? {};
  const options = { name: 'moonshot', baseUrl: '', quirks, infoOf: (id: string) => infoOf('moonshot', id) };
  const body = toWire({ ...hello(), model: 'kimi-k2.6', maxTokens: 100, temperature: 0 }, options);
  expect(body).toMatchObject({ max_completion_tokens: 100 });
  expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['max_tokens']));
  expect(Object.keys(body)).not.toEqual(expect.arrayContaining(['temperature']));
});
