import * as z from 'zod';
import type { ToolDefinition } from '../contract/provider.ts';
import type { Tool } from '../contract/tool.ts';
import builtin from './parameters.json' with { type: 'json' };

/** What `parametersOf` says of the built-in tools, written down by `npm run docs`: to work it out takes 10 ms. */
const written: Record<string, Record<string, unknown> | undefined> = builtin;

export type Registry = {
  /** By name first, then by alias; case, `_` and `-` do not count. */
  find(name: string): Tool | undefined;
  list(): Tool[];
  /** In the order of the list and the same on every call, so that vendors can cache the prompt's beginning. */
  definitions(): ToolDefinition[];
};

export function createRegistry(tools: readonly Tool[]): Registry {
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    if (byName.has(tool.name)) throw new Error(`Two tools are named ${tool.name}.`);
    byName.set(tool.name, tool);
  }
  const byWord = new Map<string, Tool>();
  const claims = [
    ...tools.map((tool) => ({ tool, word: tool.name })),
    ...tools.flatMap((tool) => (tool.aliases ?? []).map((word) => ({ tool, word }))),
  ];
  for (const { tool, word } of claims) {
    if (!byWord.has(plain(word))) byWord.set(plain(word), tool);
  }
  let definitions: ToolDefinition[] | undefined;

  return {
    find: (name) => byName.get(name) ?? byWord.get(plain(name)),
    list: () => [...tools],
    definitions() {
      definitions ??= tools.map(toDefinition);
      return definitions;
    },
  };
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '');
}

export function toDefinition(tool: Tool): ToolDefinition {
  const { name, description, parameters } = tool;
  return { name, description, parameters: parameters ?? written[name] ?? parametersOf(tool) };
}

/** What tells a model nothing: that a text is not empty, a count not negative, a flag off until it is set. */
const OBVIOUS: readonly (readonly [string, (value: unknown) => boolean])[] = [
  ['maximum', (value) => value === Number.MAX_SAFE_INTEGER],
  ['minimum', (value) => value === 0 || value === 1],
  ['minLength', (value) => value === 1],
  ['minItems', (value) => value === 1],
  ['default', (value) => value === false || value === 0 || (Array.isArray(value) && value.length === 0)],
];

export function parametersOf({ input }: Tool): Record<string, unknown> {
  // As input: a field with a default must not be sent as required.
  const { $schema: _, ...parameters } = z.toJSONSchema(input, {
    io: 'input',
    override({ jsonSchema }) {
      for (const [word, obvious] of OBVIOUS) {
        if (obvious(jsonSchema[word])) delete jsonSchema[word];
      }
    },
  });
  return parameters;
}
