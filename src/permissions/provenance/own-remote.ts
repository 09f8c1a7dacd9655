import type { SimpleCommand } from '../shell/shell-line.ts';
import { argsOf, programOf } from '../shell/wrappers.ts';

/** The remotes in a repository's config. `all` includes every address that git could push to by default. */
export type GitRemotes = { named: ReadonlyMap<string, readonly string[]>; all: readonly string[] };

const FLAGS: Readonly<Record<string, RegExp>> = {
  push: /^(-[ufdvqn]+|--(set-upstream|force|force-with-lease(=.*)?|force-if-includes|tags|follow-tags|all|delete|verbose|quiet|dry-run|atomic|no-verify|progress|porcelain))$/,
  fetch: /^(-[apvqtf]+|--(all|prune|tags|verbose|quiet|force|dry-run|progress))$/,
  pull: /^(-[apvqr]+|--(all|prune|tags|verbose|quiet|rebase|no-rebase|ff-only|no-ff|ff|autostash|progress))$/,
};

const PROPOSED = /\b(pull|pull-requests|merge-requests|changes|mr)\/\d|\bpull\/\*/;

/**
 * Whether a command exchanges commits only with remotes that the repository had before: the project's contents
 * are there already.
 */
export function usesOwnRemote(
  command: SimpleCommand,
  remotes: GitRemotes | null,
  known: readonly string[],
): boolean {
  const [sub, ...rest] = argsOf(command);
  const flags = sub === undefined || !Object.hasOwn(FLAGS, sub.text) ? undefined : FLAGS[sub.text];
  if (programOf(command) !== 'git' || command.name !== 'git' || !flags || remotes === null) return false;
  if (command.assignments.length > 0 || rest.some(({ literal }) => !literal)) return false;
  const words = rest.map(({ text }) => text);
  if (words.some((word) => word.startsWith('-') && !flags.test(word))) return false;
  const remote = words.find((word) => !word.startsWith('-'));
  const isKnown = (urls: readonly string[]) => urls.length > 0 && urls.every((url) => known.includes(url));
  // What others propose is in the same repository, under names of its own.
  if (words.some((word) => PROPOSED.test(word))) return false;
  if (remote === undefined || words.includes('--all')) return isKnown(remotes.all);
  return isKnown(remotes.named.get(remote) ?? [remote]);
}
