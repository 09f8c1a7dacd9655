import type { TypedPrompt } from '../../../app/conversation/prompt-queue.ts';
import type { ImagePart } from '../../../contract/message.ts';
import { isFoldSign } from './graphemes.ts';

/** A piece that is one placeholder character in the text, and its label on the screen. */
export type Fold = { type: 'paste'; text: string } | { type: 'image'; name: string; image: ImagePart };

/** By placeholder character. */
export type Folds = ReadonlyMap<string, Fold>;

const FIRST_SIGN = 0x10_00_00;
const MOST_FOLDS = 0xff_fd;

/** Longer pastes are folded. */
const MOST_LINES = 10;
const MOST_CHARACTERS = 1_000;

/** Normalizes newlines. */
export function unified(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n');
}

/** Whether a paste is too large for the prompt, or contains a placeholder character. */
export function wantsFold(text: string): boolean {
  if (text.length > MOST_CHARACTERS) return true;
  return isFoldSign(text) || text.split('\n').length > MOST_LINES;
}

/** The placeholder for a new piece; null when there are too many. */
export function nextSign(folds: Folds): string | null {
  return folds.size >= MOST_FOLDS ? null : String.fromCodePoint(FIRST_SIGN + folds.size);
}

/** The label shown to the user. */
export function labelOf(fold: Fold): string {
  if (fold.type === 'image') return `[image ${fold.name}]`;
  const lines = fold.text.replace(/\n$/, '').split('\n').length;
  return lines > 1 ? `[pasted ${lines} lines]` : `[pasted ${[...fold.text].length} characters]`;
}

/** The text with every paste expanded; images are replaced by their names. */
export function unfold(text: string, folds: Folds): string {
  return text.replaceAll(/[\u{100000}-\u{10fffd}]/gu, (sign) => {
    const fold = folds.get(sign);
    if (!fold) return sign;
    return fold.type === 'paste' ? fold.text : labelOf(fold);
  });
}

export function submittedOf(text: string, folds: Folds): TypedPrompt {
  const images = [...text].flatMap((sign) => {
    const fold = folds.get(sign);
    return fold?.type === 'image' ? [fold.image] : [];
  });
  return { text: unfold(text, folds), images };
}
