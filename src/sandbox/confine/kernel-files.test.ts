import { execFileSync } from 'node:child_process';
import { chmod, chown } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { noBubblewrap, sandboxedShell, sandboxedShellIn } from '../../../test/support/sandboxed.ts';
import { soak } from '../../../test/support/soak.ts';
import { workspace } from '../../../test/support/workspace.ts';
import type { SandboxLevel } from '../../contract/sandbox.ts';
import { launchInBubblewrap } from './bubblewrap.ts';
import { createWalls } from './walls.ts';

beforeEach(({ skip }) => {
  if (noBubblewrap !== null) skip(noBubblewrap);
});

/**
 * Opens every kernel file for writing, as a command would; nothing is ever written or truncated. Prints how
 * many were tried, then each that opened.
 */
const openAll = `tried=0
for f in $(find /proc /sys /dev -xdev -path '/proc/[0-9]*' -prune -o -path /proc/self -prune -o -path /proc/thread-self -prune -o \\( -type f -o -type b -o -type c \\) -print 2>/dev/null; find /sys/fs/cgroup -type f 2>/dev/null); do
  tried=$((tried + 1))
  case $f in /dev/null|/dev/zero|/dev/full|/dev/random|/dev/urandom|/dev/tty|/dev/console|/dev/ptmx|/dev/pts/*) continue ;; esac
  if { true >>"$f"; } 2>/dev/null; then echo "$f"; fi
done
echo "$tried tried"`;

const levels: SandboxLevel[] = ['strict', 'standard', 'permissive'];

describe('kernel files', () => {
  test.each(levels)(
    'cannot be opened for writing (%s)',
    async (level) => {
      const { run } = await sandboxedShell({}, { level: () => level });
      const { stdout } = await run(openAll, { timeoutMs: 60_000 });
      expect(stdout).toMatch(/^\d{3,} tried\n$/);
    },
    90_000,
  );

  test('not even from the root folder, or when configured as writable', soak, async () => {
    const space = await workspace();
    for (const { run } of [
      sandboxedShellIn(space, {}, '/'),
      sandboxedShellIn(space, { writablePaths: ['/proc/sys', '/sys', '/sys/kernel'] }),
    ]) {
      const { stdout } = await run(openAll, { timeoutMs: 60_000 });
      expect(stdout).toMatch(/^\d{3,} tried\n$/);
    }
  });

  test.for(levels)(
    'an ordinary user gets the same result (%s)',
    { timeout: 90_000 },
    async (level, { skip }) => {
      if (process.getuid?.() !== 0) skip('runs as an ordinary user already');
      const space = await workspace();
      const { root, home } = space;
      for (const folder of [path.dirname(root), root, home]) {
        await chmod(folder, 0o755);
        await chown(folder, 65_534, 65_534);
      }
      const wallsAt = createWalls({
        cwd: root,
        home,
        dataRoot: path.join(home, '.ai-assistant'),
        additionalDirectories: [],
        writablePaths: [],
        readablePaths: [],
        env: {},
        allowedPaths: [],
        isClosed: () => false,
      });
      const network = level === 'permissive' ? 'open' : 'none';
      const { file, args, filter } = launchInBubblewrap(
        {
          command: openAll,
          folder: root,
          maxProcesses: 1_000,
          env: { PATH: '/usr/bin:/bin' },
          shell: { name: 'sh', file: '/bin/sh', args: (command) => ['-c', command] },
        },
        {
          program: 'bwrap',
          // What is open in root's home folder is out of reach for the other user.
          walls: { ...(await wallsAt(level)), shown: [] },
          sandbox: { kind: 'bubblewrap', level, network },
        },
      );
      // The filter is passed on descriptor 4, which `input` cannot do: a shell duplicates its own stdin.
      const output = execFileSync('sh', ['-c', 'exec "$@" 4<&0 3>&2 </dev/null', 'sh', file, ...args], {
        ...(filter && { input: filter }),
        encoding: 'utf8',
        cwd: root,
        uid: 65_534,
        gid: 65_534,
      });
      expect(output).toMatch(/^\d{3,} tried\n$/);
    },
  );
});

describe('as root', () => {
  beforeEach(({ skip }) => {
    if (process.getuid?.() !== 0) skip('needs root');
  });

  test('system files that an ordinary user could not read are unreadable', async () => {
    const { run } = await sandboxedShell();
    const { stdout } = await run('cat /etc/shadow /etc/gshadow 2>/dev/null; head -c 4 /etc/passwd');
    expect(stdout).toBe('root');
  });

  test("the project's own files can still be changed", async () => {
    const { run, tree } = await sandboxedShell({ 'a.txt': 'a' });
    expect(await run('echo b > a.txt && chmod 700 a.txt && id -u')).toMatchObject({ exitCode: 0 });
    expect(await tree()).toEqual({ 'a.txt': 'b\n' });
  });
});
