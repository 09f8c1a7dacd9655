import { readLoose } from '../../lib/loose/loose-json.ts';
import { isObject } from '../../lib/text/json.ts';
import { toCall } from './calls.ts';
import { BETWEEN, MARKS } from './formats.ts';
import { readTagged } from './tagged.ts';
import type { TextCall } from './text-call.ts';

type Read = { calls: TextCall[]; end: number };
/** Reads one call, or a list of them, at a place in a text. */
type ReadAt = (text: string, at: number, tools: readonly string[]) => Read | undefined;

/** Calls at the start of a text, in any format of a model, and where they end; undefined if there are none. */
export function readMarked(text: string, tools: readonly string[]): Read | undefined {
  const calls: TextCall[] = [];
  let at = skip(text, 0);
  let end = 0;
  for (;;) {
    const read = READERS.reduce<Read | undefined>(
      (found, reader) => found ?? reader(text, at, tools),
      undefined,
    );
    if (!read) break;
    calls.push(...read.calls);
    end = skip(text, read.end);
    at = end;
  }
  return calls.length > 0 ? { calls, end } : undefined;
}

function skip(text: string, from: number): number {
  BETWEEN.lastIndex = from;
  return from + (BETWEEN.exec(text)?.[0].length ?? 0);
}

/** The call that could not be read after a mark, for the model to write again; undefined if it names no tool. */
export function markedAttempt(text: string, tools: readonly string[]): TextCall | undefined {
  const head = text.slice(0, ATTEMPT_HEAD);
  const name = tools.find((tool) => new RegExp(`(?<!\\w)${escaped(tool)}(?!\\w)`).test(head));
  return name === undefined ? undefined : { name, json: text };
}

const ATTEMPT_HEAD = 200;

/** Text in which the brackets of tags were escaped throughout: nothing else in it has brackets. */
export function unescapedTags(text: string): string | undefined {
  if (!text.startsWith('&lt;') || /[<>]/.test(text)) return undefined;
  const plain = text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"');
  return plain.replaceAll('&#39;', "'").replaceAll('&amp;', '&');
}

/** `[{"name": …}]`, `{"tool_name": …}`, `{"Read": {…}}`. */
const jsonCalls: ReadAt = (text, at, tools) => {
  if (!/[{[]/.test(text.charAt(at))) return undefined;
  const read = readLoose(text, { from: at, fill: true });
  if (!read) return undefined;
  const values = Array.isArray(read.value) ? read.value : [read.value];
  const calls = values.flatMap((value: unknown) => toCall(value, 'any', tools) ?? []);
  if (calls.length === 0 || calls.length < values.length) return undefined;
  return { calls, end: read.end + (/^\s*[}\]]*/.exec(text.slice(read.end))?.[0].length ?? 0) };
};

const NAMED =
  /(?:functions?\.|default_api\.|tools?\.|call:|>>>|Action:\s*|(?:function)?<[|｜]tool▁sep[|｜]>)?([\w.-]{1,100}?)(?::\d+)?(?:\[CALL_ID\]\w+)?\s*(?:\[ARGS\]|<\|tool_call_argument_begin\|>|<[|｜]tool▁sep[|｜]>|<\|message\|>|\n?Action Input:)?\s*(?:`{3,}(?:json)?\s*)?(?=\{)/y;

/** A name, then the arguments: Mistral, Kimi K2, DeepSeek, Gemma, ReAct. */
const namedCall: ReadAt = (text, at) => {
  NAMED.lastIndex = at;
  const found = NAMED.exec(text);
  if (!found) return undefined;
  const read = readLoose(text, { from: at + found[0].length, fill: true });
  if (!isObject(read?.value)) return undefined;
  return { calls: [{ name: found[1] ?? '', json: JSON.stringify(read.value) }], end: read.end };
};

const CALL_HEAD =
  /(?:print\()?(?:default_api\.|functions?\.|tools?\.)?([A-Za-z_][\w.-]{0,100}?)(?:\.call)?\(/y;

/** `Read(file_path="a.txt")`, in a list or not: Llama, LFM, OLMo, Gemma 3. */
const pythonCalls: ReadAt = (text, from) => {
  let at = text.charAt(from) === '[' ? from + 1 : from;
  const calls: TextCall[] = [];
  for (;;) {
    at += /^\s*/.exec(text.slice(at))?.[0].length ?? 0;
    CALL_HEAD.lastIndex = at;
    const head = CALL_HEAD.exec(text);
    const read = head && pythonArguments(text, at + head[0].length);
    if (!head || !read) break;
    calls.push({ name: head[1] ?? '', json: read.json });
    at = read.end;
    if (head[0].startsWith('print(') && text.charAt(at) === ')') at++;
    const next = /^\s*,/.exec(text.slice(at));
    if (!next) break;
    at += next[0].length;
  }
  if (calls.length === 0) return undefined;
  const close = text.charAt(from) === '[' ? /^\s*,?\s*\]/.exec(text.slice(at))?.[0].length : 0;
  return close === undefined ? undefined : { calls, end: at + close };
};

function pythonArguments(text: string, from: number): { json: string; end: number } | undefined {
  const entries = new Map<string, unknown>();
  let at = from;
  for (;;) {
    at += /^[\s,]*/.exec(text.slice(at))?.[0].length ?? 0;
    if (text.charAt(at) === ')') return { json: JSON.stringify(Object.fromEntries(entries)), end: at + 1 };
    const key = /^([A-Za-z_]\w*)\s*=\s*/.exec(text.slice(at));
    const read = readLoose(text, { from: at + (key?.[0].length ?? 0), fill: false });
    if (!read) return undefined;
    if (!key) {
      const close = entries.size === 0 ? /^\s*\)/.exec(text.slice(read.end)) : null;
      return close ? { json: JSON.stringify(read.value), end: read.end + close[0].length } : undefined;
    }
    if (entries.has(key[1] ?? '')) return undefined;
    entries.set(key[1] ?? '', read.value);
    at = read.end;
    if (!/^\s*[,)]/.test(text.slice(at))) return undefined;
  }
}

const INVOKE =
  /<(?:[a-z]+:|[|｜]DSML[|｜])?invoke name="([^"\n]+)"\s*>([\s\S]*?)<\/(?:[a-z]+:|[|｜]DSML[|｜])?invoke>/y;
const INVOKED =
  /<(?:[a-z]+:|[|｜]DSML[|｜])?parameter name="([^"\n]+)"(?: string="(true|false)")?[^>\n]*>([\s\S]*?)<\/(?:[a-z]+:|[|｜]DSML[|｜])?parameter>/g;
const K3_CALL = /<\|open\|>call tool="([^"\n]+)"[^<\n]*<\|sep\|>([\s\S]*?)<\|close\|>call<\|sep\|>/y;
const K3_ARGUMENT =
  /<\|open\|>argument key="([^"\n]+)" type="(\w+)"<\|sep\|>([\s\S]*?)<\|close\|>argument<\|sep\|>/g;
const K3_JSON = /^<\|open\|>json[^<\n]*<\|sep\|>([\s\S]*)<\|close\|>json<\|sep\|>$/;

/** `<invoke name="Read"><parameter name="file_path">…`: MiniMax M2, DeepSeek V3.2, Muse, Claude. */
const invokedCall: ReadAt = (text, at) => {
  INVOKE.lastIndex = at;
  const found = INVOKE.exec(text);
  const input = found && valuesIn(found[2] ?? '', INVOKED, (kind) => kind === 'false');
  return found && input
    ? { calls: [{ name: found[1] ?? '', json: JSON.stringify(input) }], end: at + found[0].length }
    : undefined;
};

const k3Call: ReadAt = (text, at) => {
  K3_CALL.lastIndex = at;
  const found = K3_CALL.exec(text);
  if (!found) return undefined;
  const [whole, name = '', body = ''] = found;
  const json = K3_JSON.exec(body.trim())?.[1];
  const input = json === undefined && valuesIn(body, K3_ARGUMENT, (kind) => kind !== 'string');
  if (json === undefined && !input) return undefined;
  return { calls: [{ name, json: json ?? JSON.stringify(input) }], end: at + whole.length };
};

/** Values by name. Undefined if one name has two, or if anything stands outside of them. */
function valuesIn(
  body: string,
  pattern: RegExp,
  isJson: (kind: string | undefined) => boolean,
): Record<string, unknown> | undefined {
  if (body.replaceAll(pattern, '').trim() !== '') return undefined;
  const entries = new Map<string, unknown>();
  for (const [, name = '', kind, value = ''] of body.matchAll(pattern)) {
    if (entries.has(name)) return undefined;
    const read = isJson(kind) ? readLoose(value, { from: 0, fill: false }) : undefined;
    entries.set(name, read ? read.value : value);
  }
  return Object.fromEntries(entries);
}

const FUNCTION_TAG = /<function=[\w.:-]+>\s*(?:<parameter=[\s\S]*?<\/function>|<\/function>)/y;
const FUNCTION_JSON = /<function=([\w.:-]+)>\s*(?=\{)/y;

/** `<function=Read><parameter=file_path>…` of Qwen 3 Coder, `<function=Read>{…}</function>` of Llama 3.1. */
const functionTag: ReadAt = (text, at) => {
  FUNCTION_JSON.lastIndex = at;
  const json = FUNCTION_JSON.exec(text);
  if (json) {
    const read = readLoose(text, { from: at + json[0].length, fill: false });
    const close = read && /^\s*<\/function>/.exec(text.slice(read.end))?.[0].length;
    return isObject(read?.value)
      ? { calls: [{ name: json[1] ?? '', json: JSON.stringify(read.value) }], end: read.end + (close ?? 0) }
      : undefined;
  }
  FUNCTION_TAG.lastIndex = at;
  const found = FUNCTION_TAG.exec(text)?.[0] ?? (text.startsWith('<function=', at) ? text.slice(at) : '');
  const calls = found === '' ? undefined : readTagged(found);
  return calls && { calls, end: at + found.length };
};

const READERS: readonly ReadAt[] = [k3Call, invokedCall, functionTag, namedCall, pythonCalls, jsonCalls];

/** Whether a text begins with a mark; `wait` if more text is needed. */
export function markAt(rest: string): { head: string } | 'wait' | undefined {
  const mark = MARKS.find((word) => rest.startsWith(word));
  if (mark === undefined) return MARKS.some((word) => word.startsWith(rest)) ? 'wait' : undefined;
  const body = rest.slice(mark.length).trimStart();
  if (/^`{0,2}$/.test(body)) return 'wait';
  return /^[[{<(&\w`|"]/.test(body) && !/^`(?!`)/.test(body) ? { head: mark } : undefined;
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
