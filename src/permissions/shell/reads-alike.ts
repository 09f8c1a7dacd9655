/**
 * Whether a line means to the shell that runs it what it means to the grammar that reads it here, which is that of
 * bash. To PowerShell only plain words do: no quotes, variables, separators or drives (`env:` is one). To cmd nothing
 * does: it runs what lies in the working directory before all else.
 */
export function readsAlike(line: string, shell = 'bash'): boolean {
  if (shell === 'bash' || shell === 'sh') return true;
  return shell === 'powershell' && /^[\w ./+-]+$/.test(line);
}
