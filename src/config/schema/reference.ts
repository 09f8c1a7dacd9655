import * as z from 'zod';
import { configSchema } from './check-settings.ts';
import { keyAliases } from './schema.ts';

/** The subset of JSON Schema that zod emits for our settings. */
type Schema = {
  type?: string;
  enum?: readonly string[];
  description?: string;
  default?: unknown;
  deprecated?: boolean;
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
};

export type Setting = { key: string; type: string; default: string; description: string };

/** JSON Schema of the configuration file, for editors. */
export function configJsonSchema(): Record<string, unknown> {
  const schema = plainSchema();
  const properties = schema.properties ?? {};
  const aliases = Object.entries(keyAliases).map(([alias, { key, negate }]) => [
    alias,
    {
      type: properties[key]?.type,
      deprecated: true,
      description: `Alias for ${negate ? 'the opposite of ' : ''}${key}`,
    },
  ]);
  return {
    ...schema,
    title: 'Settings for ai-code-assistant',
    properties: { $schema: { type: 'string' }, ...properties, ...Object.fromEntries(aliases) },
  };
}

/** One row per setting, in schema order; `*` is a name chosen by the user. */
export function settingsReference(): Setting[] {
  return rowsOf(plainSchema(), '');
}

/** The keys allowed in the table at this path; empty if any name is allowed, or it is not a table. */
export function keysAt(path: readonly PropertyKey[]): string[] {
  return Object.keys(schemaAt(path)?.properties ?? {});
}

/** What a form needs to know of a setting: `choices` is empty if it takes any text, `usual` applies while it is not set. */
export function describeSetting(path: readonly string[]) {
  const { description = '', enum: choices = [], default: usual } = schemaAt(path) ?? {};
  return { description, choices, usual: usual === undefined ? null : String(usual) };
}

export function isKnownKey(path: readonly string[]): boolean {
  return schemaAt(path) !== undefined;
}

function plainSchema(): Schema {
  // The cast narrows zod's general JSON Schema type to the keywords our schema uses.
  return z.toJSONSchema(configSchema(), { io: 'input' }) as Schema;
}

function schemaAt(path: readonly PropertyKey[]): Schema | undefined {
  let schema: Schema | undefined = plainSchema();
  for (const key of path) {
    const named: Record<string, Schema> = schema?.properties ?? {};
    const any: Schema | boolean | undefined = schema?.additionalProperties;
    if (typeof key === 'string' && Object.hasOwn(named, key)) schema = named[key];
    else schema = typeof any === 'object' ? any : undefined;
  }
  return schema;
}

function rowsOf(schema: Schema, prefix: string): Setting[] {
  const { properties, additionalProperties: any } = schema;
  if (properties) {
    return Object.entries(properties).flatMap(([key, child]) => [
      ...(isTable(child) ? [] : [rowOf(child, prefix + key)]),
      ...rowsOf(child, `${prefix}${key}.`),
    ]);
  }
  if (typeof any !== 'object') return [];
  return isTable(any) ? rowsOf(any, `${prefix}*.`) : [];
}

function isTable(schema: Schema): boolean {
  return schema.properties !== undefined;
}

function rowOf(schema: Schema, key: string): Setting {
  return {
    key,
    type: typeName(schema),
    default: schema.default === undefined ? 'unset' : JSON.stringify(schema.default),
    description: schema.description ?? '',
  };
}

function typeName(schema: Schema): string {
  if (schema.enum) return schema.enum.join(' | ');
  if (schema.type === 'array') return `list of ${schema.items ? typeName(schema.items) : 'value'}s`;
  if (schema.type === 'integer') return 'whole number';
  if (schema.type === 'object') return 'table';
  return schema.type ?? 'value';
}
