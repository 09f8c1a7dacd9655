/**
 * What stays closed to the model even with the user's approval, for reading and writing. Matched against
 * absolute paths, folded (`lib/paths/fold-path.ts`), with `/` between segments. A `file` rule does not apply
 * to folders of that name; a `folder` rule covers everything under it.
 */
export type SecretRule = {
  of: 'file' | 'folder';
  match: RegExp;
  because: string;
  examples: { hits: string[]; misses: string[] };
};

/** A word in a name that marks a template without secrets. */
const MODEL = '(example|sample|template|tmpl|dist|defaults?|schema)';
/** File types that contain values and no code. */
const DATA = '(json[5c]?|ya?ml|ini|toml|xml|plist|cfg|conf|config|properties|env|enc|bak|old|db|sqlite3?)';

export const secretRules: readonly SecretRule[] = [
  {
    of: 'file',
    match:
      /^(\/private)?\/etc\/(g?shadow-?|master\.passwd|security\/opasswd|ssh\/ssh_host_[^/]+_key|ssl\/private\/.+)$/i,
    because: 'system passwords and private keys are stored there',
    examples: {
      hits: [
        '/etc/shadow',
        '/etc/shadow-',
        '/etc/gshadow',
        '/private/etc/master.passwd',
        '/etc/ssh/ssh_host_ed25519_key',
        '/etc/ssl/private/server.pem',
      ],
      misses: [
        '/etc/passwd',
        '/etc/ssh/ssh_host_rsa_key.pub',
        '/etc/ssl/certs/a.pem',
        '/p/etc/shadow',
        '/etc/hosts',
      ],
    },
  },
  {
    of: 'file',
    match: new RegExp(
      `(^|/)(\\.env(?![^/]*[._-]${MODEL}$)([._~-][^/]*)?|(?!([^/]*[._-])?${MODEL}\\.env$)[^/]+\\.env|\\.envrc|\\.flaskenv|\\.dev\\.vars)$`,
      'i',
    ),
    because: 'environment files may contain secrets',
    examples: {
      hits: [
        '/p/.env',
        '/p/app/.env.local',
        '/p/.env.production',
        '/p/.ENV',
        '/p/.env.example.local',
        '/p/.env~',
        '/p/.env-prod',
        '/p/.env.bak',
        '/p/.env.vault',
        '/p/.env.keys',
        '/p/prod.env',
        '/p/.envrc',
        '/p/．ｅｎｖ',
        '/p/.env. ',
        '/p/.env::$DATA',
        '/p/.dev.vars',
      ],
      misses: [
        '/p/.env.example',
        '/p/.env.sample',
        '/p/.env.dist',
        '/p/.env.defaults',
        '/p/.env.local.template',
        '/p/.env-example',
        '/p/example.env',
        '/p/docker.sample.env',
        '/p/env.ts',
        '/p/env.d.ts',
        '/p/.environment',
        '/p/src/env.json',
        '/p/.env/bin/activate',
        '/p/dotenv',
      ],
    },
  },
  {
    of: 'folder',
    match:
      /(^|\/)(\.ssh|\.gnupg|\.aws|\.azure|\.oci|\.password-store|\.secrets|\.config\/(gcloud|gh|hub|glab-cli|op|rclone|sops)|\.local\/share\/keyrings|library\/keychains)(\/|$)/i,
    because: 'the folder contains keys and credentials',
    examples: {
      hits: [
        '/home/u/.ssh',
        '/home/u/.ssh/known_hosts',
        '/p/.SSH/config',
        '/home/u/.aws/config',
        '/p/.gnupg/x',
        '/home/u/.azure/msal_token_cache.json',
        '/home/u/.config/gh/hosts.yml',
        '/home/u/.config/gcloud/access_tokens.db',
        '/home/u/.config/sops/age/keys.txt',
        '/home/u/.password-store/mail.gpg',
        '/home/u/.local/share/keyrings/login.keyring',
        '/Users/u/Library/Keychains/login.keychain-db',
        '/p/.secrets/db',
      ],
      misses: [
        '/p/ssh/client.ts',
        '/p/.sshrc',
        '/p/.ssh-config.md',
        '/p/aws/config.ts',
        '/home/u/.config/other',
        '/p/secrets/index.ts',
        '/p/library/keychains.md',
      ],
    },
  },
  {
    of: 'file',
    match:
      /(^|\/)(?![^/]*\.([cm]?[jt]sx?|py|go|rs|rb|java|kt|cs|c|h|cpp|php|swift|sh|md)$)id_(rsa|dsa|ecdsa|ed25519|xmss)(_sk)?([._-](?!pub$)[^/]*)?$/i,
    because: 'private key',
    examples: {
      hits: [
        '/p/id_rsa',
        '/p/keys/id_ed25519',
        '/p/ID_RSA',
        '/p/id_ecdsa_sk',
        '/p/id_rsa.bak',
        '/p/id_rsa_work',
      ],
      misses: ['/p/id_rsa.pub', '/p/id_rsax', '/p/id_rsa_test.ts', '/p/id_ed25519.md'],
    },
  },
  {
    of: 'file',
    match:
      /(^|\/)((?![^/]*pub)([^/]*(key|private|priv)[^/]*\.(pem|der|asc|gpg)|[^/]*\.(key|p8))|[^/]*\.(p12|pfx|pkcs12|jks|keystore|keytab|ppk|kdbx?|agekey)|secring\.[^/]+|wallet\.dat)$/i,
    because: 'private key or key store',
    examples: {
      hits: [
        '/p/key.pem',
        '/p/tls/privkey.pem',
        '/p/private.pem',
        '/p/server-key.pem',
        '/p/server.key',
        '/p/config/master.key',
        '/p/AuthKey_1.p8',
        '/p/a.p12',
        '/p/x.PFX',
        '/p/release.keystore',
        '/p/http.keytab',
        '/p/v.kdbx',
        '/p/private-key.asc',
      ],
      misses: [
        '/p/cert.pem',
        '/p/ca-bundle.pem',
        '/p/public_key.pem',
        '/p/pubkey.asc',
        '/p/public.key',
        '/p/src/key.ts',
        '/p/keyboard.json',
        '/p/keys.go',
        '/p/src/keystore.ts',
      ],
    },
  },
  {
    of: 'file',
    match:
      /(^|\/)([._]netrc|\.npmrc|\.pypirc|\.pgpass|\.my(login)?\.cnf|\.git-credentials|\.htpasswd|\.vault-token|\.dockercfg|\.s3cfg|\.boto|\.databrickscfg|\.erlang\.cookie|\.docker\/config\.json|\.kube\/config|\.m2\/settings(-security)?\.xml|\.gradle\/gradle\.properties|\.(config\/)?composer\/auth\.json|\.ai-assistant\/(config|keys|trust)\.json)$/i,
    because: 'contains passwords or tokens',
    examples: {
      hits: [
        '/home/u/.netrc',
        '/home/u/_netrc',
        '/p/.npmrc',
        '/home/u/.pypirc',
        '/home/u/.pgpass',
        '/home/u/.my.cnf',
        '/home/u/.kube/config',
        '/home/u/.docker/config.json',
        '/home/u/.git-credentials',
        '/p/.htpasswd',
        '/home/u/.m2/settings.xml',
        '/home/u/.ai-assistant/config.json',
      ],
      // A `.yarnrc.yml` belongs to the project, is committed to git, and takes its tokens from the
      // environment.
      misses: [
        '/p/npmrc.ts',
        '/p/.npmignore',
        '/p/.yarnrc.yml',
        '/p/kube/config',
        '/p/docker/config.json',
        '/p/gradle.properties',
        '/p/locales/en/auth.json',
        '/p/.ai-assistant.json',
      ],
    },
  },
  {
    of: 'file',
    match: /(^|\/)[^/]*\.git\/((modules|worktrees)\/.*)?(config(\.worktree)?|credentials)$/i,
    because: 'git config may contain credentials and commands that git runs',
    examples: {
      hits: [
        '/p/.git/config',
        '/p/.GIT/config',
        '/p/.git/modules/lib/config',
        '/p/.git/worktrees/a/config.worktree',
        '/p/.git/config.worktree',
        '/srv/project.git/config',
      ],
      misses: [
        '/p/.git/HEAD',
        '/p/.gitconfig.md',
        '/p/git/config',
        '/p/.github/config',
        '/p/.git/refs/heads/config',
      ],
    },
  },
  {
    of: 'file',
    match: new RegExp(
      `(^|/)(?!([^/]*[._-])?${MODEL}([._-]|$))[^/]*(credentials?|secrets?)(?![a-z])([^/.]*|[^/]*\\.${DATA}|[0-9._-]*\\.(txt|csv|log)|[^/]*\\.bak)$`,
      'i',
    ),
    because: 'data files with that name usually contain secrets',
    examples: {
      hits: [
        '/p/credentials',
        '/p/credentials.json',
        '/p/config/secrets.yml',
        '/p/secrets.prod.yaml',
        '/p/secret.toml',
        '/p/SECRETS.TXT',
        '/p/client_secret_12.apps.json',
        '/p/aws-credentials.ini',
        '/p/credentials.properties',
        '/p/credentials.csv',
        '/p/secrets.json.bak',
        '/p/.cargo/credentials.toml',
        '/p/.secret',
      ],
      misses: [
        '/p/src/credentials.ts',
        '/p/secrets.py',
        '/p/secrets.go',
        '/p/secretary.txt',
        '/p/secret_garden.md',
        '/p/secret-garden.txt',
        '/p/docs/secrets.md',
        '/p/secrets.example.json',
        '/p/example-secrets.yml',
        '/p/secrets.schema.json',
        '/p/src/secrets/index.ts',
        '/p/credentials-form.tsx',
        '/p/secrets.test.ts',
      ],
    },
  },
  {
    of: 'file',
    match: /(^|\/)secrets?\/[^/]*(passw(or)?d|passphrase|token|secret|api[-_]?key)s?(\.(txt|json|ya?ml))?$/i,
    because: 'its folder and name suggest a secret',
    examples: {
      hits: ['/p/secrets/db_password', '/p/secrets/api-key.txt', '/run/secrets/token'],
      misses: ['/p/secrets/README', '/p/src/secrets/token.ts', '/p/src/token.txt', '/p/secrets/package.json'],
    },
  },
  {
    of: 'file',
    match: new RegExp(`(^|/)(?!([^/]*[._-])?${MODEL}[._-])[^/]*(\\.tfstate(\\.[^/]*)?|\\.tfvars(\\.json)?)$`),
    because: 'Terraform stores passwords and keys there in plain text',
    examples: {
      hits: [
        '/p/terraform.tfstate',
        '/p/terraform.tfstate.backup',
        '/p/prod.tfvars',
        '/p/a.auto.tfvars.json',
      ],
      misses: ['/p/main.tf', '/p/terraform.tfvars.example', '/p/example.tfvars', '/p/variables.tf'],
    },
  },
  {
    of: 'file',
    match: new RegExp(
      `(^|/)(?![^/]*[._-]${MODEL}[._-])([^/]*service[-_]?account([-_.][^/]*)?|[^/]*firebase-adminsdk[^/]*|[^/]*gcp[-_]?key[^/]*)\\.json$`,
      'i',
    ),
    because: 'service account key',
    examples: {
      hits: [
        '/p/service-account.json',
        '/p/serviceAccount.json',
        '/p/my_service_account_key.json',
        '/p/app-firebase-adminsdk-x1.json',
        '/p/gcp-key.json',
      ],
      misses: [
        '/p/service-account.ts',
        '/p/service-account.example.json',
        '/p/service-accounts.md',
        '/p/service-account.schema.json',
        '/p/accounts.json',
      ],
    },
  },
  {
    of: 'file',
    match:
      /(^|\/)(\.(bash|zsh|sh|fish|psql|mysql|sqlite|rediscli|node_repl|python)_history|fish_history|\.zhistory|\.viminfo)$/i,
    because: 'shell history may contain passwords',
    examples: {
      hits: ['/home/u/.bash_history', '/home/u/.psql_history', '/home/u/.local/share/fish/fish_history'],
      misses: ['/p/history.md', '/p/bash_history.ts', '/p/.history/a.ts'],
    },
  },
];

/** A substring of every name that a rule matches: most names contain none, and need no full check. */
const HINT =
  /env|vars|secret|credential|key|priv|id_|passw|token|\.(ssh|gnupg|aws|azure|oci|config|local|pem|der|asc|gpg|p8|p12|pfx|pkcs|jks|ppk|kdb|np|py|pg|my|git|ht|vault|docker|s3|boto|data|erl|kube|m2|gradle|composer|ai-|tf)|service|firebase|gcp|histor|viminfo|secring|wallet|netrc|shadow/;

/** The rule that closes a folded, absolute path, if any. */
export function secretRule(folded: string, kind: SecretRule['of']): SecretRule | undefined {
  if (!HINT.test(folded)) return undefined;
  return secretRules.find(({ of, match }) => !(of === 'file' && kind === 'folder') && match.test(folded));
}
