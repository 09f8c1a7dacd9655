import path from 'node:path';
import type { TextSource } from '../../contract/provenance.ts';
import { isInside } from '../../lib/paths/inside.ts';
import { shownPath } from '../../lib/paths/shown-path.ts';

/** What is known about the folders of the machine. */
export type SourcePlace = {
  cwd: string;
  home: string;
  /** Folders that hold nobody's data for long, such as /tmp. */
  temporary: readonly string[];
  /** Whether a path is in the working directory or a folder that the user added. */
  isOpened(file: string): boolean;
  /** Whether the assistant itself put it there: saved outputs, skills. */
  isOwn(file: string): boolean;
  /** The root of the repository around a file, if the user has not trusted it; or null. */
  untrustedAround(file: string): string | null;
  exists(file: string): boolean;
};

/** Folders of package managers: everything below was written by the authors of packages. */
const PACKAGES =
  /^(.*?\/(?:node_modules|bower_components|site-packages|dist-packages|\.venv|\.cargo\/registry|go\/pkg\/mod|\.m2\/repository|\.gem|Pods|Carthage)\/(?:@[^/]+\/)?[^/]+)/;
const MAIL = /\.(eml|emlx|mbox|msg)$|\/(maildir|\.?mail|mbox)\//i;
/** Of the system, and caches of tools: the same on many machines. */
const SHARED =
  /^\/(usr|bin|sbin|lib\w*|opt|etc|proc|sys|dev|nix|System|Library|Applications)(\/|$)|^[a-z]:\/(windows|program files)/i;
const CACHES =
  /^\.(cache|npm|rustup|nvm|pyenv|rbenv|volta|deno|bun|gradle|dotnet|local\/(lib|share|bin))(\/|$)/;

/** Where the text of a file comes from; null if nobody else wrote it and it is not private by itself. */
export function pathSource(file: string, place: SourcePlace): TextSource | null {
  const plain = file.replaceAll(path.sep, '/');
  const [, package_] = PACKAGES.exec(plain) ?? [];
  if (package_ !== undefined) return { kind: 'foreign', name: shownPath(package_, place) };
  if (MAIL.test(plain)) return { kind: 'foreign', name: shownPath(plain, place) };
  if (place.isOpened(file) || place.isOwn(file)) return null;
  if (isInside(path.join(place.home, 'Downloads'), file))
    return { kind: 'foreign', name: shownPath(plain, place) };
  const root = place.untrustedAround(file);
  if (root !== null)
    return { kind: 'foreign', name: `${shownPath(root, place)}, which you have not trusted` };
  const user: TextSource = { kind: 'user', name: shownPath(plain, place) };
  if (isInside(place.home, file)) return CACHES.test(path.relative(place.home, file)) ? null : user;
  const isShared = SHARED.test(plain) || place.temporary.some((folder) => isInside(folder, file));
  return isShared ? null : user;
}

/** Words of a command that may name a file outside the working directory. */
const PLACES =
  /(?:~|\$HOME\b|\$\{HOME\}|%USERPROFILE%)?[/\\][^\s'"`;|&()<>$*?{}]*|(?<=^|[\s'"`=(:])(?:~(?=$|[\s'"`;|&)])|\$HOME\b|\.\.(?=$|[\s'"`;|&)]))|[\w.@+-]+(?:\/[^\s'"`;|&()<>$*?{}]*)+/g;

/** Where the text of the files comes from that a command names, as far as its words show. */
export function pathsInCommand(command: string, place: SourcePlace): TextSource[] {
  const found = [...command.matchAll(PLACES)].flatMap(([word]) => {
    const written = word.replace(/^(~|\$HOME|\$\{HOME\}|%USERPROFILE%)/, () => place.home);
    const file = path.resolve(place.cwd, written);
    // The rest of an address, a division, a pattern.
    if (/^\/(\/|$)/.test(written) || !place.exists(file)) return [];
    const source = pathSource(file, place);
    return source === null ? [] : [source];
  });
  const isHomeRead = /\b(expanduser|homedir)\b|environ\W+HOME|env\W+HOME/.test(command);
  return isHomeRead ? [...found, { kind: 'user', name: '~' }] : found;
}
