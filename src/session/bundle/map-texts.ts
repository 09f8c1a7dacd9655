import { isObject, parseJson } from '../../lib/text/json.ts';

/** How the texts of a journal change. */
export type TextChange = {
  text(text: string): string;
  /** Thoughts that their vendor signed stay as they are; by default they change and lose their signature. */
  keepsSigned?: boolean;
};

type Table = Record<string, unknown>;
type Line = { raw: Buffer; text: string };

/**
 * A journal with all its texts changed, and then each record by `onRecord`. Lines without a change keep their bytes; images
 * stay as they are. What a vendor signed loses its signature if it changes: that is valid only for the exact text.
 */
export function mapJournal(
  journal: Buffer,
  change: TextChange,
  onRecord = (record: Table): Table => record,
): Buffer {
  const mapped = joinedDeltas(linesIn(journal), change).map(({ raw, text }) => {
    const value = parseJson(text);
    if (!isObject(value)) {
      const changed = change.text(text);
      return changed === text ? raw : Buffer.from(changed);
    }
    const changed = onRecord(mapValue(value, change));
    return changed === value ? raw : Buffer.from(JSON.stringify(changed));
  });
  const newline = Buffer.from('\n');
  return Buffer.concat(mapped.flatMap((line) => [line, newline]));
}

/** Vendors bind reasoning to the texts before it. Where those changed, the next request begins a new epoch without it. */
export function endingEpochs(record: Table): Table {
  return record.type === 'epoch' ? { ...record, reader: 'nobody: texts changed' } : record;
}

/** All texts of a journal. */
export function textsIn(journal: Buffer): string[] {
  const texts: string[] = [];
  mapJournal(journal, {
    text(text) {
      texts.push(text);
      return text;
    },
  });
  return texts;
}

/** Complete lines only: another process may be writing the last one. */
function linesIn(journal: Buffer): Line[] {
  const lines: Line[] = [];
  let at = 0;
  for (let end = journal.indexOf(10, at); end !== -1; end = journal.indexOf(10, at)) {
    const raw = journal.subarray(at, end);
    lines.push({ raw, text: raw.toString('utf8') });
    at = end + 1;
  }
  return lines;
}

/** What changes may be spread over several deltas of a reply: those become one. */
function joinedDeltas(lines: readonly Line[], change: TextChange): Line[] {
  const result: Line[] = [];
  for (let at = 0; at < lines.length; ) {
    const kind = deltaIn(lines[at])?.kind;
    let text = '';
    let next = at;
    for (let delta = deltaIn(lines[at]); delta && delta.kind === kind; delta = deltaIn(lines[next])) {
      text += delta.text;
      next += 1;
    }
    const isSame = change.text(text) === text;
    next = Math.max(next, at + 1);
    result.push(...(isSame ? lines.slice(at, next) : [lineOf({ type: 'delta', kind, text })]));
    at = next;
  }
  return result;
}

function lineOf(record: Table): Line {
  const text = JSON.stringify(record);
  return { raw: Buffer.from(text), text };
}

function deltaIn(line: Line | undefined): { kind: unknown; text: string } | null {
  if (!line?.text.startsWith('{"type":"delta"')) return null;
  const value = parseJson(line.text);
  return isObject(value) && typeof value.text === 'string' ? { kind: value.kind, text: value.text } : null;
}

/** The same object if nothing changes. */
export function mapValue<T>(value: T, change: TextChange): T {
  // Each branch returns the same type of value.
  if (typeof value === 'string') return change.text(value) as T;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => mapValue(item, change));
    return items.every((item, i) => item === value[i]) ? value : (items as T);
  }
  if (!isObject(value) || isUntouchable(value, change)) return value;
  const entries = Object.entries(value).map(
    ([name, inner]) => [change.text(name), mapValue(inner, change)] as const,
  );
  if (entries.every(([name, inner]) => Object.hasOwn(value, name) && inner === value[name])) return value;
  const { signature: _, ...changed } = Object.fromEntries(entries);
  return changed as T;
}

function isUntouchable({ type, data, signature }: Table, { keepsSigned }: TextChange): boolean {
  if (type === 'image') return typeof data === 'string';
  return keepsSigned === true && type === 'thinking' && signature !== undefined;
}
