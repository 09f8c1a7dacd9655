import { readLoose } from '../../lib/loose/loose-json.ts';
import { isObject } from '../../lib/text/json.ts';
import { readTagged } from './tagged.ts';
import type { TextCall } from './text-call.ts';

export type ReadOptions = {
  /** The block was closed: brackets missing before its end were forgotten, not cut off. */
  closed: boolean;
  /** Accept only objects that name their arguments. */
  explicit: boolean;
  /** Names that may be the key of the arguments. */
  tools?: readonly string[];
};

const NAME_KEYS = ['name', 'tool', 'tool_name', 'function', 'function_name', 'action', 'recipient_name'];
const ARGUMENT_KEYS = ['parameters', 'arguments', 'input', 'args', 'action_input', 'tool_input', 'params'];

const RAW_NAME = /(?<!\w)["']?(?:name|tool|tool_name)["']?\s*:\s*["']([^"'\n]{1,200})["']/;
const RAW_HEAD = new RegExp(
  `^\\{\\s*${RAW_NAME.source}\\s*,?\\s*["']?(?:${ARGUMENT_KEYS.join('|')})["']?\\s*:\\s*(?=\\S)`,
);

/** The calls in a block's body, one object each or as a list; undefined if it contains anything else. */
export function readCalls(
  body: string,
  { closed, explicit, tools = [] }: ReadOptions,
): TextCall[] | undefined {
  const text = withoutFence(body);
  const tagged = explicit ? undefined : readTagged(text);
  if (tagged) return tagged;
  const calls: TextCall[] = [];
  let at = 0;
  do {
    const read = readLoose(text, { from: at, fill: closed });
    if (!read) return undefined;
    for (const value of Array.isArray(read.value) ? read.value : [read.value]) {
      const call = toCall(value, explicit ? 'explicit' : 'any', tools);
      if (!call) return undefined;
      calls.push(call);
    }
    // An extra closing bracket is a common mistake, and so is a comma between objects.
    at = read.end + (/^[\s,\]}]*/.exec(text.slice(read.end))?.[0].length ?? 0);
  } while (at < text.length);
  return calls.length > 0 ? calls : undefined;
}

/**
 * A body that is not parseable JSON, as a call with the raw text: the arguments if their start is clear, else
 * all of it. Undefined without a name, and for JSON that is something else.
 */
export function rawCall(body: string): TextCall | undefined {
  const text = withoutFence(body);
  if (readLoose(text, { from: 0, fill: false })?.end === text.length) return undefined;
  const name = RAW_NAME.exec(text)?.[1];
  if (name === undefined) return undefined;
  return { name, json: text.replace(RAW_HEAD, '') };
}

/** The call that an object is: its name and arguments under any of their keys, or `{"Read": {…}}`. */
export function toCall(
  value: unknown,
  wanted: 'explicit' | 'any',
  tools: readonly string[],
): TextCall | undefined {
  if (!isObject(value) || isDefinition(value)) return undefined;
  if (isObject(value.function)) return toCall(value.function, wanted, tools);
  const [only = '', ...others] = Object.keys(value);
  if (others.length === 0 && tools.includes(only) && isObject(value[only]))
    return { name: only, json: JSON.stringify(value[only]) };
  const nameKey = NAME_KEYS.find((key) => typeof value[key] === 'string' && value[key] !== '');
  if (nameKey === undefined) return undefined;
  const name = String(value[nameKey]);
  const argumentsKey = ARGUMENT_KEYS.find((key) => Object.hasOwn(value, key));
  if (argumentsKey !== undefined) {
    const json = argumentsJson(value[argumentsKey]);
    return wanted === 'explicit' && !json.startsWith('{') ? undefined : { name, json };
  }
  if (wanted === 'explicit') return undefined;
  const { [nameKey]: _, ...rest } = value;
  return { name, json: JSON.stringify(rest) };
}

/** A tool as it was offered to the model, which some repeat. */
function isDefinition({ description, parameters }: Record<string, unknown>): boolean {
  return typeof description === 'string' && isObject(parameters) && isObject(parameters.properties);
}

function argumentsJson(value: unknown): string {
  if (value === null || value === '') return '{}';
  if (typeof value !== 'string') return JSON.stringify(value);
  const read = readLoose(value, { from: 0, fill: false });
  const whole = read && isObject(read.value) && value.slice(read.end).trim() === '';
  return whole ? JSON.stringify(read.value) : value;
}

function withoutFence(body: string): string {
  return body
    .trim()
    .replace(/^`{3,}[ \t]*\w*/, '')
    .replace(/(?:`{3,}|<\/tool_call>)$/, '')
    .trim();
}
