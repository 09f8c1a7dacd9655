import type { Rule } from '../../contract/permission.ts';

/**
 * Names that keep a command line from being free. The path guard is what keeps such files closed; a command does
 * not pass through it, so a person is asked.
 */
export const secretNames: readonly Rule[] = [
  {
    kind: 'read',
    match: /(^|[/:])(\.env(?!\.(example|sample|template|dist)$)([._-][^/]*)?|[^/]+\.env|\.envrc)$/i,
    verdict: 'ask',
    because: 'environment files hold secrets',
    examples: {
      hits: ['.env', 'app/.env.local', 'HEAD:.env', 'prod.env'],
      misses: ['.env.example', 'env.ts', '.environment'],
    },
  },
  {
    kind: 'read',
    match:
      /(^|[/:])\.(ssh|gnupg|aws|azure|kube|docker|netrc|npmrc|pypirc|pgpass|git-credentials|htpasswd)(\/|$)/i,
    verdict: 'ask',
    because: 'keys and passwords are kept there',
    examples: {
      hits: ['.ssh/config', 'a/.npmrc', '.aws/credentials'],
      misses: ['ssh/client.ts', '.sshrc', 'docker/a.yml'],
    },
  },
  {
    kind: 'read',
    match:
      /(^|[/:])(id_(rsa|dsa|ecdsa|ed25519)(?!.*\.pub$)[^/]*|[^/]*\.(pem|key|p12|pfx|jks|keystore|ppk|kdbx?))$/i,
    verdict: 'ask',
    because: 'private keys are secret',
    examples: {
      hits: ['id_rsa', 'tls/server.key', 'a.pem'],
      misses: ['id_rsa.pub', 'src/key.ts', 'keyboard.json'],
    },
  },
  {
    kind: 'read',
    match: /(^|[/:])\.git(\/.*)?\/(config(\.worktree)?|credentials)$/i,
    verdict: 'ask',
    because: "git's config can hold credentials",
    examples: {
      hits: ['.git/config', '.git/modules/a/config'],
      misses: ['.git/HEAD', '.gitconfig.md', 'git/config'],
    },
  },
  {
    kind: 'read',
    match:
      /(^|[/:])[^/]*(credentials?|secrets?)(?![a-z])([^/.]*|[^/]*\.(json[5c]?|ya?ml|ini|toml|txt|csv|xml|cfg|conf|properties|env|bak))$/i,
    verdict: 'ask',
    because: 'data files of that name hold secrets',
    examples: {
      hits: ['credentials', 'config/secrets.yml', 'client_secret_1.json', 'HEAD:secrets.json'],
      misses: ['src/credentials.ts', 'secretary.txt', 'docs/secrets.md'],
    },
  },
];

/** Why a file of that name is none to print unasked, or null. */
export function secretBecause(name: string): string | null {
  return secretNames.find(({ match }) => match.test(name))?.because ?? null;
}
