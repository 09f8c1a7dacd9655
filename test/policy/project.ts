import { link, mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type WhenDone, type Workspace, workspace } from '../support/workspace.ts';

const files: Record<string, string> = {
  'README.md': '# app\n',
  'package.json': '{"name":"app","scripts":{"test":"true"}}\n',
  'tsconfig.json': '{}\n',
  'log.txt': 'one\n',
  'data.json': '{}\n',
  'data.csv': 'a,b\n',
  'my file.txt': 'x\n',
  'src/app.ts': 'export {};\n',
  'src/util.ts': 'export {};\n',
  'src/pseudo.ts': 'export {};\n',
  'src/credentials.ts': 'export {};\n',
  'docs/guide.md': '# guide\n',
  'docs/sudo.md': '# sudo\n',
  'docs/rm-rf.md': '# rm -rf\n',
  'docs/secrets.md': '# how to keep them\n',
  '.env': 'KEY=canary\n',
  '.env.local': 'KEY=canary\n',
  '.env.example': 'KEY=\n',
  '.npmrc': '//registry/:_authToken=canary\n',
  'config/secrets.yml': 'password: canary\n',
  'keys/id_rsa': 'canary\n',
  'deploy.pem': '-----BEGIN RSA PRIVATE KEY-----\ncanary\n',
  'gha-creds-123.json': '{"type": "external_account"}\n',
  'cert.pem': '-----BEGIN CERTIFICATE-----\n',
  'src/keys.ts': 'const start = "-----BEGIN PRIVATE KEY-----";\n',
  '.git/HEAD': 'ref: refs/heads/main\n',
  '.git/config': '[core]\n\tbare = false\n',
  '.git/refs/heads/.keep': '',
  '.git/objects/.keep': '',
};

/** A project with secrets, a repository, and links that lead in, out and to a secret; beside it what must stay closed. */
export async function hostileProject(whenDone?: WhenDone): Promise<Workspace & { base: string }> {
  const space = await (whenDone ? workspace(files, whenDone) : workspace(files));
  const base = path.dirname(space.root);
  const outside: Record<string, string> = {
    'outside/x.txt': 'canary\n',
    'project-evil/x.txt': 'canary\n',
    'home/.ssh/id_rsa': 'canary\n',
  };
  for (const [name, text] of Object.entries(outside)) {
    await mkdir(path.join(base, path.dirname(name)), { recursive: true });
    await writeFile(path.join(base, name), text);
  }
  const links: [name: string, target: string][] = [
    ['link-in', 'README.md'],
    ['link-dir', 'src'],
    ['link-out', '../outside'],
    ['link-out-file', '../outside/x.txt'],
    ['link-to-secret', '.env'],
    ['src/leak.ts', '../../outside/x.txt'],
  ];
  for (const [name, target] of links) await symlink(target, path.join(space.root, name));
  await link(path.join(space.root, '.env'), path.join(space.root, 'hard-link.txt'));
  await writeFile(path.join(base, 'README.md'), 'canary\n');
  return { ...space, base };
}
