import type { ToolDefinition } from '../../contract/request/tool-definition.ts';
import { readLoose } from '../../lib/loose/loose-json.ts';
import { parseObject } from '../../lib/text/json.ts';
import type { TextCall } from './text-call.ts';

type Schema = { type?: unknown; properties?: Record<string, Schema> };

/**
 * Converts a call's values to the types its tool expects, if the meaning is unambiguous: models that write
 * calls as text write `"10"` for 10, and 42 for a string. Anything else stays, and the router rejects it.
 */
export function fitTypes(call: TextCall, tools: readonly ToolDefinition[]): TextCall {
  const parameters: Schema | undefined = tools.find(({ name }) => name === call.name)?.parameters;
  const properties = parameters?.properties;
  const input = parseObject(call.json);
  if (!properties || !input) return call;
  const fitted = Object.entries(input).map(([key, value]) => {
    const type = Object.hasOwn(properties, key) ? properties[key]?.type : undefined;
    return [key, fittedTo(type, value)] as const;
  });
  const same = fitted.every(([key, value]) => value === input[key]);
  return same ? call : { ...call, json: JSON.stringify(Object.fromEntries(fitted)) };
}

function fittedTo(type: unknown, value: unknown): unknown {
  if (type === 'string')
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (type === 'number' && /^-?\d{1,15}(\.\d+)?$/.test(text)) return Number(text);
  if (type === 'boolean' && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  if (type !== 'array' && type !== 'object') return value;
  const read = readLoose(text, { from: 0, fill: false });
  const isWhole =
    read !== undefined && read.end === text.length && Array.isArray(read.value) === (type === 'array');
  return isWhole && typeof read.value === 'object' ? read.value : value;
}
