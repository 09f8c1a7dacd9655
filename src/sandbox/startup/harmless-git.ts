import type { GitSetting } from '../../lib/paths/git-programs.ts';

type Context = {
  before: readonly GitSetting[];
  /** Whether a path, as the config writes it, is in the project. */
  isOwn(written: string): boolean;
};
type Test = (value: string, key: string, context: Context) => boolean;

const isSwitch: Test = (value) => /^(true|false|yes|no|on|off|0|1)$/i.test(value);
const isRemote: Test = (value) => isPlainAddress(value);
/** Where an existing remote points decides what a later push sends where, so changing it is not harmless. */
const isNewRemote: Test = (value, key, { before }) => {
  const remote = key.slice(0, key.lastIndexOf('.') + 1);
  return !before.some((one) => one.key.startsWith(remote)) && isPlainAddress(value);
};

/**
 * Settings that make git neither run a program, nor read or write elsewhere, nor send something elsewhere.
 * Everything else counts as executable, so that a setting git gains later is asked about. `*` is a
 * subsection.
 */
const harmless: readonly [keys: string, test?: Test][] = [
  ['{user,author,committer}.{name,email}'],
  ['branch.*.{merge,rebase,description,vscode-merge-base,github-pr-owner-number}'],
  ['branch.*.{remote,pushremote}', isRemote],
  ['branch.{autosetupmerge,autosetuprebase,sort}'],
  ['remote.*.{fetch,tagopt,prune,prunetags,skipdefaultupdate,skipfetchall,gh-resolved}'],
  ['{remote,submodule}.*.{url,pushurl}', isNewRemote],
  ['submodule.*.{active,branch,ignore,fetchrecursesubmodules,shallow}'],
  ['submodule.*.update', (value) => /^(checkout|rebase|merge|none)$/.test(value)],
  ['submodule.{recurse,active,fetchjobs,propagatebranches}'],
  [
    'core.{repositoryformatversion,filemode,bare,logallrefupdates,ignorecase,precomposeunicode,symlinks,autocrlf,eol,safecrlf,quotepath,abbrev,commentchar,whitespace,longpaths,sparsecheckout,sparsecheckoutcone,commitgraph,multipackindex,preloadindex,untrackedcache,trustctime,checkstat,splitindex,compression,bigfilethreshold}',
  ],
  ['core.fsmonitor', isSwitch],
  ['core.worktree', (value, _, { isOwn }) => isOwn(value)],
  ['extensions.{worktreeconfig,objectformat,refstorage,relativeworktrees,noop}'],
  ['{advice,color,column}.*'],
  ['color.*.*'],
  ['init.defaultbranch'],
  ['pull.{rebase,ff}'],
  ['push.{default,autosetupremote,followtags,useforceifincludes}'],
  ['fetch.{prune,prunetags,all,parallel,writecommitgraph,recursesubmodules}'],
  ['rebase.{autosquash,autostash,updaterefs,stat,abbreviatecommands,missingcommitscheck,forkpoint}'],
  ['merge.{ff,conflictstyle,renames,renamelimit,directoryrenames,stat,log,verbosity,autostash}'],
  [
    'diff.{algorithm,renames,renamelimit,noprefix,mnemonicprefix,colormoved,colormovedws,context,interhunkcontext,wserrorhighlight,indentheuristic,relative,suppressblankempty,ignoresubmodules}',
  ],
  ['log.{date,decorate,abbrevcommit,follow}'],
  ['status.{short,branch,showstash,showuntrackedfiles,aheadbehind,renames,relativepaths}'],
  ['commit.{gpgsign,verbose,status,cleanup}'],
  ['tag.{gpgsign,sort,forcesignannotated}'],
  ['stash.{showpatch,showstat,showincludeuntracked}'],
  ['rerere.{enabled,autoupdate}'],
  ['gc.{auto,autopacklimit,autodetach,pruneexpire,worktreepruneexpire,reflogexpire,packrefs}'],
  ['maintenance.{auto,strategy}'],
  ['maintenance.*.{enabled,schedule}'],
  ['checkout.{defaultremote,guess,workers}'],
  ['worktree.guessremote'],
  ['index.{version,threads,sparse}'],
  ['feature.{manyfiles,experimental}'],
  ['i18n.{commitencoding,logoutputencoding}'],
  ['{versionsort.suffix,clean.requireforce,apply.whitespace,format.pretty,help.autocorrect}'],
  ['gitflow.{branch,prefix}.*'],
  ['lfs.repositoryformatversion'],
  ['lfs.*.access'],
  // What `git lfs install --local` writes: a program installed by the user.
  ['filter.lfs.clean', (value) => value === 'git-lfs clean -- %f'],
  ['filter.lfs.smudge', (value) => /^git-lfs smudge( --skip)? -- %f$/.test(value)],
  ['filter.lfs.process', (value) => /^git-lfs filter-process( --skip)?$/.test(value)],
  ['filter.lfs.required'],
  ['alias.*', isPlainAlias],
];

const rules = harmless.map(([keys, test = () => true]) => ({ match: keyPattern(keys), test }));

/** The settings that came with a change and are not harmless. */
export function concerningSettings(
  after: readonly GitSetting[],
  { before, isOwn }: Context,
): readonly GitSetting[] {
  const had = new Set(before.map(({ key, value }) => `${key}\0${value}`));
  return after.filter(
    ({ key, value }) =>
      !had.has(`${key}\0${value}`) &&
      !rules.some(({ match, test }) => match.test(key) && test(value, key, { before, isOwn })),
  );
}

function keyPattern(keys: string): RegExp {
  const source = keys
    .replaceAll('.', '\\.')
    .replaceAll('*', '.+')
    .replaceAll(/\{([^}]*)\}/g, (_, words: string) => `(${words.split(',').join('|')})`);
  return new RegExp(`^${source}$`, 's');
}

/** A path, or an address of a protocol built into git: neither an option nor a remote helper (`ext::`). */
function isPlainAddress(value: string): boolean {
  if (/^-|::|^[a-z+]+:\/\/-|[\s\p{Cc}]/iu.test(value)) return false;
  return /^((https?|ssh|git|file):\/\/|[^:]+(:(?!\/\/)|$))/i.test(value);
}

const COMMANDS =
  'add blame branch checkout cherry-pick commit describe diff fetch log ls-files merge-base pull push reflog remote reset restore rev-parse shortlog show stash status switch tag worktree';
/** Long options that take no program, no file and no other repository; git accepts abbreviations of others. */
const OPTIONS =
  'abbrev-commit all amend author branch cached color count date decorate delete ff-only first-parent follow force-with-lease format graph hard ignore-all-space left-right list max-count merged name-only name-status no-color no-edit no-ff no-merges no-verify numstat oneline patch pretty prune rebase remotes reverse set-upstream short show-current since soft sort staged stat tags topo-order untracked-files verbose verify word-diff';
const aliasCommand = new RegExp(`^(${COMMANDS.split(' ').join('|')})$`);
/** Quoting could hide an option at the start of a word. */
const aliasWord = new RegExp(`^(-[a-zA-NP-Z0-9]+|--(${OPTIONS.split(' ').join('|')})(=.*)?|[^-"'\\\\].*)$`);

function isPlainAlias(value: string): boolean {
  const [command = '', ...words] = value.trim().split(/\s+/);
  return aliasCommand.test(command) && words.every((word) => aliasWord.test(word) && !word.includes('::'));
}
