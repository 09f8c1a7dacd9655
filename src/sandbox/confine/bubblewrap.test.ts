import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { noBubblewrap, sandboxedShell, sandboxedShellIn } from '../../../test/support/sandboxed.ts';
import { soak } from '../../../test/support/soak.ts';
import { workspace } from '../../../test/support/workspace.ts';
import { fallbackNotice } from './choose.ts';

const confined = { kind: 'bubblewrap', level: 'standard', network: 'none' };

beforeEach(({ skip }) => {
  if (noBubblewrap !== null) skip(noBubblewrap);
});

/** Which of these commands the sandbox allows. */
async function letThrough(run: Awaited<ReturnType<typeof sandboxedShell>>['run'], commands: string[]) {
  const passed: string[] = [];
  for (const command of commands) if ((await run(command)).exitCode === 0) passed.push(command);
  return passed;
}

describe('[X01] [X03] a command in bubblewrap', () => {
  test('changes the working directory and nothing else', async () => {
    const { root, home, run, tree } = await sandboxedShell({ 'a.txt': 'a' });
    await writeFile(path.join(home, 'mine'), 'mine');
    const outside = [
      `echo x > ${home}/mine`,
      `touch ${home}/new`,
      `touch ${path.dirname(root)}/new`,
      'touch /etc/new',
      'touch /usr/bin/new',
      'touch /var/lib/new',
      'mount -t tmpfs none /mnt',
      'mknod /dev/sda b 8 0',
    ];
    expect(await letThrough(run, outside)).toEqual([`touch ${path.dirname(root)}/new`]);
    expect(await run('echo b > b.txt; touch /tmp/t /dev/shm/s && cat b.txt')).toMatchObject({
      stdout: 'b\n',
      exitCode: 0,
      sandbox: confined,
    });
    expect(await tree()).toEqual({ 'a.txt': 'a', 'b.txt': 'b\n' });
    expect(await readFile(path.join(home, 'mine'), 'utf8')).toBe('mine');
    expect((await readdir(path.dirname(root))).sort()).toEqual(['home', 'project']);
  });

  test('shares /tmp with the other commands of the session, and with nothing else', async () => {
    const space = await workspace();
    const outputFolder = path.join(space.home, 'outputs');
    const inSession = () => sandboxedShellIn(space, { outputFolder });
    const name = `aca-${path.basename(path.dirname(space.root))}`;
    expect(await inSession().run(`echo hi > /tmp/${name}`)).toMatchObject({ exitCode: 0 });
    expect(existsSync(`/tmp/${name}`)).toBe(false);
    const { run } = inSession();
    expect((await run(`cat /tmp/${name}`)).stdout).toBe('hi\n');
    expect((await sandboxedShellIn(space).run(`cat /tmp/${name}`)).exitCode).toBe(1);
    // A folder on the way to the project cannot become a link, in which the next sandbox would be built.
    const [first = ''] = path.relative('/tmp', space.root).split('/');
    expect((await run(`mv /tmp/${first} /tmp/other || rm -r /tmp/${first}`)).exitCode).not.toBe(0);
    await rm(path.join(outputFolder, 'tmp', first), { recursive: true });
    await symlink('/etc', path.join(outputFolder, 'tmp', first));
    expect((await run('pwd; touch made')).stdout).toBe(`${space.root}\n`);
    expect(await space.tree()).toEqual({ made: '' });
  });

  test('strict: not even the working directory', async () => {
    const { run, tree } = await sandboxedShell({ 'a.txt': 'a' }, { level: () => 'strict' });
    expect(await run('cat a.txt; echo b > a.txt')).toMatchObject({
      stdout: 'a',
      stderr: expect.stringContaining('Read-only file system'),
      exitCode: 1,
      sandbox: { ...confined, level: 'strict' },
    });
    expect(await tree()).toEqual({ 'a.txt': 'a' });
  });

  describe('that only reads', () => {
    /** Lines whose reading was once misjudged, and other ways to leave something behind. */
    const effects = [
      'git log --pretty --output=made --format=%B -1',
      'git diff --no-index -U --output=made /dev/null a.txt; cp a.txt made',
      'xxd -ps a.txt made',
      'cp a.txt made',
      'echo x >> a.txt',
      'rm -f a.txt; test ! -e a.txt',
      'mkdir folder',
      'ln -s a.txt link',
      'chmod 777 a.txt',
      'touch -d 2001-01-01 a.txt',
      'echo x > .git/hooks/pre-commit',
      'git config user.name x',
      'printf "%n" PATH; cp a.txt made',
      'touch "$HOME/made"',
      'rg --pre ./write.sh x a.txt; test -e made',
      '(sleep 0.1; touch made) & sleep 0.3; test -e made',
    ];
    test.each(effects)('%s', async (command) => {
      const space = await workspace({ 'a.txt': 'a\n', 'write.sh': '#!/bin/sh\ntouch made\ncat\n' });
      execFileSync('git', ['init', '-q'], { cwd: space.root });
      await chmod(path.join(space.root, 'write.sh'), 0o755);
      const before = await space.tree();
      const folder = await mkdtemp(path.join(space.home, 'writable-'));
      const { run } = sandboxedShellIn(space, { level: () => 'permissive', writablePaths: [folder] });
      const { exitCode, sandbox } = await run(`cd . && ${command}`, { onlyReads: true });
      expect({ exitCode: exitCode === 0, sandbox }).toEqual({
        exitCode: false,
        sandbox: { kind: 'bubblewrap', level: 'strict', network: 'none' },
      });
      expect(await space.tree()).toEqual(before);
      expect((await readdir(space.home)).sort()).toEqual([path.basename(folder)]);
    });

    test('reads, and has a temporary folder of its own', async () => {
      const { run, tree } = await sandboxedShell({ 'a.txt': 'a' });
      expect(await run('cat a.txt > /tmp/b && cat /tmp/b', { onlyReads: true })).toMatchObject({
        stdout: 'a',
      });
      expect(await tree()).toEqual({ 'a.txt': 'a' });
    });
  });

  test('the level is evaluated for each command', async () => {
    let level: 'strict' | 'standard' = 'strict';
    const { run } = await sandboxedShell({}, { level: () => level });
    expect((await run('touch a')).exitCode).toBe(1);
    level = 'standard';
    expect((await run('touch a')).exitCode).toBe(0);
  });

  test('has no network, not even loopback to this machine; permissive has', async () => {
    const server = createServer((_, response) => response.end('reached'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const command = `exec 5<>/dev/tcp/127.0.0.1/${port} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&5 && cat <&5`;
    const { run } = await sandboxedShell();
    expect(await run(command)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('refused') });
    const { run: open } = await sandboxedShell({}, { level: () => 'permissive' });
    expect(await open(command)).toMatchObject({
      stdout: expect.stringContaining('reached'),
      sandbox: { kind: 'bubblewrap', level: 'permissive', network: 'open' },
    });
  });

  test('has no privileges: no capabilities, no way to gain them, no access to other processes', async () => {
    const { run } = await sandboxedShell();
    const { stdout } = await run(
      "grep -E '^(CapEff|CapBnd|NoNewPrivs)' /proc/self/status; ls -d /proc/[0-9]* | wc -l",
    );
    const lines = stdout.replaceAll('\t', ' ').split('\n');
    expect(lines.slice(0, 3)).toEqual([
      'CapEff: 0000000000000000',
      'CapBnd: 0000000000000000',
      'NoNewPrivs: 1',
    ]);
    expect(Number(lines[3])).toBeLessThan(8);
    expect((await run(`kill -0 ${process.pid}`)).exitCode).toBe(1);
  });

  test('sees only the environment it was given', async () => {
    const env = { PATH: process.env.PATH, MINE: 'kept', SOME_KEY: 'canary', SSH_AUTH_SOCK: '/tmp/agent' };
    const { run } = await sandboxedShell({}, { env, hiddenEnv: ['SOME_KEY'] });
    const { stdout } = await run('cat /proc/*/environ | tr "\\0" "\\n"; env');
    expect(stdout).toContain('MINE=kept');
    expect(stdout).not.toMatch(/canary|SSH_AUTH_SOCK/);
  });
});

describe('secrets', () => {
  test('of the home folder, the assistant and the project cannot be read', async () => {
    const space = await workspace({
      '.env': 'CANARY',
      'apps/web/.env.local': 'CANARY',
      'deploy/credentials.json': 'CANARY',
      '.env.example': 'fine',
      'src/credentials.ts': 'fine',
      '.npmrc': 'save-exact=true',
    });
    const { root, home } = space;
    for (const file of ['.ssh/id_ed25519', '.netrc', '.ai-assistant/config.json', 'notes']) {
      await mkdir(path.dirname(path.join(home, file)), { recursive: true });
      await writeFile(path.join(home, file), 'CANARY');
    }
    const { run } = sandboxedShellIn(space);
    const { stdout } = await run(`cat .env.example src/credentials.ts .npmrc; grep -rs CANARY . ${home}`);
    expect(stdout).toBe('finefinesave-exact=true');
    expect(await run('cat .env')).toMatchObject({
      stdout: '',
      stderr: 'cat: .env: Permission denied\n',
      exitCode: 1,
    });
    expect(await run(`ls -A ${home}`)).toMatchObject({ stdout: '', exitCode: 0 });
    expect((await run('cat .env', { unconfined: true })).stdout).toBe('CANARY');
    expect(await readFile(path.join(root, '.env'), 'utf8')).toBe('CANARY');
  });

  test('stay in place: neither they nor their parent folders can be moved or linked', async () => {
    const deepest = 'a/b/c/d/e/f/g/.env';
    const { root, run } = await sandboxedShell({
      '.env': 'CANARY',
      'config/deep/.env': 'CANARY',
      [deepest]: 'CANARY',
    });
    const ways = [
      `grep CANARY ${deepest}`,
      `ln ${deepest} x`,
      'mv a/b/c y',
      'mv .env x',
      'ln .env x',
      'rm -f .env',
      'cp .env x',
      'mv config x',
      'mv config/deep config/x',
      'rm -rf config',
      'echo x > .env',
    ];
    expect(await letThrough(run, ways)).toEqual([]);
    expect(await readFile(path.join(root, 'config/deep/.env'), 'utf8')).toBe('CANARY');
  });

  test("the user's exceptions are readable", async () => {
    const { run } = await sandboxedShell(
      { '.env': 'fine', 'b/.env': 'CANARY' },
      { allowedPaths: ['./.env'] },
    );
    expect((await run('cat .env b/.env')).stdout).toBe('fine');
  });

  test('the outputs of long commands stay readable, the rest of the data root does not', async () => {
    const space = await workspace();
    const dataRoot = path.join(space.home, '.ai-assistant');
    const outputFolder = path.join(dataRoot, 'outputs');
    await mkdir(outputFolder, { recursive: true });
    await writeFile(path.join(outputFolder, 'o.txt'), 'output');
    await writeFile(path.join(dataRoot, 'keys'), 'CANARY');
    const { run } = sandboxedShellIn(space, { outputFolder });
    expect((await run(`cat ${outputFolder}/o.txt; ls ${dataRoot}; touch ${outputFolder}/x`)).stdout).toBe(
      'outputoutputs\n',
    );
  });
});

describe('files that other programs execute', () => {
  const git = (root: string, ...args: string[]) =>
    execFileSync('git', ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      stdio: 'pipe',
    });
  const identity = 'git -c user.name=a -c user.email=a@b';

  test('git works, and its hooks and config cannot be changed, replaced or moved away', async () => {
    const { root, run } = await sandboxedShell({ 'a.txt': 'a' });
    git(root, 'init', '-q');
    await rm(path.join(root, '.git/hooks'), { recursive: true, force: true });
    expect(await run(`git add -A && ${identity} commit -qm one && git log --format=%s`)).toMatchObject({
      stdout: 'one\n',
      exitCode: 0,
    });
    const ways = [
      'echo evil > .git/hooks/pre-commit',
      'rm -rf .git/hooks',
      'mv .git/hooks x',
      'mv .git x',
      'git config core.pager evil',
      'echo evil >> .git/config',
      'mv .git/config x',
      'cp a.txt .git/config.new && mv .git/config.new .git/config',
    ];
    expect(await letThrough(run, ways)).toEqual([]);
    expect(await readdir(path.join(root, '.git/hooks'))).toEqual([]);
  });

  test('a worktree can commit although its history is elsewhere, and a forged one gives no access', async () => {
    const space = await workspace({ 'main/a.txt': 'a', 'forged/b.txt': 'b' });
    const main = path.join(space.root, 'main');
    git(main, 'init', '-q');
    git(main, 'add', '-A');
    git(main, 'commit', '-qm', 'one');
    git(main, 'worktree', 'add', '-q', '../tree');
    const { run } = sandboxedShellIn(space, {}, path.join(space.root, 'tree'));
    expect(await run(`echo b > b && git add b && ${identity} commit -qm two`)).toMatchObject({ exitCode: 0 });
    expect(git(main, 'log', '--format=%s', 'tree').toString()).toBe('two\none\n');
    expect(
      await letThrough(run, [
        'echo evil > ../main/.git/hooks/post-commit',
        'echo evil >> ../main/.git/config',
        'echo "gitdir: /x" > .git',
      ]),
    ).toEqual([]);

    await mkdir(path.join(space.home, 'victim'));
    await writeFile(path.join(space.root, 'forged/.git'), `gitdir: ${space.home}/victim\n`);
    const forged = sandboxedShellIn(space, {}, path.join(space.root, 'forged'));
    expect((await forged.run(`touch ${space.home}/victim/x`)).exitCode).toBe(1);
  });

  test('a folder within a repository can commit, too', async () => {
    const space = await workspace({ 'packages/a/x': 'x' });
    git(space.root, 'init', '-q');
    const { run } = sandboxedShellIn(space, {}, path.join(space.root, 'packages/a'));
    expect(await run(`git add -A . && ${identity} commit -qm sub`)).toMatchObject({ exitCode: 0 });
    expect(await letThrough(run, ['touch ../b', 'touch ../../.git/hooks/x'])).toEqual([]);
  });

  test('settings of this program, of editors and of hooks are read-only', async () => {
    const { run } = await sandboxedShell({
      '.ai-assistant.json': '{}',
      '.mcp.json': '{}',
      '.vscode/tasks.json': '{}',
    });
    const ways = ['echo x > .ai-assistant.json', 'rm .mcp.json', 'touch .vscode/x', 'mv .vscode x'];
    expect(await letThrough(run, ways)).toEqual([]);
  });
});

describe('where it runs', () => {
  test('in a folder with spaces, through a link, in an added folder, in the home folder', async () => {
    const space = await workspace({ 'a b/c': '', 'other/d': '' });
    const { root, home } = space;
    await symlink(path.join(root, 'a b'), path.join(root, 'link'));
    const spaced = sandboxedShellIn(space, { additionalDirectories: ['../other'] }, path.join(root, 'a b'));
    expect(await spaced.run('pwd; touch ../other/new')).toMatchObject({
      stdout: `${root}/a b\n`,
      exitCode: 0,
    });
    const linked = sandboxedShellIn(space, {}, path.join(root, 'link'));
    expect(await linked.run('pwd; touch x')).toMatchObject({ stdout: `${root}/a b\n`, exitCode: 0 });
    await mkdir(path.join(home, '.ssh'));
    await writeFile(path.join(home, '.bashrc'), '');
    const atHome = sandboxedShellIn(space, {}, home);
    expect(await letThrough(atHome.run, ['touch x', 'echo x > .bashrc', 'touch .ssh/x'])).toEqual([
      'touch x',
    ]);
  });

  test('in the root folder, system folders stay read-only', soak, async () => {
    const { run } = sandboxedShellIn(await workspace(), {}, '/');
    expect(
      await letThrough(run, ['touch /usr/bin/aca-test', 'touch /etc/aca-test', 'touch /tmp/aca-test']),
    ).toEqual(['touch /tmp/aca-test']);
    expect(await run('pwd')).toMatchObject({ stdout: '/\n', sandbox: confined });
    expect(existsSync('/tmp/aca-test')).toBe(false);
  });

  test('in a missing folder it is a clear error', async () => {
    const { run, root } = await sandboxedShell();
    await rm(root, { recursive: true });
    await expect(run('pwd')).rejects.toThrow(/it is no longer a folder/);
  });

  test('folders the user configured as writable are', async () => {
    const space = await workspace();
    await mkdir(path.join(space.home, 'cache'));
    const { run } = sandboxedShellIn(space, { writablePaths: ['~/cache', '~/missing'] });
    expect((await run(`touch ${space.home}/cache/x`)).exitCode).toBe(0);
  });
});

describe('[X04] [Z05] [Y30] without a sandbox', () => {
  const emptyPath = { PATH: '/nonexistent', HOME: '/nonexistent' };

  test('commands run on the host, and that is reported everywhere', async () => {
    const { shell, run } = await sandboxedShell({}, { env: emptyPath });
    const state = await shell.sandbox();
    expect(state).toEqual({
      kind: 'host',
      level: 'standard',
      network: 'open',
      fallback: 'bubblewrap is not installed (apt install bubblewrap, or the equivalent for your system)',
    });
    expect(fallbackNotice(state, { asks: true })).toBe(
      'Commands run without a sandbox: bubblewrap is not installed (apt install bubblewrap, or the equivalent for your system). You will be asked about every command that does more than read, unless an allow rule names that exact command.',
    );
    expect(await run('echo ran')).toMatchObject({ stdout: 'ran\n', sandbox: state });
  });

  test('nothing runs where a sandbox is required, even with approval', async () => {
    const missing = await sandboxedShell({}, { env: emptyPath, required: true });
    await expect(missing.run('touch x')).rejects.toThrow(
      /no sandbox is available: bubblewrap is not installed.*sandbox.required/,
    );
    const agreed = await sandboxedShell({}, { required: true });
    await expect(agreed.run('touch x', { unconfined: true })).rejects.toThrow(/outside the sandbox/);
    expect([await missing.tree(), await agreed.tree()]).toEqual([{}, {}]);
  });

  test('a bubblewrap that a command could have planted is not used', async () => {
    const space = await workspace({ 'bin/bwrap': '#!/bin/sh\ntouch fooled\n' });
    execFileSync('chmod', ['+x', path.join(space.root, 'bin/bwrap')]);
    const { shell } = sandboxedShellIn(space, { env: { PATH: path.join(space.root, 'bin') } });
    expect(await shell.sandbox()).toMatchObject({ kind: 'host' });
    expect(await space.tree()).not.toHaveProperty('fooled');
  });
});
