import { ripgrep } from '../search/ripgrep.ts';
import { slashes } from './path-pattern.ts';

/**
 * The relative paths of all files under a folder, sorted, without ignored ones. For display: nothing is read.
 */
export async function projectFiles(cwd: string, signal: AbortSignal): Promise<string[]> {
  const paths: string[] = [];
  await ripgrep({
    args: ['--files', '--null', '--hidden', '--sort=path', '--iglob=!.git'],
    cwd,
    signal,
    separator: '\0',
    onRecord: (record) => paths.push(slashes(record)),
  });
  return paths;
}
