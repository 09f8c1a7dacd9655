import path from 'node:path';
import { parse, TomlError } from 'smol-toml';
import { UserError } from '../../contract/errors.ts';
import type { RuleList } from '../../contract/permission.ts';
import { parseRule } from '../../contract/rule-syntax.ts';
import { isObject } from '../../lib/text/json.ts';
import { checkInput, parseTable, type WrittenTable } from '../config-file.ts';
import { formatKeyPath } from '../key-path.ts';
import { mergeConfig } from '../merge.ts';
import type { AssistantName } from '../schema/other-assistants.ts';
import type { ConfigInput } from '../schema/schema.ts';
import type { Part, ReadPlace } from './part.ts';
import type { OtherFile } from './sources.ts';
import type { Row, Section, Support } from './table.ts';
import { supportTables } from './tables.ts';

/** What one key of another assistant's file does here. */
type Finding = { key: string; place: string; support: Support; note: string; restricts: boolean };

/** A permission rule, and the place it is written at. `isForeign`: in a file of another assistant. */
export type WrittenRule = { verdict: RuleList; rule: string; place: string; isForeign?: true };

/** Another assistant's file in our terms. */
export type Reading = {
  assistant: AssistantName;
  file: string;
  base: string;
  input: ConfigInput;
  rules: WrittenRule[];
  /** MCP servers to turn off. */
  disables: string[];
  /** For the user: what cannot be used, and restrictions that are not applied. */
  notices: string[];
  findings: Finding[];
};

/** Never throws because of the text: what is wrong in it becomes a notice, and the rest is used. */
export function readSettings({ assistant, file, read }: OtherFile, text: string, place: ReadPlace): Reading {
  const reading: Reading = {
    assistant,
    file,
    base: place.base,
    input: {},
    rules: [],
    disables: [],
    notices: [],
    findings: [],
  };
  const table = tableOf(text, file, reading.notices);
  if (table === null) return reading;
  const { settings, name } = supportTables[assistant];
  reading.findings = isState(file) ? stateFindings(table) : [...findingsIn(table, settings)];
  const unapplied = reading.findings.filter(
    ({ restricts, support }) => restricts && support === 'unsupported',
  );
  for (const { place: at, key, note } of unapplied)
    reading.notices.push(`${at}: ${key} restricts ${name} but has no effect here. ${readableNote(note)}`);
  for (const part of read(table.value, place)) addPart(part, table, reading);
  return reading;
}

function addPart(part: Part, { locate }: WrittenTable, reading: Reading): void {
  const { key, input, rule, disables, problem } = part;
  const at = locate(key);
  const name = formatKeyPath(key.map(String));
  if (problem !== undefined) reading.notices.push(`${at}: ${name} is ignored: ${problem}`);
  reading.disables.push(...(disables ?? []));
  try {
    const given = rule ? { permissions: { [rule.verdict]: [checkedRule(rule.text)] } } : input;
    if (given === undefined) return;
    const { input: checked, notices } = checkInput(given, () => at);
    reading.input = mergeConfig(reading.input, checked);
    reading.notices.push(...notices);
    if (rule) reading.rules.push({ verdict: rule.verdict, rule: String(rule.text), place: at });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const why = error.message.replaceAll(`${at}: `, '').replaceAll('\n', ' ');
    reading.notices.push(`${at}: ${name} is ignored: ${why}`);
  }
}

function checkedRule(text: unknown): string {
  if (typeof text !== 'string') throw new UserError('a rule must be text.', 'Put it in quotes.');
  parseRule(text);
  return text;
}

function tableOf(text: string, file: string, notices: string[]): WrittenTable | null {
  try {
    if (file.endsWith('.toml')) return tomlTable(text, file);
    return isState(file) ? stateTable(text, file) : parseTable(text, file);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    notices.push(`${error.message} The file is ignored.`);
    return null;
  }
}

function tomlTable(text: string, file: string): WrittenTable {
  try {
    return { value: parse(text), locate: (key) => `${file}:${tomlLine(text, key)}` };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [first = ''] = error.message.replace(/^Invalid TOML document: /, '').split('\n');
    throw new UserError(
      `${file}:${error.line}:${error.column}: this is not valid TOML: ${first}.`,
      'Fix it there.',
    );
  }
}

/** The line of the deepest part of the key that is written as such. */
function tomlLine(text: string, key: readonly PropertyKey[]): number {
  const lines = text.split('\n');
  const names = key.map(String).reverse();
  const found = names.map((name) =>
    lines.findIndex((line) => {
      const words = /^\s*(?:\[+([^\]]*)\]|([^=#]+)=)/.exec(line);
      const written = (words?.[1] ?? words?.[2] ?? '')
        .split('.')
        .map((word) => word.trim().replaceAll(/["']/g, ''));
      return written.includes(name);
    }),
  );
  return (found.find((line) => line >= 0) ?? 0) + 1;
}

/** A large file that its owner rewrites all the time; it has no places worth naming. */
function isState(file: string): boolean {
  return path.basename(file) === '.claude.json';
}

function stateTable(text: string, file: string): WrittenTable {
  try {
    const value: unknown = JSON.parse(text);
    return { value: isObject(value) ? value : {}, locate: () => file };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // The message would quote the file, which holds credentials: this one names only the place.
    return { value: parseTable(text, file).value, locate: () => file };
  }
}

function stateFindings({ value, locate }: WrittenTable): Finding[] {
  const { settings } = supportTables.claude;
  return isObject(value.mcpServers) && Object.keys(value.mcpServers).length > 0
    ? [...findingsIn({ value: { mcpServers: value.mcpServers }, locate }, settings)]
    : [];
}

/** Every key that the table describes, or nobody knows. */
function* findingsIn({ value, locate }: WrittenTable, { rows }: Section): Generator<Finding> {
  const byKey = new Map(rows.map((row) => [row.what, row]));
  const isAbove = (key: string) => rows.some(({ what }) => what.startsWith(`${key}.`));
  function* walk(table: Record<string, unknown>, path: string[], inherited?: Row): Generator<Finding> {
    for (const [name, inner] of Object.entries(table)) {
      const key = [...path, name];
      const written = key.join('.');
      const row = byKey.get(written) ?? inherited;
      if (written === '$schema' || written === 'version') continue;
      if (isObject(inner) && isAbove(written)) yield* walk(inner, key, row);
      else yield findingOf(written, locate(key), row);
    }
  }
  yield* walk(value, []);
}

function findingOf(key: string, place: string, row: Row | undefined): Finding {
  const { support, note } = row ?? { support: 'unsupported' as const, note: 'Unknown key.' };
  return { key, place, support, note, restricts: row?.restricts === true };
}

/** A note for a terminal: without links. */
export function readableNote(note: string): string {
  const own = note.replaceAll(/ ?See \[[^\]]+\]\([^)]+\)\./g, '');
  return own.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');
}
