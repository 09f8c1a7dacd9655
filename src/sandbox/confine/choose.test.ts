import { chmod, mkdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { noBubblewrap } from '../../../test/support/sandboxed.ts';
import { workspace } from '../../../test/support/workspace.ts';
import { type ChooseOptions, chooseSandbox, fallbackNotice } from './choose.ts';
import type { SandboxFinding } from './self-test.ts';

/** A bwrap that counts how often it was tested. */
async function counted(body = '') {
  const { root, home } = await workspace();
  const bin = path.join(home, 'bin');
  const tries = path.join(home, 'tries');
  const file = path.join(bin, 'bwrap');
  await mkdir(bin);
  await writeFile(file, `#!/bin/sh\necho x >> ${tries}\n${body}\n`);
  await chmod(file, 0o755);
  const options: ChooseOptions = {
    wanted: 'auto',
    platform: 'linux',
    env: { PATH: `${bin}:/usr/bin:/bin` },
    untrusted: [root],
    image: false,
    cacheFile: path.join(home, 'cache', 'probe'),
  };
  const tried = async () => (await readFile(tries, 'utf8').catch(() => '')).length / 2;
  return { options, file, tried };
}

describe('[X04] [Z05] choosing the sandbox', () => {
  test('a working sandbox is tested once, and again when the program has changed', async () => {
    const { options, file, tried } = await counted();
    expect(await chooseSandbox(options)).toEqual({ kind: 'bubblewrap', program: file });
    expect(await chooseSandbox(options)).toEqual({ kind: 'bubblewrap', program: file });
    expect(await tried()).toBe(1);
    const { atime } = await stat(file);
    await utimes(file, atime, new Date(0));
    await chooseSandbox(options);
    expect(await tried()).toBe(2);
  });

  test('a failing one is tested again each time, and its own message is the reason', async () => {
    const { options, tried } = await counted(
      'echo "bwrap: setting up uid map: Permission denied" >&2; exit 1',
    );
    const fallback = 'bubblewrap does not work here (setting up uid map: Permission denied)';
    expect(await chooseSandbox(options)).toEqual({ kind: 'host', fallback });
    expect(await chooseSandbox(options)).toEqual({ kind: 'host', fallback });
    expect(await tried()).toBe(2);
  });

  test('a cache that cannot be written only costs another test', async () => {
    const { options, file } = await counted();
    const unwritable = { ...options, cacheFile: path.join(file, 'in-the-way') };
    expect(await chooseSandbox(unwritable)).toEqual({ kind: 'bubblewrap', program: file });
  });

  test('a container is chosen automatically only if the user configured an image', async () => {
    const { options, file } = await counted();
    const docker = path.join(path.dirname(file), 'docker');
    await writeFile(docker, '#!/bin/sh\n', { mode: 0o755 });
    const elsewhere = { ...options, platform: 'freebsd' as const };
    expect(await chooseSandbox(elsewhere)).toEqual({
      kind: 'host',
      fallback: 'none is available for this system',
    });
    expect(await chooseSandbox({ ...elsewhere, image: true })).toEqual({ kind: 'docker', program: docker });
    expect(await chooseSandbox({ ...options, wanted: 'docker' })).toEqual({
      kind: 'docker',
      program: docker,
    });
  });

  test('disabled means the host, without a notice', async () => {
    const { options, tried } = await counted();
    expect(await chooseSandbox({ ...options, wanted: 'off' })).toEqual({ kind: 'host' });
    expect(await tried()).toBe(0);
    expect(fallbackNotice({ kind: 'host', level: 'standard', network: 'open' }, { asks: true })).toBeNull();
  });
});

describe('the test of bubblewrap', () => {
  beforeEach(({ skip }) => {
    if (noBubblewrap !== null) skip(noBubblewrap);
  });

  /** The system's bubblewrap without one of its options: it looks like a sandbox. */
  async function without(option: string) {
    const words = option.split(' ').length;
    return counted(`n=$#
while [ "$n" -gt 0 ]; do
  case "$1 $2 $3 " in "${option} "*) shift ${words}; n=$((n - ${words})); continue ;; esac
  one=$1; shift; set -- "$@" "$one"; n=$((n - 1))
done
PATH=/usr/local/bin:/usr/bin:/bin exec bwrap "$@"`);
  }

  async function tested({ options }: Awaited<ReturnType<typeof counted>>) {
    const findings: SandboxFinding[] = [];
    const found = await chooseSandbox({ ...options, onFindings: (all) => findings.push(...all) });
    return { found, bad: findings.filter(({ ok }) => !ok).map(({ name }) => name), findings };
  }

  test('reports each check once', async () => {
    const whole = await without('--no-such-option');
    const { found, findings } = await tested(whole);
    expect(found).toEqual({ kind: 'bubblewrap', program: whole.file });
    expect(findings.map(({ name, ok }) => [name, ok])).toEqual([
      ['kernel settings', true],
      ['devices', true],
      ['capabilities', true],
      ['system calls', true],
      ['other files', true],
      ['network', true],
      ['processes', true],
    ]);
    expect((await tested(whole)).findings).toEqual([]);
  });

  test.each([
    ['--remount-ro /proc', 'kernel settings', /^a command could write to \/proc\//],
    ['--dev /dev', 'devices', /^a command could reach the device \/dev\//],
    ['--seccomp 4', 'system calls', /^system calls are not filtered/],
    ['--unshare-net', 'network', /^a command could use the network/],
    ['--unshare-pid', 'processes', /^a command could see other processes/],
  ])('one without %s is rejected: %s', async (option, name, words) => {
    const { found, bad } = await tested(await without(option));
    expect(bad).toContain(name);
    expect(found).toEqual({
      kind: 'host',
      fallback: expect.stringContaining('bubblewrap does not work here'),
    });
    const because = found.kind === 'host' ? (found.fallback ?? '') : '';
    expect(/\((.*)\)$/.exec(because)?.[1]).toMatch(bad.length === 1 ? words : /./);
  });
});
