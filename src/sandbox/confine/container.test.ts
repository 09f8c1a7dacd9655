import { execFile, execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sandboxedShell, sandboxedShellIn } from '../../../test/support/sandboxed.ts';
import { soak } from '../../../test/support/soak.ts';
import { type Workspace, workspace } from '../../../test/support/workspace.ts';
import { containerArgs } from './container.ts';

/** A program with this name in a separate PATH folder, outside the folder that commands can change. */
async function program(space: Workspace, name: string, script: string) {
  const folder = path.join(space.home, 'bin');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, name), `#!/bin/sh\n${script}\n`);
  await chmod(path.join(folder, name), 0o755);
  return { PATH: `${folder}:/usr/bin:/bin`, HOME: space.home };
}

/** An engine that records its arguments, one per line, and runs the command itself. */
async function recorded() {
  const space = await workspace({ 'sub/a': '' });
  const file = path.join(space.home, 'asked');
  const script = `{ for one; do printf '%s\\n' "$one"; done; echo --; } >> ${file}
[ "$1" = run ] || exit 0
while [ "$1" != sh ]; do shift; done
exec "$@"`;
  const env = await program(space, 'docker', script);
  const asked = async () => (await readFile(file, 'utf8')).split('--\n').map((one) => one.trim().split('\n'));
  return { space, env, asked };
}

describe('[X02] [X03] a container', () => {
  const line = { command: 'npm test', folder: '/p' };

  test('is started with exactly these arguments', () => {
    expect(containerArgs(line, { mount: '/p', level: 'standard' }).join(' ')).toBe(
      'run --rm -v /p:/workspace -w /workspace --network none --memory 512m --cpus 1 --security-opt no-new-privileges alpine:latest sh -c npm test',
    );
  });

  test('strict cannot write, permissive has the network, the image is configurable', () => {
    expect(containerArgs(line, { mount: '/p', level: 'strict' }).join(' ')).toBe(
      'run --rm --read-only --tmpfs /tmp -v /p:/workspace:ro -w /workspace --network none --memory 512m --cpus 1 --security-opt no-new-privileges alpine:latest sh -c npm test',
    );
    expect(containerArgs(line, { mount: '/p', level: 'permissive', image: 'node:24' }).join(' ')).toBe(
      'run --rm -v /p:/workspace -w /workspace --memory 512m --cpus 1 --security-opt no-new-privileges node:24 sh -c npm test',
    );
  });

  test('sees the paths opened to the command, except the system folders of its own image', async () => {
    const { home } = await workspace();
    const readable = [home, '/etc/hosts', '/nonexistent/x'];
    const args = containerArgs({ command: 'ls', folder: home, readable }, { mount: '/p', level: 'standard' });
    expect(args.filter((_, i) => args[i - 1] === '-v')).toEqual(['/p:/workspace', `${home}:${home}:ro`]);
    expect(args[args.indexOf('-w') + 1]).toBe(home);
  });

  test('works in the given folder', () => {
    const args = containerArgs({ command: 'ls', folder: '/p/a b/c' }, { mount: '/p', level: 'standard' });
    expect(args[args.indexOf('-w') + 1]).toBe('/workspace/a b/c');
  });

  test('[X04] the engine is tested once, on first use, and every command gets a fresh container', async () => {
    const { space, env, asked } = await recorded();
    const { run, shell } = sandboxedShellIn(space, { kind: 'docker', env });
    expect(await run('echo "out $HOME"; exit 3')).toMatchObject({
      stdout: `out ${space.home}\n`,
      exitCode: 3,
      sandbox: { kind: 'docker', level: 'standard', network: 'none' },
    });
    expect(await run('true', { cwd: path.join(space.root, 'sub') })).toMatchObject({ exitCode: 0 });
    expect(await shell.sandbox()).toEqual({ kind: 'docker', level: 'standard', network: 'none' });
    const wanted = (folder: string, command: string) =>
      containerArgs({ command, folder }, { mount: space.root, level: 'standard' });
    expect(await asked()).toEqual([
      ['info'],
      wanted(space.root, 'echo "out $HOME"; exit 3'),
      wanted(path.join(space.root, 'sub'), 'true'),
      [''],
    ]);
  });

  test('[X04] [Z05] without an engine, or one that does not answer, commands run on the host and that is reported', async () => {
    const missing = await sandboxedShell({}, { kind: 'docker', env: { PATH: '/nonexistent' } });
    expect(await missing.run('echo ran')).toMatchObject({
      stdout: 'ran\n',
      sandbox: { kind: 'host', network: 'open', fallback: 'docker is not installed' },
    });
    const space = await workspace();
    const env = await program(space, 'podman', 'echo "cannot connect" >&2; exit 1');
    const silent = sandboxedShellIn(space, { kind: 'podman', env });
    expect(await silent.shell.sandbox()).toMatchObject({
      kind: 'host',
      fallback: 'podman is not responding (cannot connect)',
    });
  });
});

/** A real podman with a busybox image; skips the test if unavailable. */
async function realPodman(skip: (note: string) => void) {
  const space = await workspace({ 'a.txt': 'a' });
  const { home } = space;
  const files = path.join(home, 'rootfs');
  await mkdir(path.join(files, 'bin'), { recursive: true });
  const script = `export CONTAINERS_CONF=${home}/containers.conf
exec unshare -m sh -c 'umount /sys/fs/cgroup/unified 2>/dev/null; exec /usr/bin/podman --root ${home}/store --runroot ${home}/run "$@"' podman "$@"`;
  const env = await program(space, 'podman', script);
  const conf =
    '[containers]\ndefault_ulimits=["nofile=1024:1024","nproc=1024:1024"]\n[engine]\ncgroup_manager="cgroupfs"\nevents_logger="file"\n';
  await writeFile(path.join(home, 'containers.conf'), conf);
  const podman = (args: string) =>
    promisify(execFile)('/bin/sh', ['-c', `${home}/bin/podman ${args}`], { timeout: 60_000, env });
  onTestFinished(async () => {
    await podman('rm -fa').catch(() => undefined);
    execFileSync('rm', ['-rf', `${home}/store`, `${home}/run`]);
  });
  try {
    execFileSync('cp', ['/bin/busybox', path.join(files, 'bin/sh')], { stdio: 'pipe' });
    await promisify(execFile)(
      '/bin/sh',
      ['-c', `tar -C ${files} -c . | ${home}/bin/podman import - localhost/tiny:latest`],
      { timeout: 60_000, env },
    );
    await podman('run --rm --network none --memory 512m --cpus 1 localhost/tiny:latest sh -c true');
  } catch (error) {
    skip(`podman does not work here: ${error instanceof Error ? error.message.slice(-200) : String(error)}`);
  }
  return { space, env, podman };
}

describe('[X02] a real engine', () => {
  test('runs, isolates and stops commands', soak, async ({ skip }) => {
    const { space, env, podman } = await realPodman(skip);
    const image = 'localhost/tiny:latest';
    const { run } = sandboxedShellIn(space, { kind: 'podman', env, image });
    expect(
      await run('busybox=sh; read a < a.txt; echo "$PWD $a"; echo b > b.txt; echo err >&2; exit 5'),
    ).toMatchObject({
      stdout: '/workspace a\n',
      stderr: expect.stringContaining('err\n'),
      exitCode: 5,
      sandbox: { kind: 'podman', level: 'standard', network: 'none' },
    });
    expect(await space.tree()).toEqual({ 'a.txt': 'a', 'b.txt': 'b\n' });

    const strict = sandboxedShellIn(space, { kind: 'podman', env, image, level: () => 'strict' });
    expect(await strict.run('echo c > c.txt')).toMatchObject({ exitCode: 1 });
    expect(await space.tree()).toEqual({ 'a.txt': 'a', 'b.txt': 'b\n' });

    const began = Date.now();
    expect(await run('while :; do :; done', { timeoutMs: 2_000 })).toMatchObject({ timedOut: true });
    expect(Date.now() - began).toBeLessThan(30_000);
    await expect.poll(async () => (await podman('ps -q')).stdout).toBe('');
  });
});
