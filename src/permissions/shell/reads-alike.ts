/**
 * Whether a line means the same to the shell that runs it as to the bash grammar that parses it here. For
 * PowerShell this is true only of plain words: no quotes, variables, separators or drives (`env:` is one).
 * For cmd it never is: it prefers programs in the working directory.
 */
export function readsAlike(line: string, shell = 'bash'): boolean {
  if (shell === 'bash' || shell === 'sh') return true;
  return shell === 'powershell' && /^[\w ./+-]+$/.test(line);
}
