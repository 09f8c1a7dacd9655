/**
 * A file name on one line: a name with a newline or another control character is written as a JSON string.
 */
export function quotedName(name: string): string {
  return /\p{Cc}/u.test(name) ? JSON.stringify(name) : name;
}
