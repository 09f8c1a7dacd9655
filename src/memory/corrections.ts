import { startOf } from '../lib/text/cut-line.ts';

/** A prompt of more characters is a task or a pasted text, not a correction. */
const LONGEST_PROMPT = 1_000;
const LONGEST_LINE = 200;
const FEWEST_WORDS = 3;
const MOST_LINES = 3;

/** Says that a sentence is meant for the future, not only for what was just done. */
const LASTING = [
  /(?:^|, |\b(?:should|must|to) )(?:always|never)\b/iu,
  /\bfrom now on\b/iu,
  /\bin (?:this|our) (?:project|repo|repository|codebase)\b/iu,
  /^we (?:don't|do not|use|prefer|write|name|keep|put)\b/iu,
  /^(?:use|prefer) [\w@./`'-]+(?:,? not | instead of | rather than | over )/iu,
  /^stop (?:using|adding|writing|creating|putting)\b/iu,
  /^(?:don't|do not) (?:ever|use|add|write|create|put|touch|edit|commit|push|run)\b/iu,
];

/** Words that take back what was done, and mean nothing on their own. */
const OPENING =
  /^(?:(?:no|nope|wrong|stop(?=[\s]*[,.!:;–—-])|wait|hey|sorry|ok|okay|please|and|but|also|actually|again)\b[\s,.!:;–—-]*)+/iu;
const ABOUT_NOW =
  /\b(?:this time|just this once|for now|right now|today|in this (?:file|function|test|line|case))\b/iu;

/**
 * Sentences of a prompt in which the user says how things are to be done from now on, as lines for an
 * instructions file.
 */
export function correctionsIn(prompt: string): string[] {
  if (prompt.length > LONGEST_PROMPT || prompt.includes('```')) return [];
  const sentences = prompt.split(/(?<=[.!?])\s+|\n+/u);
  const lines = sentences.flatMap((sentence) => lineOf(sentence) ?? []);
  return [...new Set(lines)].slice(0, MOST_LINES);
}

function lineOf(sentence: string): string | null {
  const words = sentence.replace(/^[\s>*•-]+/u, '').trim();
  const plain = words.replace(OPENING, '');
  if (words.endsWith('?') || !LASTING.some((form) => form.test(plain)) || ABOUT_NOW.test(plain)) return null;
  if (plain.length > LONGEST_LINE || plain.split(/\s+/u).length < FEWEST_WORDS) return null;
  const first = startOf(plain, 1);
  const text = `${first.toLocaleUpperCase('en')}${plain.slice(first.length)}`;
  return /[.!]$/u.test(text) ? text.replace(/!+$/u, '.') : `${text}.`;
}
