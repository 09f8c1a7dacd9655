import type { ToolDefinition } from '../contract/request/tool-definition.ts';

/**
 * Tools that a small model can distinguish, with short descriptions and the optional parameters each may
 * need.
 */
const KEPT: Readonly<Record<string, { words: string; extras?: readonly string[] }>> = {
  Read: { words: 'Read a file as numbered lines. offset: first line.', extras: ['offset'] },
  Edit: { words: 'Replace old_string, which must occur exactly once in the file, with new_string.' },
  Write: { words: 'Write a whole file.' },
  Glob: { words: 'Find files by name, such as **/*.ts.' },
  Grep: { words: 'Find lines that match a regular expression.', extras: ['path'] },
  Bash: { words: 'Run a shell command.' },
};

/**
 * A few tools with short descriptions, for models with a small window: enough to read, change and run code.
 */
export function minimalTools(definitions: readonly ToolDefinition[]): ToolDefinition[] {
  return definitions.flatMap(({ name, parameters }) => {
    const kept = Object.hasOwn(KEPT, name) ? KEPT[name] : undefined;
    return kept ? [{ name, description: kept.words, parameters: slim(parameters, kept.extras ?? []) }] : [];
  });
}

function slim(parameters: Record<string, unknown>, extras: readonly string[]): Record<string, unknown> {
  const properties = (parameters.properties ?? {}) as Record<string, { type?: unknown }>;
  const required = (parameters.required ?? []) as string[];
  const kept = Object.entries(properties).filter(([key]) => required.includes(key) || extras.includes(key));
  return {
    type: 'object',
    properties: Object.fromEntries(kept.map(([key, { type }]) => [key, { type }])),
    required,
  };
}
