/**
 * Text from the model, files and programs, made safe for a terminal: it cannot move the cursor, change
 * colours, or reorder letters so that a question reads differently.
 */
export function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(CONTROL_CHARACTERS, '\uFFFD');
}

/** Control characters except newline and tab; bidirectional overrides. */
const CONTROL_CHARACTERS = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu;
