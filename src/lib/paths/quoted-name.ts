/** A file name that stays on its line: one with a newline or another control character stands as a JSON string. */
export function quotedName(name: string): string {
  return /\p{Cc}/u.test(name) ? JSON.stringify(name) : name;
}
