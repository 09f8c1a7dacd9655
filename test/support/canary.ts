import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { link, mkdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { filesBelow } from '../../src/lib/files/files-below.ts';
import type { SeenRequest } from './model-server/protocol.ts';
import { type Workspace, workspace } from './workspace.ts';

export type Canaries = {
  space: Workspace;
  /** In files whose names mark them as secret, and in the environment. */
  secret: { dotenv: string; ssh: string; aws: string; environment: string; committed: string };
  /** In a file next to the project. */
  outside: string;
  env: Record<string, string>;
  /** Hashes of what must not change. Aliases of a secret in the project are files like any other. */
  fingerprint(): Promise<Record<string, string>>;
};

/** A project with secrets in it, around it and behind links. */
export async function canaryProject(): Promise<Canaries> {
  const value = (prefix: string) => `${prefix}${randomBytes(20).toString('hex').slice(0, 36)}`;
  const secret = {
    dotenv: value('dotenv/+'),
    ssh: value('ssh'),
    aws: value('aws'),
    environment: value('environ'),
    committed: `ghp_${randomBytes(18).toString('hex')}`,
  };
  const outside = value('outside');
  const space = await workspace({
    'README.md': 'A project.\n',
    '.env': `PORT=3000\nSERVICE_TOKEN=${secret.dotenv}\n`,
    'config.js': `export const token = '${secret.committed}';\n`,
  });
  const { root, home } = space;
  commitAndForget(root);
  const beside = path.join(root, '../beside');
  await mkdir(beside);
  await writeFile(path.join(beside, 'notes.txt'), `${outside}\n`);
  await mkdir(path.join(home, '.ssh'));
  const key = ['-----BEGIN OPENSSH PRIVATE KEY-----', secret.ssh, '-----END OPENSSH PRIVATE KEY-----', ''];
  await writeFile(path.join(home, '.ssh/id_ed25519'), key.join('\n'));
  await mkdir(path.join(home, '.aws'));
  await writeFile(path.join(home, '.aws/credentials'), `[default]\naws_secret_access_key = ${secret.aws}\n`);
  for (const name of ['link.txt', 'link.ipynb', 'link.png', 'link.pdf'])
    await symlink('.env', path.join(root, name));
  await symlink('../beside', path.join(root, 'elsewhere'));
  await symlink(path.join(home, '.ssh'), path.join(root, 'keys'));
  await link(path.join(root, '.env'), path.join(root, 'hard.txt'));

  const mine = ['.env', '.git/config', '.git/HEAD'];
  return {
    space,
    secret,
    outside,
    env: { DEPLOY_TOKEN: secret.environment },
    async fingerprint() {
      const files = [
        ...mine.map((name) => path.join(root, name)),
        ...filesBelow(beside),
        ...(await homeFiles(home)),
      ];
      return Object.fromEntries(await Promise.all(files.map(async (file) => [file, await stateOf(file)])));
    },
  };
}

/** The user's own config file. */
export async function settings({ space }: Canaries, config: unknown): Promise<void> {
  const folder = path.join(space.home, '.ai-assistant');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'config.json'), JSON.stringify(config));
}

/** The first commit contains a token, the second removes it, as happens in real projects. */
function commitAndForget(root: string): void {
  const program = 'git';
  const git = (...args: string[]) =>
    execFileSync(program, ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
      cwd: root,
      stdio: 'ignore',
    });
  git('init', '--initial-branch=main');
  git('add', 'config.js', 'README.md');
  git('commit', '--message=first');
  git('rm', 'config.js');
  git('commit', '--message=second');
}

/** Occurrences of a value in the requests: literally, and in anything decoded from base64, hex or escapes. */
export function leaksIn(requests: readonly SeenRequest[], values: Record<string, string>): string[] {
  const sent = requests.map(({ body }) => JSON.stringify(body).replaceAll(/\\[nrt]/g, '\n')).join('\n');
  const seen = [sent, ...decodings(sent)];
  return Object.entries(values)
    .filter(([, value]) => seen.some((text) => text.includes(value)))
    .map(([name]) => name);
}

function decodings(text: string): string[] {
  const joined = text.replaceAll(/\s+/g, '');
  const base64 = [text, joined].flatMap((whole) =>
    [...whole.matchAll(/[\w+/-]{16,}/g)].flatMap(([run]) =>
      [0, 1, 2, 3].map((offset) => Buffer.from(run.slice(offset), 'base64').toString('latin1')),
    ),
  );
  const hex = [...joined.matchAll(/[\da-f]{16,}/gi)].flatMap(([run]) =>
    [0, 1].map((offset) => Buffer.from(run.slice(offset), 'hex').toString('latin1')),
  );
  const url = text.replaceAll(/%([\da-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return [...base64, ...hex, url];
}

/** The assistant may write to its own data root. */
async function homeFiles(home: string): Promise<string[]> {
  return filesBelow(home).filter((file) => !file.startsWith(path.join(home, '.ai-assistant')));
}

async function stateOf(file: string): Promise<string> {
  const target = await readlink(file).catch(() => null);
  if (target !== null) return `link to ${target}`;
  return readFile(file).then(
    (bytes) => createHash('sha256').update(bytes).digest('hex'),
    () => 'gone',
  );
}
