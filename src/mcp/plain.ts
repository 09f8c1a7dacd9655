/** A server's text without invisible characters: a terminal, or a model, might obey them. */
export function plain(text: string): string {
  return text.replaceAll(/[^\P{C}\n\t]/gu, '').trim();
}
