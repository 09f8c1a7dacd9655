/**
 * What git is started for: to read; to change a repository that the user does not trust, or to commit to it
 * with hooks that the user has seen; or to reach another repository with the user's own credentials.
 */
export type GitUse = 'read' | 'change' | 'commit' | 'fetch';

/**
 * Settings that override a repository's own, so that git runs none of the programs it names. Passed in the
 * environment, which leaves the command line unchanged. `except`: uses that need the user's own setting.
 */
const SETTINGS: readonly [key: string, value: string, except?: readonly GitUse[]][] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null', ['commit']],
  ['core.pager', 'cat'],
  ['core.editor', 'false'],
  ['sequence.editor', 'false'],
  ['core.askPass', 'false'],
  ['core.sshCommand', 'false', ['fetch']],
  ['core.gitProxy', 'false', ['fetch']],
  ['core.alternateRefsCommand', 'false'],
  ['credential.helper', '', ['fetch']],
  ['credential.interactive', 'false'],
  ['diff.ignoreSubmodules', 'all'],
  ['fetch.recurseSubmodules', 'false'],
  ['gc.auto', '0'],
  ['gpg.program', 'false', ['change', 'commit']],
  ['gpg.openpgp.program', 'false', ['change', 'commit']],
  ['gpg.x509.program', 'false', ['change', 'commit']],
  ['gpg.ssh.program', 'false', ['change', 'commit']],
  ['gpg.ssh.defaultKeyCommand', 'false', ['change', 'commit']],
  ['interactive.diffFilter', 'cat'],
  ['log.showSignature', 'false'],
  ['maintenance.auto', 'false'],
  ['protocol.allow', 'never', ['fetch']],
  ['protocol.ext.allow', 'never'],
  ['protocol.fd.allow', 'never'],
  ['safe.bareRepository', 'explicit'],
  ['status.submoduleSummary', 'false'],
  ['submodule.recurse', 'false'],
];

/** The user's variables that still apply when another repository is reached. */
const REACHES = /^GIT_(SSH|SSL|PROXY|CONFIG_GLOBAL|CONFIG_SYSTEM|CONFIG_NOSYSTEM)/;

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Git's environment for a read-only command; undefined removes a variable. An external diff and what
 * attributes select (filters, textconv) cannot be disabled here: before running git without asking, check
 * that the repository names none of them (`repositoryPrograms`).
 */
export function safeGitEnvironment(): Record<string, string | undefined> {
  return gitEnvironment('read', {});
}

/** The changes to `env` for a use of git. */
export function gitEnvironment(use: GitUse, env: Variables): Record<string, string | undefined> {
  const settings = SETTINGS.filter(([, , except]) => !except?.includes(use));
  return {
    ...(use === 'fetch' ? withoutOthers(env) : {}),
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], i) => [
        [`GIT_CONFIG_KEY_${i}`, key],
        [`GIT_CONFIG_VALUE_${i}`, value],
      ]),
    ),
    GIT_CONFIG_PARAMETERS: undefined,
    GIT_EXTERNAL_DIFF: undefined,
    GIT_PAGER: 'cat',
    PAGER: 'cat',
    GIT_EDITOR: 'false',
    GIT_SEQUENCE_EDITOR: 'false',
    GIT_ASKPASS: 'false',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    ...(use === 'fetch' ? reaching(env) : isolated),
  };
}

const isolated = {
  GIT_PROXY_COMMAND: undefined,
  GIT_SSH: undefined,
  GIT_SSH_COMMAND: 'false',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_OPTIONAL_LOCKS: '0',
};

/** The user's own connection, without anyone being asked. */
const reaching = (env: Variables) => ({
  GIT_SSH_COMMAND: `${env.GIT_SSH_COMMAND ?? 'ssh'} -oBatchMode=yes`,
  GIT_ALLOW_PROTOCOL: 'https:ssh:file:http:git',
  SSH_ASKPASS: 'false',
  SSH_ASKPASS_REQUIRE: 'never',
  GIT_LFS_SKIP_SMUDGE: '1',
});

/** Removes variables that would lead git to another repository. */
function withoutOthers(env: Variables): Record<string, undefined> {
  const others = Object.keys(env).filter((name) => name.startsWith('GIT_') && !REACHES.test(name));
  return Object.fromEntries(others.map((name) => [name, undefined]));
}

/** An environment with further settings for git, which override those of every file. */
export function withGitSettings(
  env: Readonly<Record<string, string>>,
  settings: Readonly<Record<string, string>>,
): Record<string, string> {
  const before = Number(env.GIT_CONFIG_COUNT ?? 0) || 0;
  const added = Object.entries(settings);
  return {
    ...env,
    GIT_CONFIG_COUNT: String(before + added.length),
    ...Object.fromEntries(
      added.flatMap(([key, value], i) => [
        [`GIT_CONFIG_KEY_${before + i}`, key],
        [`GIT_CONFIG_VALUE_${before + i}`, value],
      ]),
    ),
  };
}
