import type { TextCall } from './text-call.ts';

/** Bodies of a `<tool_call>` block that are not JSON: the formats of Qwen Coder and GLM. */
const FUNCTION_HEAD = '<function=';
const KEYED_HEAD = /^[\w.:-]{1,64}\s*<arg_key>/;
const KEYED_START = /^[\w.:-]{1,64}\s*(<[a-z_]{0,7})?$/;

/** Whether a body is in this format; `wait` if more text is needed. */
export function taggedBody(body: string): boolean | 'wait' {
  if (body.startsWith(FUNCTION_HEAD) || KEYED_HEAD.test(body)) return true;
  const mayBeKeyed = KEYED_START.test(body) && '<arg_key>'.startsWith(/<[a-z_]*$/.exec(body)?.[0] ?? '');
  return FUNCTION_HEAD.startsWith(body) || mayBeKeyed ? 'wait' : false;
}

const FUNCTION = /<function=([\w.:-]+)>([\s\S]*?)(?:<\/function>|(?=<function=)|$)/g;
const PARAMETER = /<parameter=([\w.-]+)>([\s\S]*?)(?:<\/parameter>|(?=<parameter=)|$)/g;
const KEYED = /<arg_key>\s*([\w.-]+)\s*<\/arg_key>\s*<arg_value>([\s\S]*?)(?:<\/arg_value>|(?=<arg_key>)|$)/g;

/**
 * The calls in such a body; all values are strings. Undefined if it is not in this format, or has text
 * outside of values, which would be lost.
 */
export function readTagged(body: string): TextCall[] | undefined {
  const text = body.trim();
  if (text.startsWith(FUNCTION_HEAD)) {
    if (text.replaceAll(FUNCTION, '').trim() !== '') return undefined;
    const calls = [...text.matchAll(FUNCTION)].map(([, name = '', inside = '']) =>
      callOf(name, inside, PARAMETER),
    );
    const whole = calls.filter((call) => call !== undefined);
    return calls.length > 0 && whole.length === calls.length ? whole : undefined;
  }
  if (!KEYED_HEAD.test(text)) return undefined;
  const name = /^[\w.:-]+/.exec(text)?.[0] ?? '';
  const call = callOf(name, text.slice(name.length), KEYED);
  return call && [call];
}

function callOf(name: string, inside: string, pattern: RegExp): TextCall | undefined {
  if (inside.replaceAll(pattern, '').trim() !== '') return undefined;
  const entries = [...inside.matchAll(pattern)].map(
    ([, key = '', value = '']) => [key, withoutFrame(value)] as const,
  );
  const keys = new Set(entries.map(([key]) => key));
  return keys.size === entries.length
    ? { name, json: JSON.stringify(Object.fromEntries(entries)) }
    : undefined;
}

/** One line break at either end belongs to the tags. */
function withoutFrame(value: string): string {
  return value.replace(/^\r?\n/, '').replace(/\r?\n$/, '');
}
