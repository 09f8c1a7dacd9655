/**
 * What stays closed to the model whatever the user is asked. Matched against absolute paths with `/` between
 * segments. A `file` rule says nothing of folders of that name; a `folder` rule covers all that lies under it.
 */
export type SecretRule = {
  of: 'file' | 'folder';
  match: RegExp;
  /** `write`: reading is fine. */
  mode: 'any' | 'write';
  because: string;
  examples: { hits: string[]; misses: string[] };
};

export const secretRules: readonly SecretRule[] = [
  {
    of: 'file',
    match:
      /(^|\/)(\.env(?![^/]*[._-](example|sample|template|dist)$)([._~-][^/]*)?|[^/]+\.env|\.envrc|\.flaskenv)$/i,
    mode: 'any',
    because: 'environment files hold secrets',
    examples: {
      hits: [
        '/p/.env',
        '/p/app/.env.local',
        '/p/.env.production',
        '/p/.ENV',
        '/p/.env.example.local',
        '/p/.env~',
        '/p/.env-prod',
        '/p/prod.env',
        '/p/.envrc',
      ],
      misses: [
        '/p/.env.example',
        '/p/.env.sample',
        '/p/.env.local.template',
        '/p/env.ts',
        '/p/.environment',
        '/p/src/env.json',
        '/p/.env/bin/activate',
      ],
    },
  },
  {
    of: 'folder',
    match: /(^|\/)(\.ssh|\.gnupg|\.aws|\.azure|\.config\/gcloud|\.config\/gh)(\/|$)/i,
    mode: 'any',
    because: 'the folder holds keys and credentials',
    examples: {
      hits: [
        '/home/u/.ssh',
        '/home/u/.ssh/known_hosts',
        '/home/u/.aws/config',
        '/p/.gnupg/x',
        '/home/u/.config/gh/hosts.yml',
      ],
      misses: ['/p/ssh/client.ts', '/p/.sshrc', '/p/aws/config.ts', '/home/u/.config/other'],
    },
  },
  {
    of: 'file',
    match: /(^|\/)id_(rsa|dsa|ecdsa|ed25519|xmss)(_sk)?([._-](?!pub$)[^/]*)?$/i,
    mode: 'any',
    because: 'private keys are secret',
    examples: {
      hits: ['/p/id_rsa', '/p/keys/id_ed25519', '/p/id_ecdsa_sk', '/p/id_rsa.bak', '/p/id_rsa_work'],
      misses: ['/p/id_rsa.pub', '/p/id_rsax', '/p/my_id_rsa_test.ts'],
    },
  },
  {
    of: 'file',
    match:
      /(^|\/)((?![^/]*pub)[^/]*(key|private)[^/]*\.(pem|der)|[^/]*\.(key|p12|pfx|pkcs12|jks|keystore|ppk|kdbx?))$/i,
    mode: 'any',
    because: 'private keys and key stores are secret',
    examples: {
      hits: [
        '/p/key.pem',
        '/p/tls/privkey.pem',
        '/p/private.pem',
        '/p/server.key',
        '/p/a.p12',
        '/p/x.PFX',
        '/p/v.kdbx',
      ],
      misses: ['/p/cert.pem', '/p/ca-bundle.pem', '/p/public_key.pem', '/p/src/key.ts', '/p/keyboard.json'],
    },
  },
  {
    of: 'file',
    match:
      /(^|\/)([._]netrc|\.npmrc|\.pypirc|\.pgpass|\.my\.cnf|\.git-credentials|\.htpasswd|\.vault-token|\.dockercfg|\.docker\/config\.json|\.kube\/config|\.ai-assistant\/config\.json)$/i,
    mode: 'any',
    because: 'the file holds passwords or tokens',
    examples: {
      hits: [
        '/home/u/.netrc',
        '/home/u/_netrc',
        '/p/.npmrc',
        '/home/u/.pypirc',
        '/home/u/.kube/config',
        '/home/u/.docker/config.json',
        '/home/u/.git-credentials',
        '/home/u/.ai-assistant/config.json',
      ],
      misses: [
        '/p/npmrc.ts',
        '/p/.npmignore',
        '/p/kube/config',
        '/p/docker/config.json',
        '/p/.ai-assistant.json',
      ],
    },
  },
  {
    of: 'file',
    match: /(^|\/)\.git\/((modules\/.*)?config(\.worktree)?|credentials)$/i,
    mode: 'any',
    because: "git's config can hold credentials and names programs that git runs",
    examples: {
      hits: ['/p/.git/config', '/p/.git/modules/lib/config', '/p/.git/config.worktree'],
      misses: ['/p/.git/HEAD', '/p/.gitconfig.md', '/p/git/config', '/p/.github/config'],
    },
  },
  {
    of: 'folder',
    match: /(^|\/)\.git(\/|$)/i,
    mode: 'write',
    because: "only git itself writes into git's folder",
    examples: {
      hits: ['/p/.git', '/p/.git/hooks/pre-commit', '/p/.git/HEAD'],
      misses: ['/p/.gitignore', '/p/.github/workflows/ci.yml', '/p/git/x'],
    },
  },
  {
    of: 'file',
    match:
      /(^|\/)(?![^/]*[._-](example|sample|template)([._-]|$))[^/]*(credentials?|secrets?)(?![a-z])([^/.]*|[^/]*\.(json[5c]?|ya?ml|ini|toml|txt|csv|xml|cfg|conf|properties|env|enc|bak|old|db))$/i,
    mode: 'any',
    because: 'data files of that name hold secrets',
    examples: {
      hits: [
        '/p/credentials',
        '/p/credentials.json',
        '/p/config/secrets.yml',
        '/p/secret.toml',
        '/p/SECRETS.TXT',
        '/p/client_secret_12.apps.json',
        '/p/aws-credentials.ini',
        '/p/.secrets',
      ],
      misses: [
        '/p/src/credentials.ts',
        '/p/secrets.py',
        '/p/secretary.txt',
        '/p/docs/secrets.md',
        '/p/secrets.example.json',
        '/p/src/secrets/index.ts',
        '/p/credentials-form.tsx',
      ],
    },
  },
];
