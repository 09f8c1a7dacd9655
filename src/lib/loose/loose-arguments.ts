import { isObject } from '../text/json.ts';
import { readLoose } from './loose-json.ts';

/** Text between the tags of a value. */
type TaggedValue = { name: string; value: string };

/** What may stand around arguments: fences, end markers of chat templates, and closing brackets too many. */
const AROUND =
  /^(?:\s|[\]},;]|`{3,}[ \t]*(?:json[c5]?|tool_call|tool_code|python|xml|text)?|<\/?[|｜]?[a-z_:▁]+[|｜]?>|\[\/?[A-Z_]+\])*$/i;
/** Prose on lines of its own, which cannot be a piece of a string that ended too early. */
const PROSE_AFTER = /^\s*\n[^"'{}[\]]*$/;
const PROSE_BEFORE = /^[^"'{}[\]]*$/;

/**
 * The value that a text has in loose JSON, whatever prose, fences or markers surround it; undefined if it has none or
 * several. A missing end bracket is added if `fill`, never the end of a string.
 */
export function valueIn(text: string, { fill }: { fill: boolean }): { value: unknown } | undefined {
  const start = text.search(/[{["'“‘]/);
  if (start < 0 || !isAround(text.slice(0, start), PROSE_BEFORE)) return undefined;
  const read = readLoose(text, { from: start, fill });
  // A comma at the end announces more.
  if (!read || (read.end >= text.trimEnd().length && /,\s*$/.test(text))) return undefined;
  const rest = text.slice(read.end);
  if (isAround(rest, PROSE_AFTER)) return { value: read.value };
  const other = isObject(read.value) ? valueIn(rest, { fill }) : undefined;
  if (!other || !isObject(other.value)) return undefined;
  if (Object.keys(read.value as object).length === 0) return other;
  return JSON.stringify(other.value) === JSON.stringify(read.value) ? other : undefined;
}

function isAround(text: string, prose: RegExp): boolean {
  return AROUND.test(text) || prose.test(text);
}

/** Arguments as in a call of Python, `file_path="a", limit=3`; undefined unless the text is nothing else. */
export function keywordsIn(text: string): Record<string, unknown> | undefined {
  const entries = new Map<string, unknown>();
  let at = 0;
  for (;;) {
    const head = /^\s*([A-Za-z_]\w*)\s*=(?!=)\s*/.exec(text.slice(at));
    if (!head) break;
    at += head[0].length;
    const read = readLoose(text, { from: at, fill: false });
    if (!read || entries.has(head[1] ?? '')) return undefined;
    entries.set(head[1] ?? '', read.value);
    at = read.end + (/^\s*,?/.exec(text.slice(read.end))?.[0].length ?? 0);
  }
  return entries.size > 0 && text.slice(at).trim() === '' ? Object.fromEntries(entries) : undefined;
}

const TAGGED = [
  /<parameter=([\w.-]+)>([\s\S]*?)<\/parameter>/g,
  /<parameter name="([\w.-]+)"[^>]*>([\s\S]*?)<\/parameter>/g,
  /<arg_key>\s*([\w.-]+)\s*<\/arg_key>\s*<arg_value>([\s\S]*?)<\/arg_value>/g,
  /<([a-z_][\w.-]*)>([\s\S]*?)<\/\1>/gi,
];

/** Arguments as tags, `<file_path>a</file_path>`; undefined if anything stands outside of them. */
export function tagsIn(text: string): Record<string, string> | undefined {
  for (const pattern of TAGGED) {
    if (text.replaceAll(pattern, '').trim() !== '') continue;
    const values = [...text.matchAll(pattern)].map(
      ([, name = '', value = '']): TaggedValue => ({ name, value }),
    );
    const names = new Set(values.map(({ name }) => name));
    if (values.length === 0 || names.size < values.length) continue;
    return Object.fromEntries(values.map(({ name, value }) => [name, value]));
  }
  return undefined;
}
