import type { ReadOnlyProgram } from './read-only-program.ts';
import { list } from './read-only-program.ts';

/** The programs that are free where nothing but the verdict keeps a command from writing. */
const PROGRAMS = new Set(
  list(
    'basename cat cmp cut date diff dirname echo egrep false fgrep file grep head id ls md5sum nl nproc pwd',
    'readlink realpath rg sha1sum sha256sum sha512sum sort stat tail tr true type uname uniq wc which whoami',
  ),
);
const GIT = new Set(list('blame branch diff log ls-files rev-parse show status'));
/** HEAD, its ancestors, and commits by their hash. */
const REVISION = /^(HEAD|@)?([~^]\d*)*$|^[0-9a-f]{7,40}$/;

/**
 * The same program without clusters and optional values; null if it is not in the small grammar. `name` includes git's
 * subcommand.
 */
export function smallGrammar(name: string, program: ReadOnlyProgram): ReadOnlyProgram | null {
  const [first, sub = ''] = name.split(' ');
  const isKnown = first === 'git' ? GIT.has(sub) : PROGRAMS.has(name);
  return isKnown ? { ...program, single: true, optional: [] } : null;
}

/** Whether an operand of git names a commit, whatever the branches are. */
export function isRevision(text: string): boolean {
  return REVISION.test(text);
}
