/** Characters that would hide or reorder what follows. Within an emoji, one that joins is harmless. */
const HIDDEN = /(?![\n\t])(?!(?<=\p{Extended_Pictographic}\ufe0f?)\u200d)[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Colours, cursor movements, titles and links of a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one.
const ESCAPE_SEQUENCE = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])/g;

/** Text that somebody decides on: nothing in it is hidden. */
export function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(HIDDEN, (char) => `⟨U+${code(char)}⟩`);
}

/** What a program printed, without colours and cursor movements; a line that was overwritten shows its last state. */
export function printed(text: string): string {
  const lines = text.replaceAll(ESCAPE_SEQUENCE, '').replaceAll('\r\n', '\n').split('\n');
  return visible(
    lines
      .map((line) => line.slice(line.lastIndexOf('\r', line.length - 2) + 1).replace(/\r$/, ''))
      .join('\n'),
  );
}

function code(char: string): string {
  return (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}
