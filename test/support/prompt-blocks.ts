import { type Json, type ProtocolName, record, records, type SeenRequest } from './model-server/protocol.ts';

/** A request as a vendor's prompt cache reads it: settings, tools, system texts, then all messages. */
type Shape = { settings: Json; tools: unknown[]; system: unknown[]; said: unknown[] };

/**
 * The blocks of a request, each as its bytes. Cache breakpoints are removed, because they move with every
 * request, and so are output limits and routing fields: neither is part of the prompt.
 */
export function promptBlocks({ protocol, path, body }: SeenRequest): string[] {
  const { settings, tools, system, said } = shapes[protocol](withoutBreakpoints(body) as Json);
  const { prompt_cache_key: _, ...same } = settings;
  return [{ path, ...same }, ...tools, ...system, ...said].map((block) => JSON.stringify(block));
}

/**
 * The first block of `earlier` that differs from `later` at the same position, or null when there is none.
 */
export function firstDifference(earlier: readonly string[], later: readonly string[]): string | null {
  const at = earlier.findIndex((block, i) => block !== later[i]);
  return at === -1 ? null : `block ${at}\n- ${earlier[at]}\n+ ${later[at] ?? '(nothing)'}`;
}

const shapes: Record<ProtocolName, (body: Json) => Shape> = {
  anthropic({ tools, system, messages, max_tokens: _, ...settings }) {
    return { settings, tools: records(tools), system: records(system), said: spread(messages, 'content') };
  },
  'openai-responses'({ tools, instructions, input, max_output_tokens: _, ...settings }) {
    return { settings, tools: records(tools), system: [instructions], said: records(input) };
  },
  'openai-chat'({ tools, messages, max_tokens: _, max_completion_tokens: __, ...settings }) {
    return { settings, tools: records(tools), system: [], said: records(messages) };
  },
  google({ tools, systemInstruction, contents, generationConfig, ...rest }) {
    const { maxOutputTokens: _, ...settings } = record(generationConfig);
    return {
      settings: { ...rest, ...settings },
      tools: spread(tools, 'functionDeclarations'),
      system: records(record(systemInstruction).parts),
      said: spread(contents, 'parts'),
    };
  },
  ollama({ tools, messages, options, ...rest }) {
    const { num_ctx: _, num_predict: __, ...settings } = record(options);
    return { settings: { ...rest, ...settings }, tools: records(tools), system: [], said: records(messages) };
  },
};

/** Turns grow by their parts: each part counts separately, with its role. */
function spread(turns: unknown, name: string): unknown[] {
  return records(turns).flatMap(({ [name]: parts, ...turn }) =>
    records(parts).map((part) => ({ ...turn, part })),
  );
}

function withoutBreakpoints(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutBreakpoints);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => name !== 'cache_control');
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutBreakpoints(inner)]));
}
