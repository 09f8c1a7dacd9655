import { encodedRuns } from './encoded-runs.ts';
import { createFinder } from './find-literals.ts';
import { encodedKeys } from './keys/encoded-keys.ts';
import { keyFinders } from './keys/key-finder.ts';
import { patternFinders } from './keys/key-patterns.ts';
import { kubernetesSecrets } from './kubernetes-secrets.ts';
import { type NamedSecret, SHORTEST } from './looks-secret.ts';
import { namedValues } from './named-values.ts';
import { PLACEHOLDER, type Placeholders } from './placeholders.ts';
import { plainView } from './plain-view.ts';
import { privateKeyFinders } from './private-keys.ts';
import { type Cut, createScanner, type Finder } from './scan-hints.ts';
import { spellingsOf } from './spellings.ts';
import { tableValues } from './table-values.ts';

/** Placeholders look like secrets, but are not. */
const placeholders: Finder = {
  hints: ['[secret:'],
  find(text, at) {
    const [word] = new RegExp(`^${PLACEHOLDER.source}`).exec(text.slice(at, at + 96)) ?? [];
    return word === undefined
      ? []
      : [{ start: at + word.length, end: at + word.length, name: '', alone: [] }];
  },
};

const scan = createScanner([
  placeholders,
  ...privateKeyFinders,
  kubernetesSecrets,
  ...keyFinders,
  ...patternFinders,
  namedValues,
  tableValues,
]);

type Place = Pick<Cut, 'start' | 'end' | 'name'>;

/**
 * Names, reasons and paths recur with every call: results for texts up to this length, and this many of them,
 * are cached.
 */
const SHORT = 200;
const MOST_SHORT = 500;

/** Decides whether a placeholder may take the place of its secret. */
export type MayHide = (placeholder: string) => boolean;

export type TextHider = {
  /** The text with placeholders for all secrets, or those allowed; the identical string if there are none. */
  hide(text: string, mayHide?: MayHide): string;
  /** Creates the placeholders of all known values, for texts of a session from another process. */
  nameAll(): void;
};

/** `onFound` receives values that were recognized by format or context and may also appear without it. */
export function createTextHider(
  secrets: readonly NamedSecret[],
  placeholders: Placeholders,
  onFound?: (secret: NamedSecret) => void,
): TextHider {
  const literals = new Map<string, string>();
  for (const { name, value } of secrets) {
    for (const { how, text } of spellingsOf(value)) {
      if (!literals.has(text)) literals.set(text, how === '' ? name : `${name}.${how}`);
    }
  }
  const texts = [...literals.keys()];
  const find = createFinder(texts, SHORTEST);
  const hidden = new Map<string, string>();

  const known = (text: string): Place[] =>
    find(text).map(({ start, literal }) => {
      const found = texts[literal] ?? '';
      return { start, end: start + found.length, name: literals.get(found) ?? '' };
    });

  /** A run is hidden completely: a remainder would still reveal part of the value. */
  const inRuns = (text: string): Place[] =>
    texts.length === 0
      ? []
      : encodedRuns(text).flatMap(({ start, end, joined }) => {
          const [first] = known(joined);
          return first ? [{ start, end, name: first.name }] : [];
        });

  const replace = (text: string, cuts: readonly Place[], mayHide?: MayHide): string => {
    if (cuts.length === 0) return text;
    let result = '';
    let from = 0;
    for (const { start, end, name } of [...cuts].sort((a, b) => a.start - b.start || b.end - a.end)) {
      if (start < from) continue;
      const secret = text.slice(start, end);
      const placeholder = placeholders.placeholderFor(secret, name);
      result += text.slice(from, start) + ((mayHide?.(placeholder) ?? true) ? placeholder : secret);
      from = end;
    }
    return result + text.slice(from);
  };

  const recognized = (text: string): Place[] => {
    const cuts = scan(text);
    if (onFound) for (const { name, alone } of cuts) for (const value of alone) onFound({ name, value });
    return [...cuts, ...encodedKeys(text)];
  };

  /** Names and values with marks inside. */
  const inMarks = (text: string): Place[] => {
    const view = plainView(text);
    if (!view) return [];
    return [...known(view.text), ...recognized(view.text)].map(({ start, end, name }) => ({
      ...view.spanOf(start, end),
      name,
    }));
  };

  const hideAll = (text: string, mayHide?: MayHide): string =>
    [inMarks, inRuns, known, recognized].reduce((now, find) => replace(now, find(now), mayHide), text);

  return {
    hide(text, mayHide) {
      if (text.length < SHORTEST) return text;
      if (mayHide) return hideAll(text, mayHide);
      if (text.length > SHORT) return hideAll(text);
      const done = hidden.get(text) ?? hideAll(text);
      if (hidden.size > MOST_SHORT) hidden.clear();
      hidden.set(text, done);
      return done;
    },
    nameAll() {
      for (const [text, name] of literals) placeholders.placeholderFor(text, name);
    },
  };
}
