import { ripgrep } from '../search/ripgrep.ts';
import { slashes } from './path-pattern.ts';

/** Every file under a folder by its relative path, sorted; those of ignore files are left out. For eyes: nothing is read. */
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
