import type { ToolDefinition } from '../../contract/request/tool-definition.ts';
import { isObject } from '../../lib/text/json.ts';
import { type TextFormat, writeCall, writeReply } from './history.ts';

type Schema = Record<string, unknown>;

/** The system prompt with the tools and the call format, for a model without native tool calls. */
export function writeSystem(system: string, tools: readonly ToolDefinition[], format: TextFormat): string {
  const instructions = format === 'grammar' ? jsonInstructions(tools) : blockInstructions(tools, format);
  return `${system}\n\n# Tools\n${instructions}\n\n${tools.map(describe).join('\n\n')}`.trimStart();
}

function blockInstructions(tools: readonly ToolDefinition[], format: 'xml' | 'fence'): string {
  return `You act by calling tools. To call one, write a block of exactly this form:

${writeCall(exampleCall(tools), format)}

- One JSON object per block, in double quotes, line breaks in strings as \\n. Several calls: several blocks.
- After your last block stop writing. The results come in the next user message; never invent one.
- When nothing is left to call, answer in plain text without a block.`;
}

function jsonInstructions(tools: readonly ToolDefinition[]): string {
  return `You act by calling tools. Every reply is one JSON object. To call a tool:

${writeReply('', [exampleCall(tools)])}

To answer when nothing is left to call:

${writeReply('Done: the file is there.', [])}

- The results come in the next user message; never invent one.`;
}

function describe({ name, description, parameters }: ToolDefinition): string {
  const required = requiredOf(parameters);
  const lines = Object.entries(propertiesOf(parameters)).map(([key, schema]) => {
    const need = required.includes(key) ? ', required' : '';
    const about = typeof schema.description === 'string' ? `: ${schema.description}` : '';
    return `- ${key} (${typeName(schema)}${need})${about}`;
  });
  return [`## ${name}`, description, ...lines].join('\n');
}

/** A short name for a simple type; the schema itself for anything structured. */
function typeName({ description: _, default: fallback, ...schema }: Schema): string {
  const after = fallback === undefined ? '' : `, default ${JSON.stringify(fallback)}`;
  if (Array.isArray(schema.enum))
    return schema.enum.map((value) => JSON.stringify(value)).join(' | ') + after;
  if (typeof schema.type !== 'string' || schema.properties !== undefined)
    return JSON.stringify(schema) + after;
  if (schema.type !== 'array') return schema.type + after;
  return `list of ${isObject(schema.items) ? typeName(schema.items) : 'anything'}${after}`;
}

/** The first tool with required parameters, called with them. */
function exampleCall(tools: readonly ToolDefinition[]): { name: string; input: unknown } {
  const tool = tools.find(({ parameters }) => requiredOf(parameters).length > 0) ?? tools[0];
  if (!tool) return { name: 'Name', input: {} };
  const properties = propertiesOf(tool.parameters);
  const input = requiredOf(tool.parameters).map((key) => [key, exampleValue(key, properties[key] ?? {})]);
  return { name: tool.name, input: Object.fromEntries(input) };
}

function exampleValue(key: string, { type, enum: values }: Schema): unknown {
  if (Array.isArray(values)) return values[0];
  if (type === 'integer' || type === 'number') return 1;
  if (type === 'boolean') return true;
  if (type === 'array') return [];
  if (type === 'object') return {};
  if (/path|file/i.test(key)) return 'src/main.ts';
  return /command/i.test(key) ? 'ls' : 'text';
}

function propertiesOf({ properties }: Schema): Record<string, Schema> {
  if (!isObject(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).map(([key, value]) => [key, isObject(value) ? value : {}]),
  );
}

function requiredOf({ required }: Schema): string[] {
  return Array.isArray(required) ? required.filter((key) => typeof key === 'string') : [];
}
