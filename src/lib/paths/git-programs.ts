/** A setting of a repository; section and name are in lower case, the subsection as written. */
export type GitSetting = { key: string; value: string };

/**
 * Settings that name programs, other files or other folders, and that the environment cannot override (see
 * `safeGitEnvironment`). From git-config(1), gitattributes(5) and gitmodules(5).
 */
const PROGRAM_SETTINGS: readonly [key: RegExp, isHarmless?: (value: string) => boolean][] = [
  [/^include(if\..*)?\.path$/s],
  [/^filter\..*\.(clean|smudge|process)$/s, isLargeFiles],
  [/^diff\.(.*\.)?(textconv|command|external)$/s],
  [/^merge\..*\.driver$/s],
  [/^(tar|trailer|hook)\..*\.(command|cmd)$/s],
  [/^core\.fsmonitor$/, (value) => /^(true|false|yes|no|on|off|1|0|)$/i.test(value)],
  [/^gpg\.(.*\.)?(program|defaultkeycommand|allowedsignersfile|revocationfile)$/],
  [/^submodule\..*\.update$/s, (value) => !value.startsWith('!')],
  // Where git works, and what it reads.
  [/^core\.(worktree|attributesfile|excludesfile)$/],
  [/^(blame\.ignorerevsfile|commit\.template|diff\.orderfile|format\.signaturefile|mailmap\.file)$/],
  [/^(.*\.)?fsck\.skiplist$/],
  [/^(extensions\.partialclone|remote\..*\.(promisor|vcs|uploadpack|receivepack))$/s],
  // Another repository, with settings of its own.
  [/^submodule\..*\.ignore$/s],
];

/** What `git lfs install --local` writes: a program installed by the user. */
function isLargeFiles(value: string): boolean {
  return /^git-lfs (clean -- %f|smudge( --skip)? -- %f|filter-process( --skip)?)$/.test(value);
}

/** The first setting that can make git run a program of the repository, or read elsewhere; or null. */
export function programSetting(settings: readonly GitSetting[]): string | null {
  const found = settings.find(({ key, value }) =>
    PROGRAM_SETTINGS.some(([match, isHarmless]) => match.test(key) && isHarmless?.(value) !== true),
  );
  return found?.key ?? null;
}
