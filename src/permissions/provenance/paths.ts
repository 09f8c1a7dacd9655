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
  /** What the files of a folder are that the user opened: the working directory, or one that was added. Else null. */
  opened(file: string): readonly TextSource[] | null;
  /** Whether the assistant itself put it there: saved outputs, skills. */
  isOwn(file: string): boolean;
  /** The root of the repository around a file, if the user has not trusted it; or null. */
  untrustedAround(file: string): string | null;
  exists(file: string): boolean;
  /** Where a path leads; absent where links are not followed. */
  realOf?(file: string): string;
};

/** Folders of package managers: everything below was written by the authors of packages. */
const PACKAGES =
  /^(.*?\/(?:node_modules|bower_components|site-packages|dist-packages|\.venv|\.cargo\/registry|go\/pkg\/mod|\.m2\/repository|\.gem|vendor\/bundle|Pods|Carthage)\/(?:@[^/]+\/)?[^/]+)/;
/** Go and PHP keep packages in the project. A folder of that name may also be the project's own. */
const VENDORED = /^(.*?\/vendor)\/([\w-]+(?:\.[\w-]+)+|[\w-]+(?=\/))/;
const MAIL = /\.(eml|emlx|mbox|msg)$|\/(maildir|\.?mail|mbox)\//i;
/** Of the system, and caches of tools: the same on many machines. */
const SHARED =
  /^\/(usr|bin|sbin|lib\w*|opt|etc|proc|sys|dev|nix|System|Library|Applications)(\/|$)|^[a-z]:\/(windows|program files)/i;
const CACHES =
  /^\.(cache|npm|rustup|nvm|pyenv|rbenv|volta|deno|bun|gradle|dotnet|local\/(lib|share|bin))(\/|$)/;

/** Where the text of a file comes from; empty if nobody else wrote it and it is not private by itself. */
export function pathSources(file: string, place: SourcePlace): readonly TextSource[] {
  const found = sourcesAt(file, place);
  const real = place.realOf?.(file) ?? file;
  return found.some(({ kind }) => kind === 'foreign') || real === file
    ? found
    : [...found, ...sourcesAt(real, place)];
}

function sourcesAt(file: string, place: SourcePlace): readonly TextSource[] {
  const plain = file.replaceAll(path.sep, '/');
  const [, package_ = vendored(plain, place)] = PACKAGES.exec(plain) ?? [];
  if (package_ !== undefined) return [{ kind: 'foreign', name: shownPath(package_, place) }];
  if (MAIL.test(plain)) return [{ kind: 'foreign', name: shownPath(plain, place) }];
  const opened = place.opened(file);
  if (opened !== null || place.isOwn(file)) return opened ?? [];
  if (isInside(path.join(place.home, 'Downloads'), file))
    return [{ kind: 'foreign', name: shownPath(plain, place) }];
  const root = place.untrustedAround(file);
  if (root !== null) return [untrusted(root, place)];
  return isPrivate(file, place) ? [{ kind: 'user', name: shownPath(plain, place) }] : [];
}

function vendored(plain: string, { exists }: SourcePlace): string | undefined {
  const [found, folder, name = ''] = VENDORED.exec(plain) ?? [];
  return name.includes('.') || exists(`${folder}/autoload.php`) ? found : undefined;
}

/** Untrusted text: a repository that the user has not trusted. */
export function untrusted(root: string, place: Pick<SourcePlace, 'cwd' | 'home'>): TextSource {
  return { kind: 'foreign', name: `${shownPath(root, place)}, which you have not trusted` };
}

function isPrivate(file: string, place: SourcePlace): boolean {
  if (isInside(place.home, file)) return !CACHES.test(path.relative(place.home, file));
  const plain = file.replaceAll(path.sep, '/');
  return !SHARED.test(plain) && !place.temporary.some((folder) => isInside(folder, file));
}

/** Words of a command that may name a file outside the working directory. */
const PLACES =
  /(?:~|\$HOME\b|\$\{HOME\}|%USERPROFILE%)?[/\\][^\s'"`;|&()<>$*?{}]*|(?<=^|[\s'"`=(:])(?:~(?=$|[\s'"`;|&)])|\$HOME\b|\.\.(?=$|[\s'"`;|&)]))|[\w.@+-]+(?:\/[^\s'"`;|&()<>$*?{}]*)+/g;

/** Where the text of the files comes from that a command names, as far as its words show. */
export function pathsInCommand(command: string, place: SourcePlace): TextSource[] {
  const found = [...command.matchAll(PLACES)].flatMap((match) => {
    const [word] = match;
    const written = word.replace(/^(~|\$HOME|\$\{HOME\}|%USERPROFILE%)/, () => place.home);
    // A pattern, or a name that only the shell knows, stands for files in there.
    const after = command.charAt(match.index + word.length);
    const isPattern = after !== '' && '*?{$['.includes(after);
    const named = path.resolve(place.cwd, written);
    const file = isPattern && !written.endsWith('/') ? path.dirname(named) : named;
    // The rest of an address, a division, a pattern.
    if (/^\/(\/|$)/.test(written) || !place.exists(file)) return [];
    return pathSources(isPattern ? path.join(file, '*') : file, place);
  });
  const isHomeRead = /\b(expanduser|homedir)\b|environ\W+HOME|env\W+HOME/.test(command);
  return isHomeRead ? [...found, { kind: 'user', name: '~' }] : found;
}
