import { looksRandom } from '../credential-values.ts';
import type { Cut, Finder } from '../scan-hints.ts';
import { keyFormats } from './key-formats.ts';
import { type CompiledTemplate, compileTemplate } from './key-template.ts';

/** Keys of many vendors, recognized by format. */
export const keyFinders: readonly Finder[] = keyFormats.flatMap(([name, ...templates]) =>
  templates.map((template) => finderOf(name, compileTemplate(template))),
);

function finderOf(name: string, { hints, before, rest, needsDigit }: CompiledTemplate): Finder {
  return {
    hints,
    find(text, at, from): readonly Cut[] {
      if (!before && !isFirst(text, at)) return [];
      rest.lastIndex = at;
      const [tail] = rest.exec(text) ?? [];
      if (tail === undefined) return [];
      const start = before ? startBefore(text, at, before) : at;
      if (start === null || start < from || (before && !isFirst(text, start))) return [];
      const key = text.slice(start, at + tail.length);
      const body = key.slice(hints[0]?.length ?? 0);
      if (isModel(key) || (needsDigit && !/\d/.test(body) && !looksRandom(body))) return [];
      return [{ start, end: start + key.length, name, alone: [key] }];
    },
  };
}

function startBefore(text: string, at: number, { chars, min, max }: NonNullable<CompiledTemplate['before']>) {
  let start = at;
  while (start > 0 && at - start < max && chars.test(text.charAt(start - 1))) start--;
  return at - start >= min ? start : null;
}

/**
 * Whether no word continues here: the preceding characters may end an escape, as in `\nghp_…` or
 * `%3Dghp_…`.
 */
function isFirst(text: string, start: number): boolean {
  if (start === 0 || !/[A-Za-z\d]/.test(text.charAt(start - 1))) return true;
  return /\\[nrtbfv]$|\\u[\da-f]{4}$|\\x[\da-f]{2}$|%[\da-f]{2}$|\[[\d;]*m$/i.test(
    text.slice(Math.max(0, start - 12), start),
  );
}

/** An example key in documentation. */
function isModel(key: string): boolean {
  return /EXAMPLE|([xX0*.])\1{7}/.test(key) || new Set(key.slice(-16)).size < 4;
}
