import { isObject } from '../../lib/text/json.ts';

/** One setting of another assistant in our terms. `key` is where it is written. */
export type Part = {
  key: readonly (string | number)[];
  /** Checked against our schema afterwards. */
  input?: Record<string, unknown>;
  /** A permission rule; checked before it is used. */
  rule?: { verdict: Verdict; text: unknown };
  /** MCP servers to turn off, wherever they are set up. */
  disables?: readonly string[];
  /** Why this has no effect, and what to do. */
  problem?: string;
};

export type Verdict = 'allow' | 'ask' | 'deny';

export type Table = Record<string, unknown>;

/** Where a file with settings is read. */
export type ReadPlace = {
  /** Paths in the file are relative to it: the project's folder, or the user's home folder. */
  base: string;
  /** The user's home folder. */
  home: string;
  /** The working directory and the project's root. */
  folders: readonly string[];
};

/** Turns the settings of another assistant into ours. Pure. */
export type Reader = (value: Table, place: ReadPlace) => Part[];

export function tableAt(value: unknown, key: string): Table {
  const inner = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return isObject(inner) ? inner : {};
}

/** The entries of a list; a value that is no list counts as one entry. */
export function listAt(value: unknown, key: string): unknown[] {
  const inner = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return inner === undefined || inner === null ? [] : Array.isArray(inner) ? inner : [inner];
}

/** A part for a key that is there. */
export function partAt(
  value: Table,
  key: readonly string[],
  make: (inner: unknown) => Omit<Part, 'key'>,
): Part[] {
  let inner: unknown = value;
  for (const name of key) inner = isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined;
  return inner === undefined || inner === null ? [] : [{ key, ...make(inner) }];
}

export function ruleParts(verdict: Verdict, key: readonly string[], rules: readonly unknown[]): Part[] {
  return rules.map((text, i) => ({ key: [...key, i], rule: { verdict, text } }));
}

/** Absolute paths have two slashes in rules. */
export function pathInRule(written: string): string {
  return written.startsWith('/') && !written.startsWith('//') ? `/${written}` : written;
}
