import { execFile, execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sweep } from '../../../test/support/soak.ts';
import { workspace } from '../../../test/support/workspace.ts';
import { nativePath, pathFromBytes } from '../../lib/paths/raw-path.ts';
import { type FileState, inspect, isSame, statIfAny } from './file-state.ts';
import { Objects } from './objects.ts';
import { TreeIndex, type TreeIndexOptions } from './tree-index.ts';

const HAS_PYTHON = isThere('python3');

function isThere(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function indexed(options: Partial<TreeIndexOptions> = {}) {
  const { root, home } = await workspace();
  const objects = new Objects(path.join(home, 'objects'));
  const index = new TreeIndex({ root, folder: path.join(home, 'trees'), objects, ...options });
  const model = new Map<string, FileState>();
  /** The state according to all scans so far. */
  const look = async () => {
    const found = await index.look();
    for (const { path: file, before, after } of found?.changes ?? []) {
      expect(isSame(model.get(file) ?? null, before)).toBe(true);
      if (after) model.set(file, after);
      else model.delete(file);
    }
    await found?.save();
    return found;
  };
  await look();
  return {
    root,
    home,
    outside: home,
    index,
    objects,
    look,
    model,
    at: (name: string) => path.join(root, name),
  };
}

function standingIn(folder: string): Map<string, FileState> {
  const all = new Map<string, FileState>();
  for (const name of readdirSync(nativePath(folder), 'buffer').map(pathFromBytes)) {
    const file = path.join(folder, name);
    const found = inspect(file);
    if (!found) continue;
    all.set(file, found.state);
    if (found.state.type === 'folder') for (const [inner, it] of standingIn(file)) all.set(inner, it);
  }
  return all;
}

type Deed = { name: string; does(root: string, outside: string): void };

const at = fc.constantFrom('a', 'b', 'd/a', 'd/b', 'd/e/a', 'd/e/f/a', 'g/a', 'a/b');
const folder = fc.constantFrom('d', 'd/e', 'd/e/f', 'g', 'h');
const text = fc.constantFrom('', 'x', 'y', 'longer text\n', 'z'.repeat(5000));
const sh = (script: string) => (root: string) => {
  execFileSync('sh', ['-c', `(${script}) 2>/dev/null; true`], { cwd: root });
};

const ordinary: fc.Arbitrary<Deed> = fc.oneof(
  fc.tuple(at, text).map(([name, t]) => ({
    name: `write ${name}`,
    does: (root: string) => {
      mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
      writeFileSync(path.join(root, name), t);
    },
  })),
  at.map((name) => ({ name: `append ${name}`, does: sh(`printf more >> ${name}`) })),
  at.map((name) => ({
    name: `overwrite ${name} in place`,
    does: sh(`printf Q | dd of=${name} conv=notrunc`),
  })),
  at.map((name) => ({
    name: `truncate ${name}`,
    does: (root: string) => truncateSync(path.join(root, name), 0),
  })),
  at.map((name) => ({
    name: `change ${name} and fake its time`,
    does: (root: string) => {
      const file = path.join(root, name);
      const { atime, mtime, size } = statIfAny(file) ?? {};
      if (!atime || !mtime || size === undefined) return;
      writeFileSync(file, 'q'.repeat(size));
      utimesSync(file, atime, mtime);
    },
  })),
  at.map((name) => ({ name: `remove ${name}`, does: (root: string) => rmSync(path.join(root, name)) })),
  fc.tuple(at, at).map(([from, to]) => ({
    name: `rename ${from} to ${to}`,
    does: (root: string) => renameSync(path.join(root, from), path.join(root, to)),
  })),
  fc.tuple(folder, folder).map(([from, to]) => ({ name: `mv ${from} ${to}`, does: sh(`mv ${from} ${to}`) })),
  fc
    .tuple(folder, folder)
    .map(([from, to]) => ({ name: `mv -T ${from} ${to}`, does: sh(`mv -T ${from} ${to}`) })),
  folder.map((name) => ({
    name: `replace ${name}`,
    does: sh(`rm -rf ${name}; mkdir -p ${name}/n; echo 1 > ${name}/n/a`),
  })),
  folder.map((name) => ({
    name: `away and back ${name}`,
    does: (root: string, outside: string) => {
      renameSync(path.join(root, name), path.join(outside, 'away'));
      writeFileSync(path.join(outside, 'away', 'a'), 'changed outside');
      renameSync(path.join(outside, 'away'), path.join(root, name));
    },
  })),
  folder.map((name) => ({ name: `rm -r ${name}`, does: sh(`rm -r ${name}`) })),
  folder.map((name) => ({
    name: `mkdir ${name}`,
    does: sh(`mkdir -p ${name}/deep/er && echo 1 > ${name}/deep/er/x`),
  })),
  at.map((name) => ({
    name: `chmod ${name}`,
    does: (root: string) => chmodSync(path.join(root, name), 0o640),
  })),
  folder.map((name) => ({
    name: `chmod ${name}`,
    does: (root: string) => chmodSync(path.join(root, name), 0o750),
  })),
  at.map((name) => ({
    name: `link ${name}`,
    does: (root: string) => symlinkSync('nowhere', path.join(root, name)),
  })),
  // Under a separate name: opening a pipe blocks.
  folder.map((name) => ({ name: `fifo in ${name}`, does: sh(`mkfifo ${name}/pipe`) })),
  at.map((name) => ({
    name: `a name that is not UTF-8 beside ${name}`,
    does: sh(`echo 1 > "${name}$(printf '\\351')"`),
  })),
  at.map((name) => ({
    name: `as editors save ${name}`,
    does: sh(`cp ${name} .tmp~ && echo saved >> .tmp~ && mv .tmp~ ${name}`),
  })),
  fc.tuple(at, at).map(([from, to]) => ({
    name: `hard link ${to} to ${from}`,
    does: (root: string) => linkSync(path.join(root, from), path.join(root, to)),
  })),
);

const MMAP =
  'import mmap,sys\nf=open(sys.argv[1],"r+b")\nm=mmap.mmap(f.fileno(),0)\nm[0:1]=b"M"\nm.flush()\nm.close()';

/** These cause no events in the folder of the file. */
const unheard: fc.Arbitrary<Deed> = fc.oneof(
  at.map((name) => ({
    name: `through a memory mapping ${name}`,
    does: (root: string) => {
      if (HAS_PYTHON) execFileSync('python3', ['-c', MMAP, path.join(root, name)], { stdio: 'ignore' });
    },
  })),
  at.map((name) => ({
    name: `by a name outside ${name}`,
    does: (root: string, outside: string) => {
      const other = path.join(outside, 'other-name');
      rmSync(other, { force: true });
      linkSync(path.join(root, name), other);
      writeFileSync(other, `by another name ${Math.random()}`);
      rmSync(other);
    },
  })),
);

function play(deeds: readonly Deed[], root: string, outside: string): void {
  for (const { does } of deeds) {
    try {
      does(root, outside);
    } catch {
      // Most operations need something that does not always exist.
    }
  }
}

function batchesOf(action: fc.Arbitrary<Deed>) {
  return fc.array(fc.array(action, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 5 });
}

describe('property: no change is missed, whoever makes it and however', () => {
  sweep([3, 15])(
    'where every file is checked each time (%i runs)',
    async (numRuns) => {
      await fc.assert(
        fc.asyncProperty(batchesOf(fc.oneof(ordinary, unheard)), async (batches) => {
          const { root, outside, look, model, index } = await indexed();
          for (const deeds of batches) {
            play(deeds, root, outside);
            await look();
            expect(model).toEqual(standingIn(root));
          }
          index.close();
        }),
        { numRuns },
      );
    },
    { timeout: 120_000 },
  );

  sweep([10, 80])(
    'where only files with events are checked (%i runs)',
    async (numRuns) => {
      await fc.assert(
        fc.asyncProperty(batchesOf(ordinary), async (batches) => {
          const { root, outside, look, model, index } = await indexed({ everyTime: 0 });
          for (const deeds of batches) {
            play(deeds, root, outside);
            await look();
            expect(model).toEqual(standingIn(root));
          }
          index.close();
        }),
        { numRuns },
      );
    },
    { timeout: 120_000 },
  );

  sweep([2, 8])(
    'within a few scans, where there are no events (%i runs)',
    async (numRuns) => {
      await fc.assert(
        fc.asyncProperty(batchesOf(fc.oneof(ordinary, unheard)), async (batches) => {
          const { root, outside, look, model, index } = await indexed({ everyTime: 2 });
          for (const deeds of batches) {
            play(deeds, root, outside);
            for (let i = 0; i <= model.size + 2; i++) await look();
            expect(model).toEqual(standingIn(root));
          }
          index.close();
        }),
        { numRuns },
      );
    },
    { timeout: 120_000 },
  );

  test('while other processes write', async () => {
    const { root, look, model, index } = await indexed({ everyTime: 0 });
    for (let round = 0; round < 3; round++) {
      const writers = ['p', 'q', 'r'].map((name) =>
        promisify(execFile)(
          'sh',
          [
            '-c',
            `for i in $(seq 40); do mkdir -p ${name}/$i; echo ${round} > ${name}/$i/f; mv ${name}/$i ${name}/m$i; done 2>/dev/null; true`,
          ],
          { cwd: root },
        ),
      );
      for (let i = 0; i < 5; i++) await look();
      await Promise.all(writers);
    }
    // Events of the last changes may still be on their way.
    await expect
      .poll(async () => {
        await look();
        return model;
      })
      .toEqual(standingIn(root));
    index.close();
  });

  test('and after more events than the system queues', async () => {
    const { root, look, model, index, at } = await indexed({ everyTime: 0 });
    mkdirSync(at('many'));
    writeFileSync(at('many/first'), '');
    await look();
    // Within one turn of the event loop: nothing reads the event queue meanwhile.
    for (let i = 0; i < 10_000; i++) renameSync(at(`many/${i === 0 ? 'first' : i}`), at(`many/${i + 1}`));
    writeFileSync(at('last'), 'the one that was dropped');
    await new Promise((resolve) => setTimeout(resolve, 200));
    await look();
    expect(model).toEqual(standingIn(root));
    index.close();
  }, 120_000);
});

describe('what is not worth keeping', () => {
  const sizes = { entries: 1000, bytes: 1e6, fileBytes: 1e5, builtEntries: 500, builtBytes: 1e6 };
  const bytesKept = (home: string) =>
    readdirSync(path.join(home, 'objects'))
      .filter((name) => name.endsWith('.pack'))
      .reduce((sum, name) => sum + (statIfAny(path.join(home, 'objects', name))?.size ?? 0), 0);

  test('a folder that is too large is not read or stored, and that is remembered', async () => {
    const { root, home } = await workspace();
    mkdirSync(path.join(root, 'd'));
    for (let i = 0; i < 30; i++) writeFileSync(path.join(root, 'd', `${i}`), `${i}`.padEnd(50_000, 'x'));
    const objects = new Objects(path.join(home, 'objects'));
    const options = { root, folder: path.join(home, 'trees'), objects, limits: sizes };
    const index = new TreeIndex(options);
    expect(await index.look()).toBeNull();
    expect(statIfAny(path.join(home, 'objects'))).toBeNull();

    // Not scanned again, even by another process, until folders are added or removed.
    for (let i = 0; i < 30; i++) rmSync(path.join(root, 'd', `${i}`));
    expect(await index.look()).toBeNull();
    expect(await new TreeIndex(options).look()).toBeNull();
    mkdirSync(path.join(root, 'e'));
    expect(await index.look()).not.toBeNull();
    expect(await new TreeIndex({ ...options, limits: { ...sizes, bytes: 2e6 } }).look()).not.toBeNull();
  });

  test('a large folder ignored by git is skipped, a small one is stored, and a rebuild costs nothing', async () => {
    const limits = { ...sizes, ignoredEntries: 10, ignoredBytes: 50_000 };
    const { root, home, at, index, look, model } = await indexed({ limits });
    writeFileSync(at('.gitignore'), 'generated/\nlocal/\n*.log\n');
    for (const name of ['generated', 'local']) mkdirSync(at(name));
    writeFileSync(at('local/settings'), 'mine');
    const build = (round: number) => {
      for (let i = 0; i < 20; i++) writeFileSync(at(`generated/${i}`), `${round} ${i}`.padEnd(1000));
      writeFileSync(at('big.log'), `${round}`.padEnd(20_000));
    };
    build(0);
    await look();
    expect(index.skipped.get(at('generated'))).toBe('it is large and git ignores it');
    expect([...model.keys()].sort()).toEqual(
      [at('.gitignore'), at('big.log'), at('local'), at('local/settings')].sort(),
    );
    const before = bytesKept(home);
    for (let round = 1; round < 5; round++) {
      build(round);
      await look();
    }
    expect(bytesKept(home)).toBe(before);
    expect(readFileSync(at('local/settings'), 'utf8')).toBe('mine');
    expect(root).toBe(path.dirname(at('local')));
  });

  test('our own data in the working directory is not scanned', async () => {
    const { root, home } = await workspace({ 'a.txt': 'one', '.data/sessions/s.jsonl': 'ours' });
    const objects = new Objects(path.join(root, '.data', 'undo', 'objects'));
    const index = new TreeIndex({
      root,
      folder: path.join(root, '.data', 'undo', 'trees'),
      objects,
      excluded: [path.join(root, '.data')],
    });
    await (await index.look())?.save();
    const size = bytesKept(path.join(root, '.data', 'undo'));
    for (let i = 0; i < 5; i++) {
      const look = await index.look();
      expect(look?.changes).toEqual([]);
      await look?.save();
    }
    expect(bytesKept(path.join(root, '.data', 'undo'))).toBe(size);
    expect(home).not.toBe(root);
  });
});
