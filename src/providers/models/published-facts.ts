import type { Effort, EffortLevels } from '../../contract/request/effort.ts';
import { fieldsOf, windowAs } from '../local/query-server.ts';
import type { Facts, Usd } from './facts.ts';

/** What a vendor publishes about a model; the rest is unknown. */
export type PublishedFacts = Partial<Pick<Facts, 'window' | 'output' | 'usd' | 'effort'>> & {
  can?: Partial<Facts['can']>;
};

const MILLION = 1_000_000;
const LEVELS: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];

/**
 * The models in a vendor's answer, by name. Vendors name the same facts differently: Anthropic's Models API, OpenRouter,
 * Gemini, Mistral, Groq, Moonshot and servers such as vLLM are understood. What is not plausible is left out.
 */
export function parsePublished(answer: unknown): Record<string, PublishedFacts> {
  const { data, models } = fieldsOf(answer);
  const rows = [answer, data, models].find(Array.isArray) ?? [];
  return Object.fromEntries(
    rows.flatMap((row: unknown) => {
      const fields = fieldsOf(row);
      const id = fields.id ?? fields.name;
      return typeof id === 'string' ? [[id.replace(/^models\//, ''), factsIn(fields)]] : [];
    }),
  );
}

function factsIn(row: Record<string, unknown>): PublishedFacts {
  const { max_completion_tokens: routed } = fieldsOf(row.top_provider);
  const { contextWindow: window } = windowAs(
    row.max_input_tokens,
    row.context_length,
    row.context_window,
    row.max_context_length,
    row.max_model_len,
    row.inputTokenLimit,
  );
  const { contextWindow: output } = windowAs(
    row.max_tokens,
    routed,
    row.max_completion_tokens,
    row.max_output_tokens,
    row.outputTokenLimit,
  );
  const usd = pricesIn(fieldsOf(row.pricing));
  const effort = effortIn(fieldsOf(row.capabilities));
  const can = abilitiesIn(row);
  return {
    ...(window !== undefined && { window }),
    ...(output !== undefined && { output }),
    ...(usd && { usd }),
    ...(effort && { effort }),
    ...(Object.keys(can).length > 0 && { can }),
  };
}

/** US dollars per token, as text. */
function pricesIn(pricing: Record<string, unknown>): Usd | null {
  const { prompt, completion, input_cache_read: read, input_cache_write: write } = pricing;
  const [input, output] = [perMillion(prompt), perMillion(completion)];
  if (input === undefined || output === undefined) return null;
  return [input, output, perMillion(read) ?? input, perMillion(write) ?? input];
}

function perMillion(text: unknown): number | undefined {
  const usd = typeof text === 'string' && text !== '' ? Number(text) : Number.NaN;
  return usd >= 0 && usd < 1 ? Number((usd * MILLION).toFixed(6)) : undefined;
}

function effortIn({ effort, thinking }: Record<string, unknown>): EffortLevels | null {
  const byLevel = fieldsOf(effort);
  if (!isSupported(byLevel)) return null;
  const { disabled } = fieldsOf(fieldsOf(thinking).types);
  const levels = LEVELS.filter((level) => isSupported(byLevel[level]));
  return { levels: isSupported(disabled) ? ['none', ...levels] : levels };
}

function isSupported(capability: unknown): boolean {
  return fieldsOf(capability).supported === true;
}

function abilitiesIn(row: Record<string, unknown>): Partial<Facts['can']> {
  const { image_input: images, thinking, vision, function_calling: calls } = fieldsOf(row.capabilities);
  const { input_modalities: modalities } = fieldsOf(row.architecture);
  const parameters = row.supported_parameters;
  const found = {
    tools: Array.isArray(parameters) ? parameters.includes('tools') : calls,
    images: Array.isArray(modalities)
      ? modalities.includes('image')
      : (vision ?? row.supports_image_in ?? fieldsOf(images).supported),
    thinking: Array.isArray(parameters)
      ? parameters.includes('reasoning')
      : (row.supports_reasoning ?? row.thinking ?? fieldsOf(thinking).supported),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => typeof value === 'boolean'));
}
