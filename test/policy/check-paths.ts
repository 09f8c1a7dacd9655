import { execFileSync } from 'node:child_process';
import { link, mkdir, open, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createFiles } from '../../src/sandbox/files/files.ts';
import { createGuard, type Guard, type GuardMode } from '../../src/sandbox/guard.ts';
import { harmlessFiles, links, pathCases, secretFiles } from './paths.cases.ts';

const CANARY = 'canary';

/** Builds a project in `base`, tries every path case on it with real hands, and tells what went wrong. */
export async function checkPaths(base: string): Promise<string[]> {
  const root = path.join(base, 'project');
  const home = path.join(base, 'home');
  await build(base, root);
  const mine = await open(path.join(root, 'src/app.ts'));
  const secret = await open(path.join(root, '.env'));
  const guard = createGuard({
    cwd: root,
    additionalDirectories: [],
    blockedPaths: [],
    allowedPaths: [],
    home,
  });
  const inWords = (text: string) =>
    text
      .replaceAll('ROOT', root)
      .replaceAll('BASE', base)
      .replaceAll('PID', String(process.pid))
      .replaceAll('SECRETFD', String(secret.fd))
      .replaceAll('FD', String(mine.fd));
  try {
    return [
      ...(await checkNames(root, guard)),
      ...(await checkPlaces(root, guard, inWords)),
      ...(await checkSpecials(root, guard)),
      ...(await checkUntouched(base)),
    ];
  } finally {
    await mine.close();
    await secret.close();
  }
}

async function build(base: string, root: string): Promise<void> {
  const contents: [file: string, text: string][] = [
    ['project/src/app.ts', 'mine'],
    ['project/src/sub/x', 'mine'],
    ['project/a.txt', 'mine'],
    ['project/.git/HEAD', 'mine'],
    ['project/.git/hooks/pre-commit', 'mine'],
    ...secretFiles.map((name): [string, string] => [`project/${name}`, CANARY]),
    ...harmlessFiles.map((name): [string, string] => [`project/${name}`, 'mine']),
    ...['outside/x.txt', 'project-evil/x.txt', 'home/x.txt', 'home/.ssh/id_rsa', 'home/.bashrc'].map(
      (name): [string, string] => [name, CANARY],
    ),
  ];
  for (const [name, text] of contents) {
    const file = path.join(base, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  for (const [name, target] of links) await symlink(target.replace('ROOT', root), path.join(root, name));
}

/** Null when a file was really read or written, the refusal otherwise. */
async function refusal(
  root: string,
  guard: Guard,
  [file, mode]: [string, GuardMode],
): Promise<string | null> {
  const files = createFiles({ guard, cwd: root });
  try {
    if (mode === 'write') await files.write(file, Buffer.from('mine'));
    else await files.read(file);
    return null;
  } catch (error) {
    return String(error);
  }
}

async function checkNames(root: string, guard: Guard): Promise<string[]> {
  const wrong: string[] = [];
  for (const mode of ['read', 'write'] as const) {
    for (const file of secretFiles) {
      if ((await refusal(root, guard, [file, mode])) === null) wrong.push(`secret: could ${mode} ${file}`);
      if (guard.allows(file, mode)) wrong.push(`secret: the guard lets ${mode} ${file}`);
      if (guard.closedBecause(path.join(root, file), mode) === null)
        wrong.push(`secret: a search would show ${file} to ${mode}`);
    }
    for (const file of harmlessFiles) {
      const because = await refusal(root, guard, [file, mode]);
      if (because !== null) wrong.push(`harmless: could not ${mode} ${JSON.stringify(file)}: ${because}`);
    }
  }
  return wrong;
}

async function checkPlaces(root: string, guard: Guard, inWords: (text: string) => string): Promise<string[]> {
  const wrong: string[] = [];
  for (const [written, read, write] of pathCases) {
    const file = inWords(written);
    for (const [mode, wanted] of [
      ['read', read],
      ['write', write],
    ] as const) {
      if (wanted === 'any') continue;
      const said = await guard.check(file, mode).then(
        () => 'open',
        (error: unknown) => (String(error).includes('Permission denied') ? 'closed' : String(error)),
      );
      const name = JSON.stringify(written.slice(0, 60));
      if (said !== wanted) wrong.push(`place: ${mode} ${name} should be ${wanted}, is ${said}`);
      if (guard.allows(file, mode) !== (wanted === 'open'))
        wrong.push(`place: allows(${name}, ${mode}) is wrong`);
      if (wanted === 'closed' && (await refusal(root, guard, [file, mode])) === null)
        wrong.push(`place: could ${mode} ${name}`);
    }
  }
  return wrong;
}

/** What is no regular file, and what has two names. */
async function checkSpecials(root: string, guard: Guard): Promise<string[]> {
  const files = createFiles({ guard, cwd: root });
  const wrong: string[] = [];
  const program = 'mkfifo';
  execFileSync(program, [path.join(root, 'pipe')]);
  await link(path.join(root, '.env'), path.join(root, 'notes.md'));
  await link(path.join(root, '.ssh/config'), path.join(root, 'src/notes.md'));
  await link(path.join(root, 'a.txt'), path.join(root, 'twin.txt'));
  await link(path.join(root, '..', 'home/.ssh/id_rsa'), path.join(root, 'poem.txt'));

  for (const file of ['pipe', 'src', '.', 'notes.md', 'src/notes.md', 'poem.txt']) {
    if ((await refusal(root, guard, [file, 'read'])) === null) wrong.push(`special: could read ${file}`);
    await files.readLines(file, { offset: 0, limit: 5 }).then(
      () => wrong.push(`special: could read the lines of ${file}`),
      () => undefined,
    );
  }
  const because = await refusal(root, guard, ['twin.txt', 'read']);
  if (because !== null) wrong.push(`special: a harmless twin could not be read: ${because}`);
  for (const file of ['pipe', 'src', '.']) {
    if ((await refusal(root, guard, [file, 'write'])) === null) wrong.push(`special: could write ${file}`);
  }
  for (const file of [
    '.',
    '..',
    'src/..',
    'link-out/x.txt',
    '../outside',
    '.env',
    'link-up/outside',
    '.git',
    '~',
  ]) {
    await files.remove(file).then(
      () => wrong.push(`special: could delete ${file}`),
      () => undefined,
    );
  }
  for (const folder of ['..', '/', 'link-out', 'link-root', '.ssh', '/proc/self', 'innocent']) {
    await files.list(folder).then(
      () => wrong.push(`special: could list ${folder}`),
      () => undefined,
    );
  }
  return wrong;
}

async function checkUntouched(base: string): Promise<string[]> {
  const wrong: string[] = [];
  const canaries = [
    ...['outside/x.txt', 'project-evil/x.txt', 'home/x.txt', 'home/.ssh/id_rsa', 'home/.bashrc'],
    ...secretFiles.map((name) => `project/${name}`),
  ];
  for (const name of canaries) {
    const text = await readFile(path.join(base, name), 'utf8').catch((error: unknown) => String(error));
    if (text !== CANARY) wrong.push(`untouched: ${name} now says ${text}`);
  }
  for (const [folder, names] of [
    ['outside', ['x.txt']],
    ['project-evil', ['x.txt']],
    ['home', ['.bashrc', '.ssh', 'x.txt']],
    ['.', ['alias', 'home', 'outside', 'project', 'project-evil']],
  ] as const) {
    const found = (await readdir(path.join(base, folder))).sort();
    if (found.join() !== names.join()) wrong.push(`untouched: ${folder} now holds ${found.join(' ')}`);
  }
  return wrong;
}
