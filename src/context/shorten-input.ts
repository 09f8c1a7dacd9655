import { tableOf } from './known-tools.ts';

/** A text up to this length is kept. */
const SHORT = 200;
const FIRST_LINE = 80;

/**
 * The input of a call that changed files, with long texts replaced by their size and first line. Keeps the
 * keys: models would imitate a call with another structure.
 */
export function shortenInput(input: unknown): unknown {
  const table = tableOf(input);
  const entries = Object.entries(table).map(([key, value]): [string, unknown] => [key, shortenValue(value)]);
  return entries.every(([key, value]) => table[key] === value) ? input : Object.fromEntries(entries);
}

function shortenValue(value: unknown): unknown {
  if (typeof value === 'string') return value.length > SHORT ? inShort(value) : value;
  if (!Array.isArray(value)) return value;
  const items = value.map((item: unknown) => (typeof item === 'object' ? shortenInput(item) : item));
  return items.every((item, i) => item === value[i]) ? value : items;
}

function inShort(text: string): string {
  const lines = text.split('\n');
  const first = (lines.find((line) => line.trim() !== '') ?? '').trim().slice(0, FIRST_LINE);
  // Half a surrogate pair would not survive encoding.
  const whole = first.replace(/[\uD800-\uDBFF]$/, '');
  return `[${lines.length} ${lines.length === 1 ? 'line' : 'lines'} omitted; first: ${whole}]`;
}
