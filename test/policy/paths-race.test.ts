// @module-tag soak
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { createFiles } from '../../src/sandbox/files/files.ts';
import { createGuard } from '../../src/sandbox/guard.ts';
import { sweep } from '../support/soak.ts';
import { workspace } from '../support/workspace.ts';
import { type Swap, whileSwapping } from './swap-files.ts';

const RACE_MS = 800;
const ENOUGH_TURNS = 30;
const SECRET = 'canary';

async function arena() {
  const { root, home } = await workspace({
    'target.txt': 'mine',
    'dir/x.txt': 'mine',
    '.env': SECRET,
    '.ssh/x.txt': SECRET,
  });
  const outside = path.join(path.dirname(root), 'outside');
  await mkdir(outside);
  await writeFile(path.join(outside, 'x.txt'), SECRET);
  const guard = createGuard({
    cwd: root,
    additionalDirectories: [],
    blockedPaths: [],
    allowedPaths: [],
    home,
  });
  return { root, outside, files: createFiles({ guard, cwd: root }) };
}

/** Tries again and again until the time is up, and turns and successes were enough; counts what came of it. */
async function hammer(
  turns: () => number,
  deed: () => Promise<string>,
  success?: string,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const started = Date.now();
  const isEnough = () => turns() > ENOUGH_TURNS && (success === undefined || counts[success] !== undefined);
  const goesOn = (passed: number) => passed < RACE_MS || (!isEnough() && passed < 10 * RACE_MS);
  while (goesOn(Date.now() - started)) {
    const outcome = await deed().catch(() => 'refused');
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

type Arena = Awaited<ReturnType<typeof arena>>;
type Race = { name: string; swap: (arena: Arena) => Swap; file: string };

const races: Race[] = [
  {
    name: 'a file that turns into a link to a secret',
    swap: ({ root }) => ({
      type: 'file',
      place: path.join(root, 'target.txt'),
      elsewhere: path.join(root, '.env'),
    }),
    file: 'target.txt',
  },
  {
    name: 'a file that turns into a link to outside',
    swap: ({ root, outside }) => ({
      type: 'file',
      place: path.join(root, 'target.txt'),
      elsewhere: path.join(outside, 'x.txt'),
    }),
    file: 'target.txt',
  },
  {
    name: 'a file that turns into a second name of a secret',
    swap: ({ root }) => ({
      type: 'twin',
      place: path.join(root, 'target.txt'),
      elsewhere: path.join(root, '.env'),
    }),
    file: 'target.txt',
  },
  {
    name: 'a folder that turns into a link to a secret folder',
    swap: ({ root }) => ({
      type: 'folder',
      place: path.join(root, 'dir'),
      elsewhere: path.join(root, '.ssh'),
    }),
    file: 'dir/x.txt',
  },
  {
    name: 'a folder that turns into a link to outside',
    swap: ({ root, outside }) => ({ type: 'folder', place: path.join(root, 'dir'), elsewhere: outside }),
    file: 'dir/x.txt',
  },
];

describe('[X05] [R08] a path that changes while it is used', () => {
  // On a busy machine one side may have all the turns; then it is played again.
  sweep(races)(
    '$name never shows what is closed',
    async ({ swap, file }) => {
      const place = await arena();
      let read: Record<string, number> = {};
      const turns = await whileSwapping(swap(place), async (turnsSoFar) => {
        let odd = false;
        read = await hammer(turnsSoFar, async () => {
          odd = !odd;
          if (odd) return Buffer.from((await place.files.read(file)).bytes).toString();
          return (await place.files.readLines(file, { offset: 0, limit: 5 })).lines.join('|');
        });
      });
      expect(
        Object.keys(read).filter((text) => text !== 'refused' && text !== 'mine' && text !== ''),
      ).toEqual([]);
      // Both sides really took turns, or nothing was tested.
      expect(turns).toBeGreaterThan(ENOUGH_TURNS);
      expect((read.mine ?? 0) + (read.refused ?? 0)).toBeGreaterThan(50);
      expect(read.mine ?? 0).toBeGreaterThan(0);
    },
    { retry: 3 },
  );

  sweep(races)('$name never lets a write out', async ({ swap, file }) => {
    const place = await arena();
    const { root, outside, files } = place;
    const folder = path.dirname(file);
    let n = 0;
    const turns = await whileSwapping(swap(place), async (turnsSoFar) => {
      await hammer(turnsSoFar, async () => {
        await files.write(file, Buffer.from('written'));
        await files.write(path.join(folder, `new-${n++ % 50}.txt`), Buffer.from('written'));
        return 'written';
      });
    });
    expect({
      outside: await readdir(outside),
      ssh: await readdir(path.join(root, '.ssh')),
      texts: await Promise.all(
        [path.join(outside, 'x.txt'), path.join(root, '.env'), path.join(root, '.ssh/x.txt')].map((name) =>
          readFile(name, 'utf8'),
        ),
      ),
    }).toEqual({ outside: ['x.txt'], ssh: ['x.txt'], texts: [SECRET, SECRET, SECRET] });
    expect(turns).toBeGreaterThan(ENOUGH_TURNS);
  });

  sweep(races)(
    '$name never lets a deletion out',
    async ({ swap, file }) => {
      const place = await arena();
      const { root, outside, files } = place;
      const deleteAndRestore = async () => {
        const outcome = await files.remove(file).then(
          () => 'deleted',
          () => 'refused',
        );
        await files.write(file, Buffer.from('mine')).catch(() => undefined);
        return outcome;
      };
      let done: Record<string, number> = {};
      const turns = await whileSwapping(swap(place), async (turnsSoFar) => {
        done = await hammer(turnsSoFar, deleteAndRestore, 'deleted');
      });
      const kept = [path.join(outside, 'x.txt'), path.join(root, '.env'), path.join(root, '.ssh/x.txt')];
      expect(await Promise.all(kept.map((name) => readFile(name, 'utf8')))).toEqual([SECRET, SECRET, SECRET]);
      expect(turns).toBeGreaterThan(ENOUGH_TURNS);
      expect(done.deleted ?? 0).toBeGreaterThan(0);
    },
    { retry: 3 },
  );
});
