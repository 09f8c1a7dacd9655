import type * as z from 'zod';
import { isObject, parseJson } from '../../lib/text/json.ts';

type Issue = z.core.$ZodIssue;
type Parsed = { success: true; data: unknown; input: unknown } | { success: false; error: z.ZodError };

/** Each round may reveal issues further down. */
const MOST_ROUNDS = 4;

/**
 * Parses an input; where that fails, reads values that were meant: null and "" as absent, "4" as 4, "true" as
 * true, JSON in a string where a list or an object belongs. Text stays as it is wherever text is expected.
 */
export function parseInput(schema: z.ZodType, sent: unknown): Parsed {
  let input = sent;
  for (let round = 0; ; round++) {
    const parsed = schema.safeParse(input);
    if (parsed.success) return { success: true, data: parsed.data, input };
    if (round === MOST_ROUNDS) return { success: false, error: parsed.error };
    const fixed = parsed.error.issues.reduce((value, issue) => changedAt(value, issue.path, issue), input);
    if (fixed === input)
      return round === 0 ? { success: false, error: parsed.error } : failed(schema, sent, parsed.error);
    input = fixed;
  }
}

/** The errors of what the model sent, unless what is left of them says more. */
function failed(schema: z.ZodType, sent: unknown, error: z.ZodError): Parsed {
  const first = schema.safeParse(sent);
  return { success: false, error: first.success ? error : first.error };
}

function changedAt(value: unknown, [key, ...rest]: readonly PropertyKey[], issue: Issue): unknown {
  if (key === undefined) return meant(value, issue);
  if (Array.isArray(value) && typeof key === 'number') {
    const item = changedAt(value[key], rest, issue);
    return item === value[key] ? value : value.with(key, item);
  }
  if (!isObject(value) || typeof key !== 'string') return value;
  const fields: Record<string, unknown> = { ...value };
  const old = fields[key];
  if (rest.length === 0 && isAbsent(old)) {
    delete fields[key];
    return fields;
  }
  const field = changedAt(old, rest, issue);
  return field === old ? value : { ...fields, [key]: field };
}

function isAbsent(value: unknown): boolean {
  return value === null || value === '';
}

function meant(value: unknown, issue: Issue): unknown {
  if (typeof value !== 'string' || issue.code !== 'invalid_type') return value;
  const text = value.trim();
  switch (issue.expected as string) {
    case 'number':
    case 'int':
      return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : value;
    case 'boolean':
      return /^(true|false)$/i.test(text) ? text.toLowerCase() === 'true' : value;
    case 'array':
      return jsonOf(text, Array.isArray) ?? value;
    case 'object':
    case 'record':
      return jsonOf(text, isObject) ?? value;
    default:
      return value;
  }
}

function jsonOf(text: string, fits: (json: unknown) => boolean): unknown {
  const json: unknown = parseJson(text);
  return fits(json) ? json : undefined;
}
