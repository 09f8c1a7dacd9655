/** Ends a text with a full stop, unless it ends like a sentence: another one can follow. */
export function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
