import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { noMount, smallDisk } from '../../../test/support/crash/small-disk.ts';
import { bundled } from '../../../test/support/run-together.ts';
import { soak, sweep } from '../../../test/support/soak.ts';
import { workspace } from '../../../test/support/workspace.ts';
import { isLocked, lockFile, lockNameIn, removeAbandoned, tryLock, withSyncLock } from './lock.ts';
import { thisProcess } from './process-identity.ts';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function start(script: string, ...args: string[]): ChildProcess {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  return child;
}

/** The lock that a dead or invisible process would have left behind. */
function leave(lock: string, owner: Partial<ReturnType<typeof thisProcess>>, silentMs = 0): void {
  const { pid, started, pids, boot, host } = { ...thisProcess(), ...owner };
  symlinkSync([pid, started, pids, boot, host, '0123456789'].join('.'), lock);
  const at = (Date.now() - silentMs) / 1000;
  lutimesSync(lock, at, at);
}

test('one holder at a time, free again when released, and nothing is left behind', async () => {
  const { home } = await workspace();
  const file = path.join(home, 'new', 's.jsonl');
  const first = await lockFile(file);
  expect(first?.isHeld()).toBe(true);
  expect(await lockFile(file)).toBe(null);
  expect(tryLock(file)).toBe(null);
  expect([isLocked(file), isLocked(path.join(home, 'none'))]).toEqual([true, false]);
  expect(() => withSyncLock(file, () => 'in', 20)).toThrow(`Another process is changing ${file}.`);
  const other = await lockFile(path.join(home, 'other.jsonl'));
  expect(other).not.toBe(null);
  first?.release();
  expect([first?.isHeld(), isLocked(file)]).toEqual([false, false]);
  expect(withSyncLock(file, () => 'in')).toBe('in');
  const again = tryLock(file);
  expect(again).not.toBe(null);
  again?.release();
  other?.release();
  expect(readdirSync(path.dirname(file))).toEqual([]);
});

test('a folder has one lock by all of its names; a user file has its lock elsewhere', async () => {
  const { home, root } = await workspace({ 'a.txt': '' });
  await symlink(root, path.join(home, 'link'));
  const lock = tryLock(path.join(root, 's.jsonl'));
  expect(tryLock(path.join(home, 'link', 's.jsonl'))).toBe(null);
  lock?.release();
  await symlink(path.join(root, 'a.txt'), path.join(home, 'b.txt'));
  const name = lockNameIn(path.join(home, 'locks'), path.join(root, 'a.txt'));
  expect(lockNameIn(path.join(home, 'locks'), path.join(home, 'b.txt'))).toBe(name);
  const held = tryLock(name);
  expect([readdirSync(root), readdirSync(path.join(home, 'locks'))]).toEqual([
    ['a.txt'],
    [`${path.basename(name)}.lock`],
  ]);
  held?.release();
});

test('a lock is released when its owner ends, even if killed, and is kept while its owner is stopped', async () => {
  const { home } = await workspace();
  const file = path.join(home, 's.jsonl');
  const child = start(await bundled('hold-lock.ts', home), file);
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  child.kill('SIGSTOP');
  const long = Date.now() / 1000 - 3600;
  lutimesSync(`${file}.lock`, long, long);
  expect(await lockFile(file)).toBe(null);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const lock = await lockFile(file);
  expect(lock).not.toBe(null);
  lock?.release();
}, 60_000);

test('a later process with the same pid is not the owner', async () => {
  const { home } = await workspace();
  if (thisProcess().started === '') return;
  leave(path.join(home, 'a.lock'), { started: '1' });
  const lock = tryLock(path.join(home, 'a'));
  expect(lock).not.toBe(null);
  lock?.release();
});

test('for an invisible process only heartbeats count', { ...soak, timeout: 60_000 }, async () => {
  const { home } = await workspace();
  const places = ['container', 'machine', 'restarted', 'unfinished'].map((name) => path.join(home, name));
  const [container = '', machine = '', restarted = '', unfinished = ''] = places;
  leave(`${container}.lock`, { pids: '1' });
  leave(`${machine}.lock`, { boot: '12345678', host: 'abcdef' });
  leave(`${restarted}.lock`, { boot: '12345678' });
  writeFileSync(`${unfinished}.lock`, '');
  expect(await Promise.all(places.map((place) => lockFile(place)))).toEqual([null, null, null, null]);
  for (const hour of [-3600, 3600]) {
    for (const place of places) {
      const at = Date.now() / 1000 + hour;
      lutimesSync(`${place}.lock`, at, at);
    }
    // The machine was restarted since, so there is no owner to wait for.
    const atOnce = tryLock(restarted);
    expect(atOnce).not.toBe(null);
    const early = places.filter((place) => place !== restarted).map((place) => tryLock(place));
    expect(early).toEqual([null, null, null]);
    atOnce?.release();
    leave(`${restarted}.lock`, { boot: '12345678' });
  }
  const begun = performance.now();
  const locks = await Promise.all([container, machine, unfinished].map((place) => lockFile(place)));
  expect(locks).not.toContain(null);
  expect(performance.now() - begun).toBeGreaterThan(5_000);
  for (const lock of locks) lock?.release();
});

test('an owner that resumes while watched keeps its lock; one that lost it detects that', async () => {
  const { home } = await workspace();
  const file = path.join(home, 'a');
  leave(`${file}.lock`, { pids: '1' }, 3_600_000);
  const waiting = lockFile(file);
  setTimeout(() => lutimesSync(`${file}.lock`, new Date(), new Date()), 1_000);
  expect(await waiting).toBe(null);
  unlinkSync(`${file}.lock`);

  const own = tryLock(file);
  unlinkSync(`${file}.lock`);
  leave(`${file}.lock`, {});
  expect(own?.isHeld()).toBe(false);
  own?.release();
  expect(readdirSync(home)).toEqual(['a.lock']);
}, 60_000);

sweep([
  [6, 10],
  [24, 40],
])(
  '%i processes, killed at any moment: never two hold the lock, and nothing stays locked',
  async (processes, kills) => {
    const { home } = await workspace();
    const script = await bundled('churn-lock.ts', home);
    const file = path.join(home, 'shared', 'file');
    const log = path.join(home, 'log');
    writeFileSync(log, '');
    let left = kills;
    const finished = Array.from({ length: processes }, async () => {
      for (;;) {
        const child = start(script, file, log, '12');
        const ended = once(child, 'exit');
        if (left-- > 0) {
          // Before it starts, while it waits, while it holds the lock, or while acquiring or releasing it.
          await Promise.race([
            ended,
            new Promise((resolve) => setTimeout(resolve, Math.random() * processes * 130)),
          ]);
          child.kill('SIGKILL');
          await ended;
        } else if (((await ended)[0] as number) === 0) return;
      }
    });
    await Promise.all(finished);
    let inside = '';
    for (const line of readFileSync(log, 'utf8').trimEnd().split('\n')) {
      const [what, who = ''] = line.split(' ');
      // One killed inside never leaves.
      if (what === 'out') expect(who).toBe(inside);
      inside = what === 'in' ? who : '';
    }
    const last = tryLock(file);
    expect(last).not.toBe(null);
    removeAbandoned(path.dirname(file));
    expect(readdirSync(path.dirname(file))).toEqual(['file.lock']);
    expect(last?.isHeld()).toBe(true);
    last?.release();
  },
  { timeout: 300_000 },
);

test.skipIf(noMount !== null)(
  `a full or read-only disk is reported, and a lock can still be released`,
  async () => {
    const { home } = await workspace();
    const place = path.join(home, 'disk');
    mkdirSync(place);
    const disk = smallDisk(place, 1024 ** 2);
    const held = tryLock(path.join(place, 'a'));
    disk.fill(0);
    expect(tryLock(path.join(place, 'a'))).toBe(null);
    held?.release();
    disk.empty();
    tryLock(path.join(place, 'a'))?.release();
    expect(readdirSync(place)).toEqual([]);
    disk.readOnly();
    expect(() => tryLock(path.join(place, 'a'))).toThrow(expect.objectContaining({ code: 'EROFS' }));
    await expect(lockFile(path.join(place, 'a'))).rejects.toMatchObject({ code: 'EROFS' });
  },
);
