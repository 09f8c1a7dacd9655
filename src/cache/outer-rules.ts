import { lstatSync } from 'node:fs';
import path from 'node:path';
import { unlessErrno } from '../lib/files/errno.ts';
import { gitDirs } from '../lib/paths/git-dirs.ts';

/** Files outside a watched tree that affect what searches ignore in it. */
function placesOf({ root, home }: { root: string; home: string }): string[] {
  const config = path.join(home, '.config', 'git');
  const above: string[] = [];
  for (let folder = path.dirname(root); ; folder = path.dirname(folder)) {
    above.push(folder);
    if (folder === path.dirname(folder)) break;
  }
  return [
    ...[root, ...above].flatMap(gitDirs).map((folder) => path.join(folder, 'info', 'exclude')),
    ...above.flatMap((folder) =>
      ['.gitignore', '.ignore', '.rgignore'].map((name) => path.join(folder, name)),
    ),
    ...['.gitconfig', '.gitignore', '.gitignore_global'].map((name) => path.join(home, name)),
    ...['config', 'ignore'].map((name) => path.join(config, name)),
  ];
}

/** A fingerprint that changes if any of them does. */
export function outerRules(place: { root: string; home: string }): string {
  return placesOf(place)
    .map((file) => {
      const stat = unlessErrno('any', null, () => lstatSync(file, { bigint: true }));
      return stat ? `${stat.ino}:${stat.size}:${stat.ctimeNs}` : '';
    })
    .join(' ');
}
