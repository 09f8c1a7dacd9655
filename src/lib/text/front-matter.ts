/** The keys at the start of a Markdown file, between two `---` lines, and the text below. */
export type FrontMatter = { fields: ReadonlyMap<string, string | readonly string[]>; body: string };

/**
 * Parses the common subset of YAML: plain and quoted strings, lists on one or several lines, and blocks. A
 * file without front matter is all body. Keys are in lower case.
 */
export function parseFrontMatter(text: string): FrontMatter {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const end =
    lines[0]?.trimEnd() === '---' ? lines.findIndex((line, i) => i > 0 && /^---\s*$/.test(line)) : -1;
  if (end === -1) return { fields: new Map(), body: lines.join('\n') };
  return { fields: fieldsOf(lines.slice(1, end)), body: lines.slice(end + 1).join('\n') };
}

/** As one string; undefined if the key is missing or empty. */
export function textField({ fields }: FrontMatter, key: string): string | undefined {
  const value = fields.get(key);
  return (typeof value === 'string' ? value : value?.join(', ')) || undefined;
}

/** As a list, in either notation; a comma in parentheses or braces belongs to its item. */
export function listField({ fields }: FrontMatter, key: string): string[] | undefined {
  const value = fields.get(key);
  const items = typeof value === 'string' ? splitList(value) : value;
  return items === undefined || items.length === 0 ? undefined : [...items];
}

/** `true` and `yes` in any case are true, anything else is false. */
export function switchField(matter: FrontMatter, key: string): boolean | undefined {
  const text = textField(matter, key)?.toLowerCase();
  return text === 'true' || text === 'yes' ? true : text === undefined ? undefined : false;
}

/** The keys that are not in this list of keys in lower case. */
export function otherKeys({ fields }: FrontMatter, known: readonly string[]): string[] {
  return [...fields.keys()].filter((key) => !known.includes(key));
}

/** The number of the line in which a field contains this text; of the field if it is not found. */
export function fieldLine(text: string, key: string, part: string): number {
  const lines = text.split(/\r?\n/);
  const first = lines.findIndex((line) => line.toLowerCase().startsWith(`${key}:`));
  const next = lines.findIndex((line, i) => i > first && !isContinued(line));
  const at = lines
    .slice(0, next === -1 ? undefined : next)
    .findIndex((line, i) => i >= first && line.includes(part));
  return (at === -1 ? first : at) + 1;
}

/** Whether a line belongs to the field above it. */
function isContinued(line: string): boolean {
  return /^([ \t]|$|- )/.test(line);
}

function fieldsOf(lines: readonly string[]): Map<string, string | string[]> {
  const fields = new Map<string, string | string[]>();
  for (let i = 0; i < lines.length; i++) {
    const [, key, written = ''] = /^([A-Za-z][\w-]*):(?:[ \t]+(.*))?$/.exec(lines[i] ?? '') ?? [];
    if (key === undefined) continue;
    const below: string[] = [];
    while (i + 1 < lines.length && isContinued(lines[i + 1] ?? '')) below.push(lines[++i] ?? '');
    fields.set(key.toLowerCase(), fieldOf(withoutComment(written.trim()), below));
  }
  return fields;
}

function fieldOf(written: string, below: readonly string[]): string | string[] {
  const lines = below.map((line) => line.trim());
  const isBlock = /^[|>][+-]?$/.test(written);
  if (isBlock) return lines.join(written.startsWith('|') ? '\n' : ' ').trim();
  if (written === '' && lines.some((line) => line.startsWith('- ')))
    return lines.flatMap((line) => (line.startsWith('- ') ? [unquoted(line.slice(2).trim())] : []));
  const list = /^\[(.*)\]$/s.exec(written)?.[1];
  if (list !== undefined) return splitList(list);
  return unquoted([written, ...lines].filter(Boolean).join(' '));
}

function splitList(text: string): string[] {
  return [...text.matchAll(/(?:\([^()]*\)|\{[^{}]*\}|"[^"]*"|'[^']*'|[^,])+/g)]
    .map(([item]) => unquoted(item.trim()))
    .filter(Boolean);
}

function unquoted(text: string): string {
  const [, single] = /^'(.*)'$/s.exec(text) ?? [];
  if (single !== undefined) return single.replaceAll("''", "'");
  const [, double] = /^"(.*)"$/s.exec(text) ?? [];
  return double === undefined ? text : double.replaceAll(/\\(["\\])/g, '$1').replaceAll('\\n', '\n');
}

function withoutComment(text: string): string {
  return /^["'[]/.test(text) ? text : text.replace(/\s#.*$/, '');
}
