import * as z from 'zod';
import type { AdaptedCall, Arguments, Tool } from '../../contract/tool.ts';
import { isObject } from '../../lib/text/json.ts';

/** `unknown`: names of arguments that the tool does not have, in any spelling. */
export type Understood = { tool: Tool; input: unknown; unknown: string[] } | { refuse: string };

/** Prefixes with which some models write the names of tools. */
const NAMESPACE = /^(functions|default_api|tools|tool)[.:/]/;

/** A tool's name without what models write around it: quotes, brackets, markers, counters, "Tool". */
export function plainName(name: string): string {
  const bare = name.replace(/<\|.*$/s, '').replace(/^[\s"'`*<[]+|[\s"'`*>\]:]+$|\(\s*\)\s*$/g, '');
  const own = bare.replace(
    /^(?:assistant\.)?(?:functions|function|default_api|tools?|tool_call|call)[.:/]\s*/,
    '',
  );
  return own.replace(/[.:]\d+$/, '').replace(/(?<=.)[_-]?tool$/i, '');
}

export function findTool(name: string, find: (name: string) => Tool | undefined): Tool | undefined {
  return find(name) ?? find(name.replace(NAMESPACE, ''));
}

/** A call in the tool's own words, whatever assistant's dialect the model wrote it in. */
export function understandCall(
  call: { name: string; input: unknown },
  tool: Tool,
  find: (name: string) => Tool | undefined,
): Understood {
  const { input } = call;
  if (!isObject(input)) return { tool, input, unknown: [] };
  const adapted = adaptedCall(withOwnNames(input, tool), tool, call.name.replace(NAMESPACE, ''));
  if ('refuse' in adapted) return adapted;
  const other = adapted.tool === undefined ? undefined : find(adapted.tool);
  const target = other ?? tool;
  const renamed = withOwnNames(adapted.input, target);
  const meant = other ? adaptedCall(renamed, other, other.name) : { input: renamed };
  return 'refuse' in meant ? meant : { tool: target, ...withoutUnknown(meant.input, target) };
}

function adaptedCall(input: Arguments, tool: Tool, calledAs: string): AdaptedCall {
  return tool.adapt?.(input, calledAs) ?? { input };
}

/** Renames arguments; of two names for one argument, both stay if their values differ. */
function withOwnNames(input: Arguments, tool: Tool): Arguments {
  const aliases = Object.entries(tool.argumentAliases ?? {});
  const own = new Map([
    ...aliases.flatMap(([name, others]) => others.map((alias): [string, string] => [plain(alias), name])),
    ...aliases.map(([name]): [string, string] => [plain(name), name]),
    ...(argumentNames(tool) ?? []).map((name): [string, string] => [plain(name), name]),
  ]);
  const renamed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    const target = own.get(plain(name)) ?? name;
    const isFree = !Object.hasOwn(input, target) && !Object.hasOwn(renamed, target);
    if (target === name || isFree) renamed[target] = value;
    else if (renamed[target] !== value && input[target] !== value) renamed[name] = value;
  }
  return renamed;
}

function withoutUnknown(input: Arguments, tool: Tool): { input: Arguments; unknown: string[] } {
  const names = argumentNames(tool);
  if (names === null) return { input, unknown: [] };
  const ignored = new Set([...EXPLANATIONS, ...(tool.ignoredArguments ?? [])].map(plain));
  const known = Object.entries(input).filter(([name]) => names.includes(name));
  const others = Object.entries(input).filter(
    ([name, value]) => !names.includes(name) && value !== null && !ignored.has(plain(name)),
  );
  return { input: Object.fromEntries(known), unknown: others.map(([name]) => name) };
}

/** What models say about a call, in assistants that ask them to. */
const EXPLANATIONS = [
  'description',
  'explanation',
  'reason',
  'thought',
  'reasoning',
  'toolSummary',
  'justification',
];

/** Null if the tool takes any. */
export function argumentNames({ input }: Tool): string[] | null {
  return input instanceof z.ZodObject && input.def.catchall === undefined ? Object.keys(input.shape) : null;
}

/** `-A` and `-a` are two flags. */
export function plain(name: string): string {
  return name.startsWith('-') ? name : name.toLowerCase().replaceAll(/[_-]/g, '');
}
