/** Text of a server without what no eye sees: a terminal may obey it, and a model, too. */
export function plain(text: string): string {
  return text.replaceAll(/[^\P{C}\n\t]/gu, '').trim();
}
