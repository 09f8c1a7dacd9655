import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { noBubblewrap, sandboxedShellIn } from '../../../test/support/sandboxed.ts';
import { type Workspace, workspace } from '../../../test/support/workspace.ts';
import { movedPlaces, openPlaces, openSettings } from './open-home.ts';

beforeEach(({ skip }) => {
  if (noBubblewrap !== null) skip(noBubblewrap);
});

const text = (file: string) => `content of ${file}`;

async function atHome({ home }: Workspace, files: readonly string[], content = text): Promise<void> {
  for (const file of files) {
    await mkdir(path.dirname(path.join(home, file)), { recursive: true });
    await writeFile(path.join(home, file), content(file));
  }
}

/** The files of a home folder that a command can read. */
async function readable(space: Workspace, files: readonly string[], options = {}): Promise<string[]> {
  const { run } = sandboxedShellIn(space, options);
  const { stdout } = await run(`while read -r f; do cat "$HOME/$f" >/dev/null 2>&1 && echo "$f"; done`, {
    input: `${files.join('\n')}\n`,
  });
  return stdout.split('\n').filter(Boolean).sort();
}

/** Where programs keep logins, keys, cookies and histories. */
const LOGINS = [
  ...['.claude/.credentials.json', '.claude.json', '.codex/auth.json', '.gemini/oauth_creds.json'],
  ...[
    '.local/share/opencode/auth.json',
    '.config/github-copilot/hosts.json',
    '.config/github-copilot/apps.json',
  ],
  ...[
    '.anthropic/api_key',
    '.config/io.datasette.llm/keys.json',
    '.aider.conf.yml',
    '.config/goose/secrets.yaml',
  ],
  ...['.boto', '.s3cfg', '.databrickscfg', '.snowflake/connections.toml', '.pulumi/credentials.json'],
  ...[
    '.fly/config.yml',
    '.wrangler/config/default.toml',
    '.config/doctl/config.yaml',
    '.config/hcloud/cli.toml',
  ],
  ...[
    '.config/heroku/credentials',
    '.config/scw/config.yaml',
    '.config/netlify/config.json',
    '.aliyun/config.json',
  ],
  ...['.config/stripe/config.toml', '.ngrok2/ngrok.yml', '.cloudflared/cert.pem', '.kaggle/kaggle.json'],
  ...['.cache/huggingface/token', '.config/containers/auth.json', '.config/helm/registry/config.json'],
  ...['.docker/config.json', '.docker/contexts/tls/x/key.pem', '.minikube/profiles/minikube/client.key'],
  ...[
    '.config/composer/auth.json',
    '.composer/auth.json',
    '.config/pypoetry/auth.toml',
    '.nuget/NuGet/x.key',
  ],
  ...['.ivy2/.credentials', '.sbt/credentials', '.hex/hex.config', '.mylogin.cnf', '.odbc.ini', '.pgpass'],
  ...['.authinfo', '.msmtprc', '.fetchmailrc', '.subversion/auth/svn.simple/x', '.bitcoin/wallet.dat'],
  ...['.electrum/wallets/default', '.ethereum/keystore/x', '.config/solana/id.json'],
  ...['.config/microsoft-edge/Default/Cookies', '.config/vivaldi/Default/Cookies', 'snap/firefox/common/x'],
  ...['.var/app/org.mozilla.firefox/x', '.config/Signal/config.json', '.config/Slack/Cookies'],
  ...['.config/Bitwarden/data.json', '.local/share/fish/fish_history', '.sqlite_history', '.bash_history'],
  ...['.ssh/id_ed25519', '.aws/credentials', '.netrc', '.gnupg/secring.gpg', '.kube/config', '.vault-token'],
  ...[
    '.cargo/credentials.toml',
    '.gem/credentials',
    '.terraform.d/credentials.tfrc.json',
    '.git-credentials',
  ],
  ...['.config/git/credentials', '.pypirc', '.dotnet/corefx/cryptography/x509stores/my/x.pfx', 'taxes.pdf'],
  ...['.gradle/init.d/x.gradle', '.android/adbkey', '.pub-cache/credentials.json', '.cache/mozilla/x'],
  ...['.local/share/keyrings/login.keyring', 'other-project/.env', 'other-project/src/a.ts', '.bashrc'],
];

describe('the home folder is closed to commands', () => {
  test('with every login in it', async () => {
    const space = await workspace({ 'a.txt': 'a' });
    await atHome(space, LOGINS);
    expect(await readable(space, LOGINS)).toEqual([]);
    for (const level of ['strict', 'permissive'] as const)
      expect(await readable(space, LOGINS, { level: () => level })).toEqual([]);
  });

  test('even where a variable or the path names all of it', async () => {
    const space = await workspace();
    await atHome(space, ['notes', '.ssh/id_rsa']);
    const env = { HOME: space.home, PATH: `${process.env.PATH}:${space.home}`, JAVA_HOME: space.home };
    const readablePaths = [path.dirname(space.home)];
    expect(await readable(space, ['.ssh/id_rsa'], { env, readablePaths })).toEqual([]);
    expect(await readable(space, ['notes'], { env })).toEqual([]);
  });

  test('except for toolchains, caches and settings', async () => {
    const space = await workspace();
    const places = openPlaces.flatMap((group) => group.places.map((place) => `${place}/x/y`));
    await atHome(
      space,
      [...places, ...openSettings].filter((file) => !file.startsWith('.terraform.d/')),
    );
    const all = [...places, ...openSettings].filter((file) => !file.startsWith('.terraform.d/')).sort();
    expect(await readable(space, all)).toEqual(all);
  });

  test('settings with a login are closed, and so is a login beside a toolchain', async () => {
    const space = await workspace();
    const lines = [
      '//registry.npmjs.org/:_authToken=npm_x',
      '[http]\n\textraHeader = Authorization: Basic x',
      '[url "https://me:pw@example.com"]\n\tinsteadOf = x',
      'index-url = https://me:pw@pypi.example.com/simple',
      '<server><password>x</password></server>',
      'apiKey=x',
    ];
    for (const line of lines) {
      await atHome(space, openSettings, () => line);
      expect(await readable(space, openSettings), line).toEqual([]);
    }
    await atHome(space, ['.nvm/credentials.json', '.nvm/nvm.sh']);
    expect(await readable(space, ['.nvm/credentials.json', '.nvm/nvm.sh'])).toEqual(['.nvm/nvm.sh']);
  });

  test('except for what the user opened', async () => {
    const space = await workspace();
    await atHome(space, ['notes/a', 'notes/.env', 'more/x', 'more/y', 'single']);
    const files = ['notes/a', 'notes/.env', 'more/x', 'more/y', 'single'];
    const opened = { readablePaths: ['~/notes'], allowedPaths: ['~/more/*', '~/single'] };
    expect(await readable(space, files, opened)).toEqual(['more/x', 'more/y', 'notes/a', 'single']);
    expect(await readable(space, files)).toEqual([]);
  });

  test.each(Object.entries(movedPlaces))('%s says where %s is', async (name, usual) => {
    const space = await workspace();
    const places = openPlaces.flatMap((group) => group.places);
    const inside = places.find((place) => place === usual || place.startsWith(`${usual}/`));
    const file = `elsewhere${(inside ?? usual).slice(usual.length)}/x`;
    await atHome(space, [file]);
    const env = { HOME: space.home, PATH: process.env.PATH, [name]: path.join(space.home, 'elsewhere') };
    expect(inside).toBeDefined();
    expect(await readable(space, [file], { env })).toEqual([file]);
    expect(await readable(space, [file])).toEqual([]);
  });

  test('a linked toolchain is found', async () => {
    const space = await workspace();
    await atHome(space, ['dotfiles/nvm/x', 'dotfiles/secret']);
    await symlink('dotfiles/nvm', path.join(space.home, '.nvm'));
    expect(await readable(space, ['.nvm/x', 'dotfiles/secret'])).toEqual(['.nvm/x']);
  });

  test('the project is open when it is in there, and when it is the home folder itself', async () => {
    const space = await workspace();
    await atHome(space, ['work/app/a.txt', 'work/other/b.txt', '.ssh/id_rsa', '.aws/credentials']);
    const files = ['work/app/a.txt', 'work/other/b.txt', '.ssh/id_rsa', '.aws/credentials'];
    const at = async (cwd: string) => {
      const { run } = sandboxedShellIn(space, {}, cwd);
      const { stdout } = await run(
        `for f in ${files.join(' ')}; do cat "$HOME/$f" 2>/dev/null && echo; done`,
      );
      return stdout.split('\n').filter(Boolean);
    };
    expect(await at(path.join(space.home, 'work/app'))).toEqual([text('work/app/a.txt')]);
    expect(await at(space.home)).toEqual([text('work/app/a.txt'), text('work/other/b.txt')]);
  });

  test('nothing can be written there, and what is open cannot be changed', async () => {
    const space = await workspace();
    await atHome(space, ['.cargo/bin/x']);
    const { run } = sandboxedShellIn(space);
    expect((await run('touch "$HOME/new"')).exitCode).toBe(1);
    expect((await run('echo x > "$HOME/.cargo/bin/x"')).exitCode).not.toBe(0);
  });

  test("git has the user's name and aliases, also from an included file", async () => {
    const space = await workspace({ 'a.txt': 'a' });
    await atHome(
      space,
      ['.gitconfig'],
      () => '[include]\n\tpath = ~/git/more\n[alias]\n\tlast = log -1 --format=%an\n',
    );
    await atHome(space, ['git/more'], () => '[user]\n\tname = Ada\n\temail = ada@example.com\n');
    const { run } = sandboxedShellIn(space);
    expect(await run('git init -q . && git add . && git commit -qm one && git last')).toMatchObject({
      stdout: 'Ada\n',
      exitCode: 0,
    });
  });
});
