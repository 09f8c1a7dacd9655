/** By code units: to compare as the readers of some language would, the runtime first takes 10 ms to learn how. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
