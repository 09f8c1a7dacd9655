import { isObject } from '../../lib/text/json.ts';

const DESCRIPTION_LIMIT = 4_000;

/**
 * A server's schema in a form that every vendor accepts: an object at the top level, with its alternatives
 * merged.
 */
export function parametersFor(schema: Record<string, unknown>): Record<string, unknown> {
  const { $schema: _schema, $id: _id, anyOf, oneOf, allOf, not: _not, enum: _enum, ...rest } = schema;
  const folded = [anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? list.filter(isObject) : []));
  const own = isObject(rest.properties) ? rest.properties : {};
  const others = folded.flatMap((one) => (isObject(one.properties) ? Object.entries(one.properties) : []));
  const all = Array.isArray(allOf) ? allOf.filter(isObject) : [];
  const required = [rest, ...all].flatMap((one) => (Array.isArray(one.required) ? one.required : []));
  return {
    ...rest,
    type: 'object',
    properties: { ...Object.fromEntries(others), ...own },
    ...(required.length > 0 && { required: [...new Set(required)] }),
  };
}

export function shortDescription(text: string): string {
  return text.length > DESCRIPTION_LIMIT ? `${text.slice(0, DESCRIPTION_LIMIT)} …` : text;
}
