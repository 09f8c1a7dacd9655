import * as z from 'zod';
import type { Tool } from '../../contract/tool.ts';

type Schema = {
  type?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
};

/** A call that a model can copy: the tool's required arguments, each with what belongs there. */
export function exampleCall(tool: Tool): string {
  const schema = tool.parameters ?? z.toJSONSchema(tool.input, { io: 'input' });
  return `${tool.name} ${JSON.stringify(exampleOf(schema as Schema, 'value'))}`;
}

function exampleOf(schema: Schema, name: string): unknown {
  const { type, description, items, properties = {}, required = [] } = schema;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  switch (type) {
    case 'object':
      return Object.fromEntries(
        required.flatMap((key) => (properties[key] ? [[key, exampleOf(properties[key], key)]] : [])),
      );
    case 'array':
      return [exampleOf(items ?? {}, name)];
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    default:
      return `<${description ?? name}>`;
  }
}
