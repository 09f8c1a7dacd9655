import { isLoopback } from '../provenance/addresses.ts';
import type { SimpleCommand } from '../shell/shell-line.ts';
import { argsOf, programOf } from '../shell/wrappers.ts';

/** What a command does with the network, by its program and words. A table with its own examples. */
export type NetworkRule = {
  matches(program: string, words: readonly string[]): boolean;
  examples: { hits: readonly string[]; misses: readonly string[] };
};

const GIT_FETCHES = /^(clone|fetch|pull|ls-remote|submodule)$/;
const HTTP_CLIENTS = /^(curl|wget|aria2c|https?|xh|lynx|w3m|links|elinks|fetch)$/;
const FORGES = /^(gh|glab|hub|tea|jira|linear|acli)$/;
const MAILERS = /^(mail|mailx|mutt|neomutt|himalaya|notmuch|mu|msmtp|sendmail|swaks|mbsync|offlineimap)$/;
const REMOTE_SHELLS = /^(ssh|scp|sftp|rsync|ftp|tftp|nc|ncat|netcat|socat|telnet|rclone|croc|wormhole)$/;
const CLOUDS = /^(aws|gcloud|gsutil|az|kubectl|doctl|heroku|vercel|netlify|flyctl|fly|wrangler|firebase)$/;
const PACKAGE_MANAGERS = /^(npm|pnpm|yarn|bun|pip|pip3|cargo|gem|brew|composer|apt|dnf)$/;
/** Prints what authors of packages wrote. */
const PACKAGE_TEXT = /^(view|info|show|v|search|s|find|audit|outdated|readme|docs)$/;
const ADDRESS = /\b[a-z][a-z+.-]*:\/\/[^\s'"]+/i;

const SHOWS_COMMITS =
  /^(log|show|shortlog|whatchanged|branch|for-each-ref|show-ref|diff|cat-file|grep|blame)$/;
/** What others pushed, as fetched. */
const OTHERS =
  /(^|\.\.)(FETCH_HEAD|refs\/(remotes|pull|merge-requests)|remotes\/|origin\/|upstream\/)|@\{u(pstream)?\}/;
const ALL = /^(--(all|remotes)|-[a-z]*[ar])$/;

/** Git commands that show commits, files and names of branches that others pushed; they were fetched before. */
export const showsFetched: NetworkRule = {
  matches(program, words) {
    if (program !== 'git') return false;
    const sub = words.find((word) => SHOWS_COMMITS.test(word)) ?? '';
    return (
      sub !== '' &&
      words.some((word) => OTHERS.test(word) || (/^(log|shortlog|branch)$/.test(sub) && ALL.test(word)))
    );
  },
  examples: {
    hits: [
      'git log origin/main',
      'git log --all',
      'git show FETCH_HEAD',
      'git show origin/pr-1:README.md',
      'git branch -a',
      'git diff main origin/main',
      'git log HEAD..@{u}',
      'git -C sub log upstream/main',
    ],
    misses: [
      'git log',
      'git branch',
      'git diff -a',
      'git status',
      'git push origin main',
      'git checkout main',
    ],
  },
};

/** Programs whose output others wrote: pages, issues, mails, repositories. */
export const fetchesText: NetworkRule = {
  matches(program, words) {
    if (program === 'git') {
      const sub = words.find((word, i) => !word.startsWith('-') && !/^-[cC]$/.test(words[i - 1] ?? '')) ?? '';
      return GIT_FETCHES.test(sub) || (sub === 'remote' && words.includes('update'));
    }
    if (HTTP_CLIENTS.test(program)) return !isAboutThisMachine(words);
    if (PACKAGE_MANAGERS.test(program))
      return PACKAGE_TEXT.test(words.find((word) => !word.startsWith('-')) ?? '');
    return [FORGES, MAILERS, REMOTE_SHELLS, CLOUDS].some((names) => names.test(program));
  },
  examples: {
    hits: [
      'curl https://a.invalid/x',
      'curl "$URL"',
      'wget -qO- example.org',
      'git clone https://a.invalid/a.git',
      'git pull',
      'git -C sub fetch',
      'git remote update',
      'gh issue view 3',
      'glab mr view 2',
      'ssh host cat notes',
      'himalaya message read 4',
      'npm view left-pad readme',
      'cargo search serde',
      'aws s3 cp s3://bucket/a -',
    ],
    misses: [
      'curl http://localhost:3000/health',
      'curl -s http://127.0.0.1:8080/api/users',
      'git log',
      'git status',
      'npm install left-pad',
      'echo curl',
      'node server.js',
    ],
  },
};

/** Programs that send what they are given, or publish it. */
export const sendsData: NetworkRule = {
  matches(program, words) {
    const [first = '', second = ''] = words.filter((word) => !word.startsWith('-'));
    const has = (pattern: RegExp) => words.some((word) => pattern.test(word));
    switch (program) {
      case 'curl':
        return has(
          /^-[a-zA-Z]*[dFTXHbKeAuQ]|^--(data|form|json|upload-file|url-query|request|cookie|header|config|referer|user|quote|variable|expand)/,
        );
      case 'wget':
        return has(/^--(post|body)-|^--(method|header|user|referer|config|execute|password)|^-[a-zA-Z]*[Ue]/);
      case 'http':
      case 'https':
      case 'xh':
        return has(/^(POST|PUT|PATCH|DELETE)$|[:=@]=?[^/]/i);
      case 'git':
        return (
          first !== 'stash' && has(/^(push|send-email|send-pack|http-push|dcommit)$|^alias\.|^--config-env/i)
        );
      case 'hg':
      case 'jj':
      case 'svn':
      case 'fossil':
      case 'bzr':
        return has(/^(push|email|commit|ci|import|sync)$/);
      case 'npm':
      case 'pnpm':
      case 'yarn':
      case 'bun':
        return has(/^(publish|unpublish|adduser|login|token|owner|access|deprecate|dist-tag)$/);
      case 'cargo':
      case 'poetry':
      case 'uv':
      case 'flit':
      case 'hatch':
      case 'gradle':
      case 'gradlew':
      case 'mvn':
        return has(/^(publish|login|yank|deploy)$/);
      case 'gem':
      case 'docker':
      case 'podman':
      case 'helm':
      case 'dotnet':
        return has(/^(push|login)$/);
      case 'twine':
        return true;
      default:
        if (FORGES.test(program)) return !isForgeRead(first, second, words);
        return [MAILERS, REMOTE_SHELLS, CLOUDS].some((names) => names.test(program));
    }
  },
  examples: {
    hits: [
      'curl -d @a.txt https://a.invalid',
      'curl -sXPOST https://a.invalid',
      'curl -F f=@a https://a.invalid',
      'curl --data-binary @- https://a.invalid',
      'curl -H "x: $(cat a)" https://a.invalid',
      'wget --post-file=a https://a.invalid',
      'http POST example.org a=b',
      'git push origin main',
      'git -c alias.x="push https://a.invalid" x',
      'hg push https://a.invalid',
      'curl -K a.conf https://a.invalid',
      'curl -A "$(cat a)" https://a.invalid',
      'npm publish',
      'yarn npm publish',
      'cargo publish',
      'docker push a/b',
      'gh gist create a.txt',
      'gh api -X POST /repos/a/b/issues',
      'gh api /repos/a/b/issues -f body=x',
      'scp a host:b',
      'nc example.org 80',
      'mail a@example.org',
      'aws s3 cp a s3://b',
    ],
    misses: [
      'curl https://a.invalid/page',
      'wget https://a.invalid/page',
      'git fetch',
      'git stash push',
      'npm install',
      'npm test',
      'cargo build',
      'docker build .',
      'gh issue view 3',
      'gh pr list',
      'gh api /repos/a/b/issues',
      'node a.js',
    ],
  },
};

function isForgeRead(group: string, verb: string, words: readonly string[]): boolean {
  if (group === 'api') return !words.some((word) => /^-[XfF]|^--(method|field|raw-field|input)/.test(word));
  return (
    /^(view|list|status|diff|checks|watch|download|checkout)$/.test(verb) ||
    /^(status|search|browse)$/.test(group)
  );
}

/** All addresses among the words are of this machine, and there is one. */
function isAboutThisMachine(words: readonly string[]): boolean {
  const addresses = words.flatMap((word) => {
    if (word.startsWith('-')) return [];
    if (ADDRESS.test(word)) return [word];
    return /^(localhost|127\.|[\w-]+\.[a-z]{2,})[:/\w.-]*$/i.test(word) ? [`http://${word}`] : [];
  });
  return addresses.length > 0 && addresses.every(isLoopback);
}

/** Whether a rule matches a command, which may be one inside a wrapper. */
export function usesNetwork(rule: NetworkRule, command: SimpleCommand): boolean {
  return rule.matches(
    programOf(command),
    argsOf(command).map(({ text }) => text),
  );
}

/** Whether a command names an address elsewhere, whatever program it runs. */
export function namesAddress(command: SimpleCommand): boolean {
  return argsOf(command).some(({ text }) => {
    const [found] = ADDRESS.exec(text) ?? [];
    return found !== undefined && !isLoopback(found) && !/^file:/i.test(found);
  });
}

/**
 * Git commands that work on the repository alone, and on contents that it has, with the options that keep it so: not
 * those that run a program or put contents elsewhere. Not among them: commands that put other contents in place of a
 * file, such as `mv` and `apply`, and `init`, which installs hooks. An abbreviated option is none of these.
 */
const LOCAL_GIT: Readonly<Record<string, RegExp>> = {
  add: /^(-[Aunvpi]+|--(all|update|dry-run|verbose|patch|intent-to-add|renormalize|ignore-removal|no-all|refresh))$/,
  commit:
    /^(-[aqvsnmF]+|-m.*|--(all|file|quiet|verbose|signoff|amend|no-edit|allow-empty|no-verify|message(=.*)?|author=.*|date=.*|fixup=[\w.^~-]+|squash=[\w.^~-]+|only|include|dry-run|short|porcelain))$/,
  checkout: /^(-[bBqfdt]+|--(quiet|force|detach|track|no-track|ours|theirs|orphan|guess|no-guess|progress))$/,
  switch:
    /^(-[cCqfdt]+|--(create|force-create|quiet|force|detach|track|no-track|discard-changes|orphan|guess|no-guess))$/,
  restore: /^(-[SWqs]+|--(staged|worktree|quiet|source(=.*)?|ours|theirs))$/,
  branch:
    /^(-[avrdDmMcCfqu]+|--(all|remotes|delete|move|copy|force|quiet|verbose|list|show-current|merged|no-merged|track|no-track|set-upstream-to(=.*)?|unset-upstream|contains|sort=[\w:-]+))$/,
  merge:
    /^(-[qvmn]+|--(ff|no-ff|ff-only|squash|no-commit|commit|no-edit|quiet|verbose|abort|continue|quit|stat|no-stat|autostash|message(=.*)?))$/,
  rebase:
    /^(-[iqv]+|--(abort|continue|skip|quit|onto(=.*)?|quiet|verbose|autosquash|autostash|no-autostash|keep-base|root|update-refs|interactive|stat|no-stat))$/,
  stash: /^(-[ukpqm]+|--(include-untracked|keep-index|no-keep-index|quiet|all|index|staged|message(=.*)?))$/,
  tag: /^(-[adlmnf]+|-n\d+|--(list|delete|annotate|force|message(=.*)?|sort=[\w:-]+|contains|merged))$/,
  reset: /^(-[q]+|--(soft|mixed|hard|keep|merge|quiet))$/,
  rm: /^(-[rfqn]+|--(cached|force|quiet|dry-run))$/,
  'cherry-pick': /^(-[nxsm]+|-m\d|--(no-commit|abort|continue|skip|quit|signoff|no-edit|allow-empty|ff))$/,
  revert: /^(-[nsm]+|-m\d|--(no-commit|no-edit|abort|continue|skip|quit|signoff))$/,
};
const LOCAL_PROGRAMS = /^(mkdir|rmdir|touch|true|sleep)$/;

/** Changes files here, runs no code of the project, and reaches no network. */
export function isLocal(command: SimpleCommand): boolean {
  const [first = '', ...rest] = argsOf(command).map(({ text }) => text);
  if (LOCAL_PROGRAMS.test(command.name))
    return !rest.concat(first).some((word) => /^(\/|~|\.\.)|\.\.\//.test(word));
  const options = command.name === 'git' && Object.hasOwn(LOCAL_GIT, first) ? LOCAL_GIT[first] : undefined;
  if (!options) return false;
  const end = rest.indexOf('--');
  return rest.every((word, i) => (end !== -1 && i >= end) || !word.startsWith('-') || options.test(word));
}
