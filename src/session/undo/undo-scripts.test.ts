import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { sweep } from '../../../test/support/soak.ts';
import { begin, command, edit, pictureOf, redo, storeFor, undo } from '../../../test/support/undo.ts';
import { statIfAny } from './file-state.ts';
import type { UndoStore } from './undo-store.ts';

type Deed = { by: 'edit'; name: string; text: string } | { by: 'command'; script: string };

describe('property: any script', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd/e', 'd/f', 'g/h/i');
  const text = fc.constantFrom(
    '',
    'x',
    'one\ntwo\nthree\n',
    'one\r\ntwo\n',
    'caf\u00e9\n',
    'bin\0ary',
    'z'.repeat(3000),
  );
  const action = fc.oneof(
    fc.record({ by: fc.constant('edit' as const), name, text }),
    fc.record({
      by: fc.constant('command' as const),
      script: fc
        .array(
          fc.oneof(
            fc
              .tuple(name, text)
              .map(([n, t]) => `mkdir -p "$(dirname ${n})" && printf %s '${t.replaceAll('\0', '@')}' > ${n}`),
            name.map((n) => `rm -rf ${n}`),
            name.map((n) => `echo more >> ${n}`),
            fc.constant('rm -rf d'),
            fc.constant('mv d moved'),
            fc.constant('mv a g'),
            name.map((n) => `chmod 640 ${n}`),
            name.map((n) => `ln -sf nowhere ${n}`),
            fc.constant('mkdir -p empty/er'),
          ),
          { minLength: 1, maxLength: 4 },
        )
        .map((lines) => `${lines.map((line) => `(${line}) 2>/dev/null`).join('; ')}; true`),
    }),
  );
  const script = fc.array(fc.array(action, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 });

  async function play(store: UndoStore, root: string, deeds: readonly Deed[]): Promise<void> {
    for (const one of deeds) {
      if (one.by === 'command') await command(store, root, one.script);
      else if (canBeEdited(path.join(root, one.name))) await edit(store, path.join(root, one.name), one.text);
    }
  }

  sweep([4, 25])(
    'undone run by run restores the original tree, redone restores the later one (%i runs)',
    async (numRuns) => {
      await fc.assert(
        fc.asyncProperty(script, async (all) => {
          const { root, store } = await storeFor({ a: 'one\ntwo\n', 'd/e': 'x', 'd/f': 'y' });
          symlinkSync('a', path.join(root, 'link'));
          const pictures = [pictureOf(root)];
          for (const deeds of all) {
            begin(store);
            await play(store, root, deeds);
            pictures.push(pictureOf(root));
          }
          const last = pictures.at(-1);
          let undone = 0;
          for (let report = await undo(store); report; report = await undo(store)) {
            expect(report.kept).toEqual([]);
            undone += 1;
          }
          expect(pictureOf(root)).toEqual(pictures[0]);
          for (; undone > 0; undone--) expect((await redo(store))?.kept).toEqual([]);
          expect(pictureOf(root)).toEqual(last);
        }),
        { numRuns },
      );
    },
    { timeout: 60_000 },
  );

  sweep([4, 25])(
    "the user's own files and edits survive every undo (%i runs)",
    async (numRuns) => {
      await fc.assert(
        fc.asyncProperty(script, fc.array(name, { maxLength: 2 }), async (all, edited) => {
          const { root, store } = await storeFor({ a: 'one\ntwo\n', 'd/e': 'x', 'd/f': 'y', mine: 'mine' });
          for (const deeds of all) {
            begin(store);
            await play(store, root, deeds);
          }
          const marks = edited.flatMap((file, i) => {
            const full = path.join(root, file);
            if (!statIfAny(full)?.isFile()) return [];
            const mark = `\nline of my own ${i}\n`;
            writeFileSync(full, readFileSync(full, 'latin1') + mark, 'latin1');
            return [{ full, mark }];
          });
          writeFileSync(path.join(root, 'mine'), 'still mine');
          for (let report = await undo(store); report; report = await undo(store));
          expect(readFileSync(path.join(root, 'mine'), 'utf8')).toBe('still mine');
          for (const { full, mark } of marks) expect(readFileSync(full, 'latin1')).toContain(mark);
        }),
        { numRuns },
      );
    },
    { timeout: 60_000 },
  );
});

/** A file tool writes files, and does not follow links that the guard would refuse. */
function canBeEdited(file: string): boolean {
  const folder = statIfAny(path.dirname(file));
  if (!folder?.isDirectory()) return false;
  return statIfAny(file)?.isFile() ?? true;
}
