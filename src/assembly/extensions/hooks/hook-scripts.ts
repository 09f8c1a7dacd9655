import path from 'node:path';

const SCRIPT = /\.(sh|bash|zsh|fish|py|rb|pl|php|[cm]?[jt]s)$/;

/** The scripts that a hook names by absolute paths: the home folder is closed to commands otherwise. */
export function scriptsIn(command: string, home: string | undefined): string[] {
  if (home === undefined) return [];
  return command
    .split(/[\s"'`;|&<>()]+/)
    .map((word) => word.replace(/^(~|\$HOME|\$\{HOME\})(?=\/)/, () => home))
    .filter((word) => path.isAbsolute(word) && SCRIPT.test(word));
}
