import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sweep } from '../../test/support/soak.ts';
import { workspace } from '../../test/support/workspace.ts';
import { PermissionDeniedError } from '../contract/errors.ts';
import { createFiles } from './files/files.ts';
import { createGuard, type GuardOptions } from './guard.ts';

const tree = {
  'src/app.ts': 'app',
  'src/credentials.ts': 'source',
  'src/secrets/index.ts': 'source',
  '.env': 'KEY=1',
  '.env.example': 'KEY=',
  'config/secrets.yml': 'a: 1',
  '.git/config': '[core]',
  '.git/HEAD': 'ref',
  'a..b.txt': 'dots',
};

/** Next to the project: a similar name and an unrelated folder. In it: links to all kinds of places. */
async function place(options: Partial<GuardOptions> = {}) {
  const { root, home } = await workspace(tree);
  const base = path.dirname(root);
  await mkdir(path.join(base, 'project-evil'));
  await writeFile(path.join(base, 'project-evil', 'x.txt'), 'evil');
  await mkdir(path.join(base, 'outside'));
  await writeFile(path.join(base, 'outside', 'x.txt'), 'canary');
  await symlink('.env', path.join(root, 'notes.txt'));
  await symlink('src/app.ts', path.join(root, 'good-link.ts'));
  await symlink('good-link.ts', path.join(root, 'chain.ts'));
  await symlink('../outside', path.join(root, 'out-folder'));
  await symlink('../outside/x.txt', path.join(root, 'out-file'));
  await symlink('../outside/new.txt', path.join(root, 'out-dangling'));
  await symlink('src/new.ts', path.join(root, 'in-dangling'));
  await symlink('loop-b', path.join(root, 'loop-a'));
  await symlink('loop-a', path.join(root, 'loop-b'));
  await symlink(root, path.join(base, 'alias'));
  await symlink('/etc', path.join(root, 'etc-link'));
  await symlink('out-folder', path.join(root, 'two-steps'));
  await symlink('src/secrets', path.join(root, 'inner'));
  await symlink('.git/hooks', path.join(root, 'tools'));
  await symlink('/proc/self/environ', path.join(root, 'environ.txt'));
  await symlink('/proc/self/cwd', path.join(root, 'here'));
  const guard = createGuard({
    cwd: root,
    additionalDirectories: [],
    blockedPaths: [],
    allowedPaths: [],
    home,
    ...options,
  });
  return { root, base, home, guard };
}

type Case = [file: string, mode: 'read' | 'write', outcome: string];

/**
 * `ROOT` and `BASE` are the project folder and its parent. An outcome with ` (`: the reason for a refusal.
 */
const cases: Case[] = [
  ['src/app.ts', 'read', 'ROOT/src/app.ts'],
  ['./src/../src/app.ts', 'read', 'ROOT/src/app.ts'],
  ['ROOT/src/app.ts', 'read', 'ROOT/src/app.ts'],
  ['BASE/alias/src/app.ts', 'read', 'ROOT/src/app.ts'],
  ['src//app.ts', 'write', 'ROOT/src/app.ts'],
  ['.', 'read', 'ROOT'],
  ['src/new/deep/file.ts', 'write', 'ROOT/src/new/deep/file.ts'],
  ['a..b.txt', 'read', 'ROOT/a..b.txt'],
  ['..hidden', 'write', 'ROOT/..hidden'],
  ['good-link.ts', 'read', 'ROOT/src/app.ts'],
  ['chain.ts', 'write', 'ROOT/src/app.ts'],
  ['in-dangling', 'write', 'ROOT/src/new.ts'],
  ['src/credentials.ts', 'read', 'ROOT/src/credentials.ts'],
  ['src/secrets', 'read', 'ROOT/src/secrets'],
  ['src/secrets/index.ts', 'write', 'ROOT/src/secrets/index.ts'],
  ['.env.example', 'read', 'ROOT/.env.example'],
  ['.git/HEAD', 'read', 'ROOT/.git/HEAD'],
  ['src/app.ts/below-a-file', 'read', 'ROOT/src/app.ts/below-a-file'],
  ['..', 'read', '(outside'],
  ['../outside/x.txt', 'read', '(outside'],
  ['../project-evil/x.txt', 'read', '(outside'],
  ['BASE/project-evil/x.txt', 'write', '(outside'],
  ['./foo/../../../etc/passwd', 'read', '(outside'],
  ['/etc/passwd', 'read', '(outside'],
  ['/', 'read', '(outside'],
  ['../secrets.txt', 'read', '(data files'],
  ['out-folder', 'read', '(outside'],
  ['out-folder/x.txt', 'read', '(outside'],
  ['out-folder/not-there.txt', 'write', '(outside'],
  ['out-file', 'write', '(outside'],
  ['out-dangling', 'write', '(outside'],
  ['two-steps/x.txt', 'read', '(outside'],
  ['etc-link/passwd', 'read', '(outside'],
  ['loop-a', 'read', '(its links form a loop'],
  ['loop-a/x', 'write', '(its links form a loop'],
  ['', 'read', '(the path is empty'],
  ['src/app.ts\0.png', 'read', '(the path contains a NUL byte'],
  ['/proc/self/environ', 'read', '(devices and'],
  ['/proc/1/root/etc/passwd', 'read', '(devices and'],
  ['/dev/fd/0', 'read', '(devices and'],
  ['/dev/null', 'write', '(devices and'],
  ['.env', 'read', '(environment files'],
  ['.env', 'write', '(environment files'],
  ['.ENV.local', 'write', '(environment files'],
  ['notes.txt', 'read', '(environment files'],
  ['notes.txt', 'write', '(environment files'],
  ['src/../.env', 'read', '(environment files'],
  ['config/secrets.yml', 'read', '(data files'],
  ['credentials', 'write', '(data files'],
  ['~/.ssh/id_rsa', 'read', '(the folder contains keys'],
  ['~/notes.md', 'read', '(outside'],
  ['.git/config', 'read', '(git'],
  ['.git/hooks/pre-commit', 'write', 'ROOT/.git/hooks/pre-commit'],
  ['id_ed25519', 'read', '(private key'],
  ['tools/pre-commit', 'read', 'ROOT/.git/hooks/pre-commit'],
  ['tools/pre-commit', 'write', '(use that path to write'],
  ['src/../src/app.ts', 'write', 'ROOT/src/app.ts'],
  ['none/../src/app.ts', 'read', 'ROOT/src/app.ts'],
  ['none/../out-folder/x.txt', 'read', '(outside'],
  ['inner/../app.ts', 'read', '(a .. after a link'],
  ['out-folder/../project/src/app.ts', 'read', '(a .. after a link'],
  ['src/secrets/..', 'read', 'ROOT/src'],
  ['src/app.ts/', 'read', 'ROOT/src/app.ts'],
  ['environ.txt', 'read', '(devices and'],
  ['/proc/self/cwd/src/app.ts', 'read', '(devices and'],
  ['/proc/self/root/etc/passwd', 'read', '(devices and'],
  ['/dev/stdin', 'read', '(devices and'],
  ['/.vol/1/2', 'read', '(devices and'],
  ['.env/..namedfork/data', 'read', '(file forks'],
  ['．ｅｎｖ', 'read', '(environment files'],
  ['.e\u200bnv', 'write', '(environment files'],
  ['.env.', 'read', '(environment files'],
  ['.env ', 'read', '(environment files'],
  ['.env::$DATA', 'read', '(environment files'],
  ['.SSH/config', 'read', '(the folder contains keys'],
  ['terraform.tfstate', 'read', '(Terraform'],
  ['a/'.repeat(5_000), 'read', '(the name is too long'],
  [`src/${'x'.repeat(300)}`, 'write', '(the name is too long'],
];

describe('[P01] [P08] [X05] [Y08] the path guard', () => {
  test('answers every case of the table', async () => {
    const { root, base, guard } = await place();
    const full = (text: string) => text.replace('ROOT', root).replace('BASE', base);

    const wrong: unknown[] = [];
    for (const [file, mode, outcome] of cases) {
      const said = await guard.check(full(file), mode).catch((error: unknown) => error);
      const right = outcome.startsWith('(')
        ? said instanceof PermissionDeniedError &&
          said.message.includes(outcome.slice(1)) &&
          !guard.allows(full(file), mode)
        : said === full(outcome) && guard.allows(full(file), mode);
      if (!right) wrong.push({ file, mode, outcome, said });
    }
    expect(wrong).toEqual([]);
    expect(cases.length).toBeGreaterThanOrEqual(40);
  });

  test('reports what was refused, why, and by which part', async () => {
    const { root, guard } = await place();
    await expect(guard.check('../outside/x.txt', 'read')).rejects.toThrow(
      new PermissionDeniedError({
        operation: `read ../outside/x.txt (it is outside the working directory ${root})`,
        by: 'path guard',
      }),
    );
  });

  test('an added folder is open, its secrets are not', async () => {
    const { base } = await place();
    const { guard } = await place({ additionalDirectories: [path.join(base, 'outside')] });
    expect(await guard.check(path.join(base, 'outside/x.txt'), 'write')).toBe(
      path.join(base, 'outside/x.txt'),
    );
    expect(guard.allows(path.join(base, 'outside/.env'), 'read')).toBe(false);
  });

  test('a user exception opens a secret file, also through a link, and nothing outside', async () => {
    const { root, base, guard } = await place({ allowedPaths: ['.env', '/etc/passwd'] });
    expect(await guard.check('.env', 'read')).toBe(path.join(root, '.env'));
    expect(await guard.check('notes.txt', 'read')).toBe(path.join(root, '.env'));
    expect(guard.allows('/etc/passwd', 'read')).toBe(false);
    expect(guard.allows(path.join(base, 'outside/.env'), 'read')).toBe(false);
  });

  test('a blocked path stays closed, whatever else allows it', async () => {
    const { guard } = await place({ blockedPaths: ['src', '*.log'], allowedPaths: ['src'] });
    expect(guard.allows('src/app.ts', 'read')).toBe(false);
    expect(guard.allows('good-link.ts', 'read')).toBe(false);
    expect(guard.allows('deep/down/x.log', 'write')).toBe(false);
    expect(guard.allows('a..b.txt', 'read')).toBe(true);
  });

  test("the assistant's own folders are closed wherever they are, except the readable ones", async () => {
    const { root, guard } = await place({
      closedDirectories: ['src'],
      readableDirectories: ['src/secrets'],
      allowedPaths: ['src'],
    });
    expect(await guard.check('src/secrets/index.ts', 'read')).toBe(path.join(root, 'src/secrets/index.ts'));
    expect(
      (['src', 'src/app.ts', 'good-link.ts'] as const).map((file) => guard.allows(file, 'read')),
    ).toEqual([false, false, false]);
    expect(guard.allows('src/secrets/index.ts', 'write')).toBe(false);
    expect(guard.closedBecause(path.join(root, 'SRC/app.ts'), 'read')).toMatch(/settings and sessions/);
  });

  test('a rule that forbids reading applies to the real path, and not to writing', async () => {
    const { root, guard } = await place({ deniedReads: (real) => real.endsWith('/src/app.ts') });
    await expect(guard.check('good-link.ts', 'read')).rejects.toThrow(/a user rule denies reading it/);
    expect(guard.closedBecause(path.join(root, 'src/app.ts'), 'read')).not.toBeNull();
    expect(guard.allows('src/app.ts', 'write')).toBe(true);
    expect(guard.allows('src/credentials.ts', 'read')).toBe(true);
  });

  test('reports where a path leads, or that it leads nowhere', async () => {
    const { root, base, guard } = await place();
    expect(
      ['chain.ts', 'tools/new', 'out-dangling', 'none/x', 'here/src', 'loop-a', 'inner/../app.ts', ''].map(
        (file) => guard.realOf(file),
      ),
    ).toEqual([
      path.join(root, 'src/app.ts'),
      path.join(root, '.git/hooks/new'),
      path.join(base, 'outside/new.txt'),
      path.join(root, 'none/x'),
      `${process.cwd()}/src`,
      null,
      null,
      null,
    ]);
  });

  test('a folder with another spelling on a case-insensitive disk is the same folder', async ({ skip }) => {
    const { root, guard } = await place();
    const shouted = path.join(path.dirname(root), path.basename(root).toUpperCase());
    if (!existsSync(shouted)) skip('case counts on this disk');
    expect(guard.isInside(path.join(shouted, 'src/app.ts'))).toBe(true);
    expect(guard.allows(path.join(shouted, '.ENV'), 'read')).toBe(false);
  });

  test('inside is determined by location, not by name', async () => {
    const { guard } = await place();
    expect(
      ['.env', 'src', 'new', 'out-file', 'loop-a', '../x', 'a\0'].map((file) => guard.isInside(file)),
    ).toEqual([true, true, true, false, false, false, false]);
  });
});

const segment = fc.constantFrom('..', '.', 'a', 'b', 'link', 'far', 'up', 'x.txt', 'new', 'etc', '~');
const target = fc.oneof(
  fc
    .array(fc.constantFrom('..', 'a', 'b', 'link', 'up', 'outside', 'x.txt', 'new'), {
      minLength: 1,
      maxLength: 4,
    })
    .map((s) => s.join('/')),
  fc.constantFrom('/etc', '/', 'OUTSIDE', 'OUTSIDE/x.txt', 'OUTSIDE/new'),
);

sweep([30, 150])(
  '[X05] property: whatever the links, nothing outside is read or changed (%i runs)',
  async (numRuns) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom('link', 'far', 'up', 'a/link', 'a/up', 'b/far'), target), {
          maxLength: 5,
        }),
        fc.array(fc.array(segment, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 6 }),
        async (links, paths) => {
          const { root, home } = await workspace({ 'a/x.txt': 'mine', 'b/x.txt': 'mine', 'x.txt': 'mine' });
          const outside = path.join(path.dirname(root), 'outside');
          await mkdir(outside);
          await writeFile(path.join(outside, 'x.txt'), 'canary');
          for (const [name, to] of links) {
            await symlink(to.replace('OUTSIDE', outside), path.join(root, name)).catch(() => undefined);
          }
          const guard = createGuard({
            cwd: root,
            additionalDirectories: [],
            blockedPaths: [],
            allowedPaths: [],
            home,
          });
          const files = createFiles({ guard, cwd: root });

          for (const parts of paths) {
            const file = parts.join('/');
            const content = await files.read(file).catch(() => null);
            if (content) expect(Buffer.from(content.bytes).toString()).toMatch(/^(mine|written)$/);
            await files.write(file, Buffer.from('written')).catch(() => undefined);
            if (guard.allows(file, 'read')) {
              expect(path.relative(root, await guard.check(file, 'read'))).not.toMatch(/^\.\.(\/|$)/);
            }
          }
          expect(await readdir(outside)).toEqual(['x.txt']);
          expect(await readFile(path.join(outside, 'x.txt'), 'utf8')).toBe('canary');
          expect((await readdir(path.dirname(root))).sort()).toEqual(['home', 'outside', 'project']);
          expect(await readdir(home)).toEqual([]);
        },
      ),
      { numRuns },
    );
  },
);

test('a folder opened only for reading is never written', async () => {
  const { root, home } = await workspace();
  const outputs = path.join(home, 'outputs');
  await mkdir(outputs);
  await writeFile(path.join(outputs, 'long.txt'), 'text');
  const guard = createGuard({
    cwd: root,
    additionalDirectories: [],
    readableDirectories: [outputs],
    blockedPaths: [],
    allowedPaths: [],
    home,
  });
  expect(await guard.check(path.join(outputs, 'long.txt'), 'read')).toBe(path.join(outputs, 'long.txt'));
  await expect(guard.check(path.join(outputs, 'long.txt'), 'write')).rejects.toThrow(
    'outside the working directory',
  );
  await expect(guard.check(path.join(home, 'other.txt'), 'read')).rejects.toThrow(
    'outside the working directory',
  );
});

describe("a call's approval", () => {
  test.each<[file: string, mode: 'read' | 'write', open: boolean]>([
    ['../outside/x.txt', 'read', true],
    ['../outside/x.txt', 'write', false],
    ['out-file', 'read', true],
    ['../outside/new.txt', 'write', true],
    ['../outside/new.txt', 'read', true],
    ['out-dangling', 'write', true],
    ['../outside/other.txt', 'read', false],
    ['../outside', 'read', false],
    ['../project-evil/x.txt', 'read', false],
    ['.env', 'read', false],
    ['src/app.ts', 'write', true],
  ])('opens only its target: %s to %s is %s', async (file, mode, open) => {
    const { base, guard } = await place();
    const outside = path.join(base, 'outside');
    const scoped = guard.forCall({
      opens: [
        { path: path.join(outside, 'x.txt'), mode: 'read' },
        { path: path.join(outside, 'new.txt'), mode: 'write' },
      ],
      writes: [],
    });
    expect(scoped.reach(file, mode).type === 'open').toBe(open);
    expect(guard.reach('../outside/x.txt', 'read').type).toBe('outside');
  });

  test('never opens a secret', async () => {
    const { root, base, home, guard } = await place();
    await mkdir(path.join(home, '.ssh'));
    const opens = [base, root, home, '/'].map((folder) => ({ path: folder, mode: 'write' as const }));
    const scoped = guard.forCall({ opens, writes: [] });
    for (const file of [
      '.env',
      'notes.txt',
      path.join(home, '.ssh/id_rsa'),
      '/proc/self/environ',
      '/dev/sda',
    ])
      for (const mode of ['read', 'write'] as const) expect(scoped.reach(file, mode).type).toBe('closed');
    expect(scoped.reach('../outside/x.txt', 'write').type).toBe('open');
  });

  test('reports a write as a write, although the file is read first', async () => {
    const { guard } = await place();
    const scoped = guard.forCall({ opens: [], writes: ['out-file'] });
    await expect(scoped.check('out-file', 'read')).rejects.toThrow(/^Permission denied: write out-file /);
    await expect(scoped.check('out-folder', 'read')).rejects.toThrow(/^Permission denied: read out-folder /);
  });

  test.each<[file: string, real: string | null]>([
    ['out-file', 'project/out-file'],
    ['out-folder/x.txt', 'outside/x.txt'],
    ['loop-a', 'project/loop-a'],
    ['src/../out-file', 'project/out-file'],
    ['out-folder/../project/src', null],
    ['src/', 'project/src'],
    ['.', 'project'],
  ])('a link itself stays where it is: %s', async (file, real) => {
    const { base, guard } = await place();
    const reach = guard.reach(file, 'write', { itself: true });
    expect(reach.type === 'closed' ? null : path.relative(base, reach.real)).toBe(real);
  });
});
