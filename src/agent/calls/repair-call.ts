import * as z from 'zod';
import type { Access } from '../../contract/permission.ts';
import type { Tool } from '../../contract/tool.ts';
import { keywordsIn, tagsIn, valueIn } from '../../lib/loose/loose-arguments.ts';
import { isObject, parseJson, parseObject } from '../../lib/text/json.ts';
import { parseInput } from './parse-input.ts';
import { argumentNames, findTool, plain, plainName, understandCall } from './understand-call.ts';

export type RepairDeps = {
  find(name: string): Tool | undefined;
  /** Whether there is a file or folder of this name. If absent, paths stay as they were sent. */
  pathExists?(path: string): boolean;
};

/** A call as it arrived: its name, and its arguments as text. */
type SentCall = { name: string; json: string };
type RepairedCall = { name: string; input: Record<string, unknown> };

/**
 * The call that was meant, if what the model sent is no valid call and has exactly one reading. Undefined if it is
 * valid, or may mean several things: then nothing runs, and the model gets the error.
 *
 * Content is never guessed at: a reading that leaves the text of strings as it is counts for every tool, any other one
 * only where the call reads.
 */
export function repairCall({ name, json }: SentCall, deps: RepairDeps): RepairedCall | undefined {
  const strict = json.trim() === '' ? {} : parseObject(json);
  const named = namedCall(name, json, strict, deps);
  if (!named) return undefined;
  const { tool, calledAs, text } = named;
  const sent = text === json ? strict : parseObject(text);
  const renamed = calledAs !== name && sent ? { name: calledAs, input: sent } : undefined;
  if (sent && isUnderstood(calledAs, sent, tool, deps)) {
    const input = withCleanPaths(calledAs, sent, tool, deps);
    return input === sent ? renamed : { name: calledAs, input };
  }
  const readings = sent ? readingsOf(sent, tool, deps) : readingsOfText(text, tool, deps);
  const understood = readings.find(
    ({ input, free }) =>
      isUnderstood(calledAs, input, tool, deps) && (!free || onlyReads(calledAs, input, tool, deps)),
  );
  // Broken JSON that reads as an object is answered like any other object.
  const meant = understood ?? (sent ? undefined : readings.find(({ free }) => !free));
  if (!meant) return renamed;
  return { name: calledAs, input: withCleanPaths(calledAs, meant.input, tool, deps) };
}

/** `free`: it changes the text of a value, or decides what argument a value is. */
type Reading = { input: Record<string, unknown>; free?: true };

/** The tool, the name to call it by, and the text of its arguments, wherever the model wrote them. */
function namedCall(
  name: string,
  json: string,
  strict: Record<string, unknown> | undefined,
  { find }: RepairDeps,
): { tool: Tool; calledAs: string; text: string } | undefined {
  const direct = findTool(name, find);
  if (direct) return { tool: direct, calledAs: name, text: json };
  const clean = plainName(name);
  const tool = find(clean);
  if (tool) return { tool, calledAs: clean, text: json };
  const inside = strict && NAME_KEYS.map((key) => strict[key]).find((value) => typeof value === 'string');
  const meant = typeof inside === 'string' && NO_NAME.test(name) ? find(inside) : undefined;
  if (meant) return { tool: meant, calledAs: String(inside), text: json };
  const [, head = '', body = ''] = /^\s*([\w.:-]+)\s*(\(.*\)|\{.*\})\s*$/s.exec(name) ?? [];
  const called = find(plainName(head));
  const isAlone = strict !== undefined && Object.keys(strict).length === 0;
  return called && isAlone ? { tool: called, calledAs: plainName(head), text: body } : undefined;
}

const NO_NAME = /^(function|functions|tool|tool_call|call|json|)$/i;
const NAME_KEYS = ['name', 'tool', 'tool_name', 'toolName', 'function_name', 'function', 'action'];
const ARGUMENT_KEYS = [
  'arguments',
  'parameters',
  'input',
  'args',
  'params',
  'kwargs',
  'tool_input',
  'toolInput',
  'action_input',
  'function',
  'properties',
];
const OTHER_KEYS = ['type', 'id', 'call_id', 'tool_call_id', 'index'];
const MOST_WRAPPERS = 3;

function readingsOf(sent: Record<string, unknown>, tool: Tool, deps: RepairDeps): Reading[] {
  const inner = unwrapped(sent, tool, deps);
  const all = inner ? [inner, sent] : [sent];
  return all.flatMap((input): Reading[] => [{ input }, ...withoutLists(input)]);
}

function readingsOfText(sent: string, tool: Tool, deps: RepairDeps): Reading[] {
  const text = sent.trim();
  const read = valueIn(text, { fill: true });
  const value = onlyObject(read?.value);
  if (value) return readingsOf(value, tool, deps);
  const call = /^([\w.:-]+)?\(([\s\S]*)\)$/.exec(text);
  const isOwn =
    call && (call[1] === undefined || call[1] === 'dict' || deps.find(plainName(call[1])) === tool);
  const keywords = keywordsIn(isOwn ? (call[2] ?? '') : text);
  if (keywords) return readingsOf(keywords, tool, deps);
  const tags = tagsIn(text);
  if (tags) return [{ input: tags, ...(isFramed(tags) && { free: true }) }, ...trimmed(tags)];
  const only = onlyText(read ? read.value : /\s/.test(text) ? undefined : text);
  const required = only === undefined ? undefined : requiredArgument(tool);
  return required === undefined ? [] : [{ input: { [required]: only }, free: true }];
}

/** The arguments inside of a wrapper such as `{"arguments": …}` or `{"name": "Read", "input": …}`. */
function unwrapped(
  sent: Record<string, unknown>,
  tool: Tool,
  deps: RepairDeps,
): Record<string, unknown> | undefined {
  let input = sent;
  for (let depth = 0; depth < MOST_WRAPPERS; depth++) {
    const inner = insideOf(input, tool, deps);
    if (!inner) break;
    input = inner;
  }
  return input === sent ? undefined : input;
}

function insideOf(
  sent: Record<string, unknown>,
  tool: Tool,
  { find }: RepairDeps,
): Record<string, unknown> | undefined {
  const own = new Set((ownNames(tool) ?? []).map(plain));
  const keys = Object.keys(sent);
  if (keys.some((key) => own.has(plain(key)))) return undefined;
  const [only = ''] = keys;
  if (keys.length === 1 && find(only) === tool) return objectOf(sent[only]);
  const holders = keys.filter((key) => ARGUMENT_KEYS.includes(key) && objectOf(sent[key]) !== undefined);
  const [holder] = holders;
  if (holder === undefined || holders.length > 1) return undefined;
  const others = keys.filter((key) => key !== holder);
  const isSame = others.every(
    (key) =>
      OTHER_KEYS.includes(key) ||
      (NAME_KEYS.includes(key) && typeof sent[key] === 'string' && find(plainName(sent[key])) === tool),
  );
  return isSame ? objectOf(sent[holder]) : undefined;
}

/** An object, one in a list, or one written as text. */
function objectOf(value: unknown): Record<string, unknown> | undefined {
  const read = typeof value === 'string' ? valueIn(value, { fill: false })?.value : value;
  return onlyObject(read);
}

function onlyObject(value: unknown): Record<string, unknown> | undefined {
  if (isObject(value)) return value;
  if (Array.isArray(value) && value.length === 1) return onlyObject(value[0]);
  if (typeof value !== 'string') return undefined;
  return onlyObject(parseJson(value) ?? valueIn(value.trim(), { fill: false })?.value);
}

function onlyText(value: unknown): string | undefined {
  const text = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return typeof text === 'string' && /^[^\n{}[\]"]{1,1000}$/.test(text.trim()) ? text.trim() : undefined;
}

/** Lists of one text, as that text. */
function withoutLists(input: Record<string, unknown>): Reading[] {
  const entries = Object.entries(input).map(([key, value]) => {
    const text =
      Array.isArray(value) && value.length === 1 && typeof value[0] === 'string' ? value[0] : value;
    return [key, text] as const;
  });
  const isSame = entries.every(([key, value]) => value === input[key]);
  return isSame ? [] : [{ input: Object.fromEntries(entries), free: true }];
}

/** Whether line breaks at the ends of values may belong to their tags. */
function isFramed(tags: Record<string, string>): boolean {
  return Object.values(tags).some((value) => value.trim() !== value);
}

function trimmed(tags: Record<string, string>): Reading[] {
  const entries = Object.entries(tags).map(([name, value]) => [name, value.trim()] as const);
  return isFramed(tags) ? [{ input: Object.fromEntries(entries), free: true }] : [];
}

/** The argument that one value alone must be. */
function requiredArgument(tool: Tool): string | undefined {
  const names = argumentNames(tool);
  if (!names || !(tool.input instanceof z.ZodObject)) return undefined;
  const shape = tool.input.shape as Record<string, z.ZodType>;
  const required = names.filter((name) => shape[name]?.safeParse(undefined).success === false);
  return required.length === 1 ? required[0] : undefined;
}

function ownNames(tool: Tool): string[] | null {
  const properties = tool.parameters?.properties;
  const names = argumentNames(tool) ?? (isObject(properties) ? Object.keys(properties) : null);
  return names && [...names, ...Object.values(tool.argumentAliases ?? {}).flat()];
}

/** Whether the tool takes the input as it is, with nothing to ignore. */
function isUnderstood(
  calledAs: string,
  input: Record<string, unknown>,
  tool: Tool,
  deps: RepairDeps,
): boolean {
  return parsedFor({ name: calledAs, input }, tool, deps) !== undefined;
}

function parsedFor(
  call: { name: string; input: Record<string, unknown> },
  tool: Tool,
  { find }: RepairDeps,
): { accesses: Access[]; onlyReads: boolean } | undefined {
  const understood = understandCall(call, tool, find);
  if ('refuse' in understood || understood.unknown.length > 0) return undefined;
  const { success, ...parsed } = parseInput(understood.tool.input, understood.input);
  if (!success || !('data' in parsed)) return undefined;
  const names = ownNames(understood.tool);
  // A tool of a server takes any object; its own schema says which keys, unless it allows others.
  const { parameters } = understood.tool;
  const isClosed = parameters !== undefined && !parameters.additionalProperties;
  if (isClosed && names && Object.keys(call.input).some((key) => !names.includes(key))) return undefined;
  const accesses = understood.tool.access(parsed.data);
  const onlyReads =
    accesses.length === 0
      ? understood.tool.onlyReads === true
      : accesses.every(({ kind }) => kind === 'read' || kind === 'fetch' || kind === 'search');
  return { accesses, onlyReads };
}

function onlyReads(calledAs: string, input: Record<string, unknown>, tool: Tool, deps: RepairDeps): boolean {
  return parsedFor({ name: calledAs, input }, tool, deps)?.onlyReads ?? false;
}

/**
 * Paths without the marks that models put around them, where nothing exists by the name as it was sent and something
 * does by the name without them.
 */
function withCleanPaths(
  calledAs: string,
  input: Record<string, unknown>,
  tool: Tool,
  deps: RepairDeps,
): Record<string, unknown> {
  const { pathExists } = deps;
  if (!pathExists) return input;
  const marked = Object.entries(input).filter(([, value]) => typeof value === 'string' && MARKED.test(value));
  if (marked.length === 0) return input;
  const parsed = parsedFor({ name: calledAs, input }, tool, deps);
  if (!parsed?.onlyReads) return input;
  const files = parsed.accesses.filter(({ kind }) => kind === 'read');
  const targets = new Set<unknown>(files.map(({ target }) => target));
  const cleaned = marked.flatMap(([key, value]) => {
    const path = unmarked(String(value));
    const isMeant = targets.has(value) && !pathExists(String(value)) && pathExists(path);
    return isMeant ? [[key, path] as const] : [];
  });
  return cleaned.length === 0 ? input : { ...input, ...Object.fromEntries(cleaned) };
}

const MARKED = /^\s|\s$|^@|^file:\/\/|^`.*`$|^".*"$|^'.*'$|^<.*>$/s;

function unmarked(path: string): string {
  return path
    .trim()
    .replace(/^([`"'])(.*)\1$|^<(.*)>$/s, '$2$3')
    .replace(/^@|^file:\/\//, '')
    .trim();
}
