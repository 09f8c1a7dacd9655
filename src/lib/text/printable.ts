/**
 * Words of the model, of files and of programs, made fit for a terminal: nothing in them can move the cursor, change
 * a colour, or turn the order of letters so that a question reads as another.
 */
export function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(STEERING, '\uFFFD');
}

/** Control characters but newline and tab; letters that override the direction of text. */
const STEERING = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu;
