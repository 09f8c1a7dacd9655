import type { Rule } from '../../contract/permission.ts';
import { foldPath } from '../../lib/paths/fold-path.ts';

/** A word in a name that marks a template without secrets. */
const MODEL = '(example|sample|template|tmpl|dist|defaults?|schema)';
/** Extensions of data files without code. */
const DATA = '(json[5c]?|ya?ml|ini|toml|xml|plist|cfg|conf|config|properties|env|enc|bak|old|db|sqlite3?)';

/**
 * Names that make a command line ask. The path guard protects such files; a command does not go through it,
 * so the user is asked. Matched against folded names (`lib/fold-path.ts`), also after a colon, as in git; a
 * test ensures that they agree with the guard's own rules.
 */
export const secretNames: readonly Rule[] = [
  {
    kind: 'read',
    match:
      /^(\/private)?\/etc\/(g?shadow-?|master\.passwd|security\/opasswd|ssh\/ssh_host_[^/]+_key|ssl\/private\/.+)$/i,
    verdict: 'ask',
    because: 'system passwords and private keys are stored there',
    examples: {
      hits: ['/etc/shadow', '/etc/gshadow-', '/etc/ssh/ssh_host_rsa_key'],
      misses: ['/etc/passwd', '/etc/ssh/ssh_host_rsa_key.pub', 'etc/shadow'],
    },
  },
  {
    kind: 'read',
    match: new RegExp(
      `(^|[/:])(\\.env(?![^/]*[._-]${MODEL}$)([._~-][^/]*)?|(?!([^/]*[._-])?${MODEL}\\.env$)[^/]+\\.env|\\.envrc|\\.flaskenv|\\.dev\\.vars)$`,
      'i',
    ),
    verdict: 'ask',
    because: 'environment files may contain secrets',
    examples: {
      hits: ['.env', 'app/.env.local', 'HEAD:.env', 'prod.env', '.ENV', '．ｅｎｖ'],
      misses: ['.env.example', 'example.env', 'env.ts', '.environment'],
    },
  },
  {
    kind: 'read',
    match:
      /(^|[/:])(\.ssh|\.gnupg|\.aws|\.azure|\.oci|\.kube|\.docker|\.password-store|\.secrets|\.config\/(gcloud|gh|hub|glab-cli|op|rclone|sops)|\.local\/share\/keyrings|library\/keychains)(\/|$)/i,
    verdict: 'ask',
    because: 'keys and passwords are stored there',
    examples: {
      hits: ['.ssh/config', '.aws/credentials', '.kube/config', '~/.config/gh/hosts.yml'],
      misses: ['ssh/client.ts', '.sshrc', 'docker/a.yml', '.dockerignore'],
    },
  },
  {
    kind: 'read',
    match:
      /(^|[/:])([._]netrc|\.npmrc|\.pypirc|\.pgpass|\.my(login)?\.cnf|\.git-credentials|\.htpasswd|\.vault-token|\.dockercfg|\.s3cfg|\.boto|\.databrickscfg|\.erlang\.cookie|\.m2\/settings(-security)?\.xml|\.gradle\/gradle\.properties|\.(config\/)?composer\/auth\.json|\.ai-assistant\/(config|keys|trust)\.json)$/i,
    verdict: 'ask',
    because: 'contains passwords or tokens',
    examples: {
      hits: ['a/.npmrc', '_netrc', '.m2/settings.xml', 'HEAD:.npmrc'],
      misses: ['npmrc.ts', '.npmignore', 'gradle.properties'],
    },
  },
  {
    kind: 'read',
    match:
      /(^|[/:])((?![^/]*\.([cm]?[jt]sx?|py|go|rs|rb|java|kt|cs|c|h|cpp|php|swift|sh|md)$)id_(rsa|dsa|ecdsa|ed25519|xmss)(_sk)?([._-](?!pub$)[^/]*)?|(?![^/]*pub)([^/]*(key|private|priv)[^/]*\.(pem|der|asc|gpg)|[^/]*\.(key|p8))|[^/]*\.(p12|pfx|pkcs12|jks|keystore|keytab|ppk|kdbx?|agekey)|secring\.[^/]+|wallet\.dat)$/i,
    verdict: 'ask',
    because: 'private key',
    examples: {
      hits: ['id_rsa', 'tls/server.key', 'key.pem', 'a.p12'],
      misses: ['id_rsa.pub', 'cert.pem', 'src/key.ts', 'keyboard.json'],
    },
  },
  {
    kind: 'read',
    match: /(^|[/:])[^/]*\.git\/((modules|worktrees)\/.*)?(config(\.worktree)?|credentials)$/i,
    verdict: 'ask',
    because: 'git config may contain credentials',
    examples: {
      hits: ['.git/config', '.git/modules/a/config', 'project.git/config'],
      misses: ['.git/HEAD', '.gitconfig.md', 'git/config'],
    },
  },
  {
    kind: 'read',
    match: new RegExp(
      `(^|[/:])(?!([^/]*[._-])?${MODEL}([._-]|$))[^/]*(credentials?|secrets?)(?![a-z])([^/.]*|[^/]*\\.${DATA}|[0-9._-]*\\.(txt|csv|log)|[^/]*\\.bak)$`,
      'i',
    ),
    verdict: 'ask',
    because: 'data files with that name usually contain secrets',
    examples: {
      hits: ['credentials', 'config/secrets.yml', 'client_secret_1.json', 'HEAD:secrets.json'],
      misses: ['src/credentials.ts', 'secretary.txt', 'secret-garden.txt', 'docs/secrets.md'],
    },
  },
  {
    kind: 'read',
    match:
      /(^|[/:])secrets?\/[^/]*(passw(or)?d|passphrase|token|secret|api[-_]?key)s?(\.(txt|json|ya?ml))?$/i,
    verdict: 'ask',
    because: 'its folder and name suggest a secret',
    examples: { hits: ['secrets/db_password'], misses: ['secrets/README', 'src/token.txt'] },
  },
  {
    kind: 'read',
    match: new RegExp(
      `(^|[/:])(?!([^/]*[._-])?${MODEL}[._-])([^/]*(\\.tfstate(\\.[^/]*)?|\\.tfvars(\\.json)?)|([^/]*service[-_]?account([-_.][^/]*)?|[^/]*firebase-adminsdk[^/]*|[^/]*gcp[-_]?key[^/]*)\\.json)$`,
      'i',
    ),
    verdict: 'ask',
    because: 'cloud account keys are stored there',
    examples: {
      hits: ['terraform.tfstate', 'prod.tfvars', 'service-account.json'],
      misses: ['main.tf', 'terraform.tfvars.example', 'service-account.example.json', 'service-account.ts'],
    },
  },
  {
    kind: 'read',
    match:
      /(^|[/:])(\.(bash|zsh|sh|fish|psql|mysql|sqlite|rediscli|node_repl|python)_history|fish_history|\.zhistory|\.viminfo)$/i,
    verdict: 'ask',
    because: 'shell history may contain passwords',
    examples: { hits: ['.bash_history', '~/.psql_history'], misses: ['history.md', 'bash_history.ts'] },
  },
];

/** Why a file of that name must not be printed without asking, or null. */
export function secretBecause(name: string): string | null {
  const folded = foldPath(name);
  return secretNames.find(({ match }) => match.test(folded))?.because ?? null;
}
