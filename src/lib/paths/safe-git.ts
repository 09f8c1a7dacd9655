/**
 * Settings that outrank a repository's own, so that looking at it runs none of the programs it names. They are handed
 * over in the environment: the command line stays as its writer wrote it.
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
 * What git finds in the environment of a command that only looks; undefined stands for a variable it must not find. An external diff and what attributes choose (filters,
 * textconv) cannot be switched off here: whoever runs git unasked must know that the repository names none of them.
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
