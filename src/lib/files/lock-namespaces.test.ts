// @module-tag soak
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { lutimesSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { namespaces, whyNot } from '../../../test/support/namespaces.ts';
import { bundled } from '../../../test/support/run-together.ts';
import { soak, sweepGroups } from '../../../test/support/soak.ts';
import { workspace } from '../../../test/support/workspace.ts';
import { lockFile, tryLock } from './lock.ts';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

async function holder(command: readonly string[]): Promise<{ child: ChildProcess; says: string }> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const [says] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  return { child, says: says.toString().trim() };
}

sweepGroups(Object.entries(namespaces))('in %s', (_, into) => {
  const why = whyNot(into);

  test('a lock excludes processes outside, and theirs excludes it', async ({ skip }) => {
    if (why !== null) skip(why);
    const { home } = await workspace();
    const script = await bundled('hold-lock.ts', home);
    const file = path.join(home, 's.jsonl');
    const inside = await holder([...into, process.execPath, script, file]);
    expect(inside.says).toBe('held');
    expect(await lockFile(file)).toBe(null);
    const other = path.join(home, 'other.jsonl');
    const own = tryLock(other);
    expect((await holder([...into, process.execPath, script, other])).says).toBe('refused');
    expect(own?.isHeld()).toBe(true);
    own?.release();

    const exited = once(inside.child, 'exit');
    inside.child.kill('SIGKILL');
    await exited;
    // As if half a minute had passed, where the owner's process is not visible.
    const past = Date.now() / 1000 - 31;
    lutimesSync(`${file}.lock`, past, past);
    const taken = await lockFile(file);
    expect(taken?.isHeld()).toBe(true);
    taken?.release();
  }, 60_000);
});

test(
  'an owner in a container that was suspended too long detects that its lock was taken over',
  soak,
  async ({ skip }) => {
    const into = namespaces['other process numbers'] ?? [];
    const why = whyNot(into);
    if (why !== null) skip(why);
    const { home } = await workspace();
    const file = path.join(home, 's.jsonl');
    const { child } = await holder([...into, process.execPath, await bundled('hold-lock.ts', home), file]);
    const inner = Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8'));
    process.kill(inner, 'SIGSTOP');
    const past = Date.now() / 1000 - 31;
    lutimesSync(`${file}.lock`, past, past);
    const taken = await lockFile(file);
    expect(taken?.isHeld()).toBe(true);
    process.kill(inner, 'SIGCONT');
    child.stdin?.write('?\n');
    const [says] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
    expect(says.toString()).toBe('lost\n');
    expect(taken?.isHeld()).toBe(true);
    taken?.release();
  },
);

test('processes in several containers that mount a home at different paths lose no update', async ({
  skip,
}) => {
  const why = whyNot(namespaces['another container'] ?? []);
  if (why !== null) skip(why);
  const { home } = await workspace();
  const script = await bundled('update-settings.ts', home);
  const data = path.join(home, 'data');
  mkdirSync(data);
  writeFileSync(path.join(data, 'config.json'), '{}');
  const run = promisify(execFile);
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  await Promise.all(
    names.map((name, i) => {
      const seenAt = i % 2 === 0 ? data : path.join(home, `seen-${name}`);
      mkdirSync(seenAt, { recursive: true });
      const project = path.join(home, name);
      mkdirSync(project);
      return run('bwrap', [
        ...['--unshare-all', '--dev-bind', '/', '/', '--proc', '/proc', '--bind', data, seenAt, '--'],
        ...[process.execPath, script, path.join(seenAt, 'config.json'), seenAt, project, '3'],
      ]);
    }),
  );
  const { projects } = JSON.parse(readFileSync(path.join(data, 'config.json'), 'utf8')) as {
    projects: object;
  };
  expect(Object.keys(projects)).toHaveLength(3 * names.length);
  const { folders } = JSON.parse(readFileSync(path.join(data, 'trust.json'), 'utf8')) as { folders: object };
  expect(Object.keys(folders).sort()).toEqual(names.map((name) => path.join(home, name)));
}, 120_000);
