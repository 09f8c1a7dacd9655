/**
 * Settings that override a repository's own, so that read-only commands run none of the programs it names.
 * Passed in the environment, which leaves the command line unchanged.
 */
const SETTINGS: readonly [key: string, value: string][] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.pager', 'cat'],
  ['core.editor', 'false'],
  ['core.askPass', 'false'],
  ['core.sshCommand', 'false'],
  ['core.gitProxy', 'false'],
  ['core.alternateRefsCommand', 'false'],
  ['credential.helper', ''],
  ['diff.ignoreSubmodules', 'all'],
  ['gpg.program', 'false'],
  ['gpg.openpgp.program', 'false'],
  ['gpg.x509.program', 'false'],
  ['gpg.ssh.program', 'false'],
  ['gpg.ssh.defaultKeyCommand', 'false'],
  ['log.showSignature', 'false'],
  ['protocol.allow', 'never'],
  ['safe.bareRepository', 'explicit'],
  ['status.submoduleSummary', 'false'],
  ['submodule.recurse', 'false'],
];

/**
 * Git's environment for a read-only command; undefined removes a variable. An external diff and what
 * attributes select (filters, textconv) cannot be disabled here: before running git without asking, check
 * that the repository names none of them.
 */
export function safeGitEnvironment(): Record<string, string | undefined> {
  const settings = SETTINGS.flatMap(([key, value], i): [string, string][] => [
    [`GIT_CONFIG_KEY_${i}`, key],
    [`GIT_CONFIG_VALUE_${i}`, value],
  ]);
  return {
    GIT_CONFIG_COUNT: String(SETTINGS.length),
    ...Object.fromEntries(settings),
    GIT_CONFIG_PARAMETERS: undefined,
    GIT_EXTERNAL_DIFF: undefined,
    GIT_PROXY_COMMAND: undefined,
    GIT_SSH: undefined,
    GIT_PAGER: 'cat',
    PAGER: 'cat',
    GIT_EDITOR: 'false',
    GIT_ASKPASS: 'false',
    GIT_SSH_COMMAND: 'false',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
  };
}
