import { encodedRuns } from './encoded-runs.ts';
import { createFinder } from './find-literals.ts';
import { type KeyPattern, keyPatterns } from './key-patterns.ts';
import { isCommon, isGap, type NamedSecret, SHORTEST } from './looks-secret.ts';
import type { Placeholders } from './placeholders.ts';
import { spellingsOf } from './spellings.ts';

type Cut = { start: number; end: number; name: string };

const patternOf = new Map(keyPatterns.flatMap((pattern) => pattern.hints.map((hint) => [hint, pattern])));
// Longer hints first: where one begins another, the longer one is meant.
const anyHint = new RegExp(
  [...patternOf.keys()]
    .sort((a, b) => b.length - a.length)
    .map((hint) => hint.replaceAll('.', '\\.'))
    .join('|'),
  'g',
);

/** Names, reasons and places come again with every call: up to so many characters, and so many of them, are kept. */
const SHORT = 200;
const MOST_SHORT = 500;

export type TextHider = {
  /** The text with placeholders for every secret in it; the very same text when there is none. */
  hide(text: string): string;
  /** Gives out the placeholders of all known values, for texts of a session that another process had. */
  nameAll(): void;
};

export function createTextHider(secrets: readonly NamedSecret[], placeholders: Placeholders): TextHider {
  const literals = new Map<string, string>();
  for (const { name, value } of secrets) {
    for (const { how, text } of spellingsOf(value)) {
      if (!literals.has(text)) literals.set(text, how === '' ? name : `${name}.${how}`);
    }
  }
  const texts = [...literals.keys()];
  const find = createFinder(texts, SHORTEST);
  const hidden = new Map<string, string>();

  const known = (text: string): Cut[] =>
    find(text).map(({ start, literal }) => {
      const found = texts[literal] ?? '';
      return { start, end: start + found.length, name: literals.get(found) ?? '' };
    });

  /** A run is hidden whole: what is left of it would still tell a part of the value. */
  const inRuns = (text: string): Cut[] =>
    texts.length === 0
      ? []
      : encodedRuns(text).flatMap(({ start, end, joined }) => {
          const [first] = known(joined);
          return first ? [{ start, end, name: first.name }] : [];
        });

  const replace = (text: string, cuts: readonly Cut[]): string => {
    if (cuts.length === 0) return text;
    let result = '';
    let from = 0;
    for (const { start, end, name } of [...cuts].sort((a, b) => a.start - b.start || b.end - a.end)) {
      if (start < from) continue;
      result += text.slice(from, start) + placeholders.standFor(text.slice(start, end), name);
      from = end;
    }
    return result + text.slice(from);
  };

  const hideAll = (text: string): string => {
    const withoutRuns = replace(text, inRuns(text));
    const withoutKnown = replace(withoutRuns, known(withoutRuns));
    const hinted = new Set([...withoutKnown.matchAll(anyHint)].map(([hint]) => patternOf.get(hint)));
    return [...hinted].reduce(
      (current, pattern) => (pattern ? replace(current, cutsOf(current, pattern)) : current),
      withoutKnown,
    );
  };

  return {
    hide(text) {
      if (text.length < SHORTEST) return text;
      if (text.length > SHORT) return hideAll(text);
      const done = hidden.get(text) ?? hideAll(text);
      if (hidden.size > MOST_SHORT) hidden.clear();
      hidden.set(text, done);
      return done;
    },
    nameAll() {
      for (const [text, name] of literals) placeholders.standFor(text, name);
    },
  };
}

function cutsOf(text: string, { name, match }: KeyPattern): Cut[] {
  return [...text.matchAll(match)].flatMap(({ index, 0: whole, 1: secret = '' }) => {
    if (isCommon(secret) || isGap(secret)) return [];
    const start = index + whole.lastIndexOf(secret);
    return [{ start, end: start + secret.length, name }];
  });
}
