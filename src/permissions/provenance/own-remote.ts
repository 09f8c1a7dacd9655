import type { SimpleCommand } from '../shell/shell-line.ts';
import { argsOf, programOf } from '../shell/wrappers.ts';

/** The remotes in a repository's config. `all` includes every address that git could push to by default. */
export type GitRemotes = { named: ReadonlyMap<string, readonly string[]>; all: readonly string[] };

const FLAGS: Readonly<Record<string, RegExp>> = {
  push: /^(-[ufdvqn]+|--(set-upstream|force|force-with-lease(=.*)?|force-if-includes|tags|follow-tags|all|delete|verbose|quiet|dry-run|atomic|no-verify|progress|porcelain))$/,
  fetch: /^(-[apvqtf]+|--(all|prune|tags|verbose|quiet|force|dry-run|progress))$/,
  pull: /^(-[apvqr]+|--(all|prune|tags|verbose|quiet|rebase|no-rebase|ff-only|no-ff|ff|autostash|progress))$/,
};

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
  if (remote === undefined || words.includes('--all')) return isKnown(remotes.all);
  return isKnown(remotes.named.get(remote) ?? [remote]);
}

const LICENCES =
  /MIT License|Permission is hereby granted, free of charge|Apache License|GNU (AFFERO |LESSER )?GENERAL PUBLIC LICENSE|Redistribution and use in source and binary forms|Mozilla Public License|ISC License|unencumbered software released into the public domain|Eclipse Public License|Boost Software License/i;
const FORGES =
  /^(https?:\/\/|ssh:\/\/git@|git@)(github\.com|gitlab\.com|codeberg\.org|bitbucket\.org|git\.sr\.ht)[/:]/i;

/** Whether everybody may have the project: its licence says so, and it is on a public forge. */
export function isPublished(licence: string, remotes: GitRemotes | null): boolean {
  return LICENCES.test(licence) && (remotes?.all ?? []).some((url) => FORGES.test(url));
}
