import { type Stats, statSync } from 'node:fs';
import {
  createScanner,
  findNodeAtLocation,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import type * as z from 'zod';
import { UserError } from '../contract/errors.ts';
import { readRegularText } from '../lib/files/regular-file.ts';
import { didYouMean } from '../lib/text/nearest.ts';
import { formatKeyPath } from './key-path.ts';
import { issuesIn } from './schema/check-settings.ts';
import { article, expectation } from './schema/expectation.ts';
import { keysAt } from './schema/reference.ts';
import { type ConfigInput, keyAliases } from './schema/schema.ts';
import { unreadable } from './unreadable.ts';

/** More than any settings need; guards against a link to an endless device. */
const MAX_BYTES = 1_000_000;
/** Deeper than any setting; the parser and the checks recurse once per level. */
const MAX_DEPTH = 100;

/** `locate` returns where a key was written. */
export type CheckedInput = {
  input: ConfigInput;
  notices: string[];
  locate(path: readonly PropertyKey[]): string;
};

/** Null when there is no such file. */
export function readConfigFile(file: string): CheckedInput | null {
  const text = readSmallFile(file);
  return text === null ? null : parseConfig(text, file);
}

/** The content of a JSON file that is safe to parse; null when there is no such file. */
export function readSmallFile(file: string): string | null {
  const stat = statOf(file);
  if (stat === undefined) return null;
  if (!stat.isFile() || stat.size > MAX_BYTES) {
    throw new UserError(
      `${file} is not a configuration file.`,
      'Move it away, or put settings there as JSON.',
    );
  }
  const text = textOf(file).replace(/^\uFEFF/, '');
  const tooDeep = offsetBelow(MAX_DEPTH, text);
  if (tooDeep !== null) {
    throw new UserError(
      `${placeOf(text, tooDeep, file)}: nested more than ${MAX_DEPTH} levels deep.`,
      'Fix it there, or move the file away.',
    );
  }
  return text;
}

function statOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    throw unreadable(file, error);
  }
}

function textOf(file: string): string {
  try {
    return readRegularText(file);
  } catch (error) {
    throw unreadable(file, error);
  }
}

/** The offset of the first bracket nested deeper than `depth`; null when there is none. */
function offsetBelow(depth: number, text: string): number | null {
  const scanner = createScanner(text, true);
  let open = 0;
  for (scanner.scan(); scanner.getTokenLength() > 0; scanner.scan()) {
    const offset = scanner.getTokenOffset();
    const sign = text[offset];
    if (sign === '{' || sign === '[') open++;
    if (sign === '}' || sign === ']') open--;
    if (open > depth) return offset;
  }
  return null;
}

/** A table as it was written; `locate` returns where one of its keys is. */
export type WrittenTable = {
  value: Record<string, unknown>;
  locate(path: readonly PropertyKey[]): string;
};

/** JSON with comments and trailing commas. Throws a `UserError` if it is not a table. */
export function parseTable(text: string, file: string): WrittenTable {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [broken] = errors;
  if (broken) {
    throw new UserError(
      `${placeOf(text, broken.offset, file)}: this is not valid JSON: ${wordsOf(broken)}.`,
      'Fix it there; comments and trailing commas are allowed.',
    );
  }
  if (tree && tree.type !== 'object') {
    throw new UserError(
      `${file}:1:1: settings must be an object, not ${article(tree.type)}.`,
      'Enclose them in { and }.',
    );
  }
  return {
    value: tree ? (plainValue(tree) as Record<string, unknown>) : {},
    locate: (path) => (tree ? placeOf(text, nodeAt(tree, path).offset, file) : `${file}:1:1`),
  };
}

/** In these tables an unknown key is an error: it may have been written to restrict something. */
const ONLY_KNOWN: ReadonlySet<string> = new Set([
  'limits',
  'permissions',
  'sandbox',
] satisfies (keyof ConfigInput)[]);

/** Settings in JSON, checked against the schema. Unknown keys are dropped with a notice. */
export function parseConfig(text: string, file: string): CheckedInput {
  const { value, locate } = parseTable(text, file);
  return checkInput(value, locate);
}

/**
 * `locate` returns where a key was written, for messages. Throws one error that lists every wrong value, and every
 * key that looks misspelt: it may have been written to restrict something. Other unknown keys may be of a newer version.
 * Modifies `value`: unknown keys are removed from its tables.
 */
export function checkInput(value: unknown, locate: (path: readonly PropertyKey[]) => string): CheckedInput {
  const { renamed, faults } = faultsIn(value);
  const written = ({ path, text }: Fault) => `${locate(path)}: ${text}`;
  for (const { unknown } of faults) if (unknown) remove(renamed, unknown);
  const wrong = faults.filter(({ isIgnored }) => !isIgnored);
  if (wrong.length > 0) {
    throw new UserError(
      wrong.map(written).join('\n'),
      'Fix it there; run `aca config schema` for a description of every setting.',
    );
  }
  // What the schema accepted, minus unknown keys, is an input by definition.
  return { input: renamed as ConfigInput, notices: faults.map(written), locate };
}

/** A sentence for each wrong value and misspelt key, with its path. Other unknown keys are not wrong. */
export function wrongValues(value: unknown): { path: readonly PropertyKey[]; text: string }[] {
  return faultsIn(value).faults.filter(({ isIgnored }) => !isIgnored);
}

/** `unknown`: the path of an unknown key, which has to be removed. `isIgnored`: it may be of a newer version. */
type Fault = { path: readonly PropertyKey[]; text: string; unknown?: PropertyKey[]; isIgnored?: boolean };

function faultsIn(value: unknown): { renamed: Record<string, unknown>; faults: Fault[] } {
  const { renamed, writtenAs } = renameAliases(value as Record<string, unknown>);
  const asWritten = ([first = '', ...rest]: readonly PropertyKey[]) => [
    writtenAs.get(first as string) ?? first,
    ...rest,
  ];
  const faults = issuesIn(renamed).flatMap((issue): Fault[] => {
    const path = asWritten(issue.path);
    if (issue.code !== 'unrecognized_keys') return [{ path, text: wrongAt(path, issue) }];
    return issue.keys.map((key) => unknownKey(issue.path, key));
  });
  return { renamed, faults };
}

function unknownKey(table: readonly PropertyKey[], key: string): Fault {
  const path = [...table, key];
  const suggestion = didYouMean(key, keysAt(table));
  const isIgnored = suggestion === '' && !ONLY_KNOWN.has(String(path[0]));
  const text = `unknown setting ${formatKeyPath(path)}${isIgnored ? ' is ignored' : ''}.${suggestion}`;
  return { path, text, unknown: path, isIgnored };
}

function wrongAt(path: readonly PropertyKey[], issue: z.core.$ZodIssue): string {
  return `${formatKeyPath(path)} ${expectation(issue)}.`;
}

function renameAliases(value: Record<string, unknown>) {
  const renamed: Record<string, unknown> = {};
  const writtenAs = new Map<string, string>();
  for (const [key, inner] of Object.entries(value)) {
    if (key === '$schema') continue;
    const alias = Object.hasOwn(keyAliases, key) ? keyAliases[key] : undefined;
    // The key itself takes precedence over its alias, in any order.
    if (alias && Object.hasOwn(value, alias.key)) continue;
    if (alias) writtenAs.set(alias.key, key);
    renamed[alias?.key ?? key] = alias?.negate && typeof inner === 'boolean' ? !inner : inner;
  }
  return { renamed, writtenAs };
}

function remove(value: Record<string, unknown>, path: readonly PropertyKey[]): void {
  let table: unknown = value;
  for (const key of path.slice(0, -1)) table = (table as Record<PropertyKey, unknown>)[key];
  delete (table as Record<PropertyKey, unknown>)[path.at(-1) ?? ''];
}

function wordsOf(error: ParseError): string {
  return printParseErrorCode(error.error)
    .replaceAll(/(?<!^)([A-Z])/g, ' $1')
    .toLowerCase();
}

/** Drops `__proto__`: assigning it later would change the object's prototype. */
function plainValue(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(plainValue);
  if (node.type !== 'object') return node.value;
  const entries = (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
    key && value && key.value !== '__proto__' ? [[String(key.value), plainValue(value)] as const] : [],
  );
  return Object.fromEntries(entries);
}

/** The node of a key's name, or the nearest enclosing one that was written. */
function nodeAt(tree: Node, path: readonly PropertyKey[]): Node {
  for (let length = path.length; length > 0; length--) {
    const written = path.slice(0, length).filter((key) => typeof key !== 'symbol');
    const node = findNodeAtLocation(tree, written);
    if (node) return node.parent?.type === 'property' ? node.parent : node;
  }
  return tree;
}

function placeOf(text: string, offset: number, file: string): string {
  const before = text.slice(0, offset).split(/\r\n|\n|\r/);
  return `${file}:${before.length}:${(before.at(-1) ?? '').length + 1}`;
}
