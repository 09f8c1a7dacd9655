// @module-tag soak
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { rounds, sweep } from '../../../test/support/soak.ts';
import { begin, command, edit, pictureOf, redo, storeFor, undo } from '../../../test/support/undo.ts';
import { linesOf } from './merge.ts';
import type { UndoStore } from './undo-store.ts';

/** Lines with every kind of ending, of any bytes but NUL. */
const line = fc
  .tuple(
    fc.constantFrom('a', 'b', 'c', 'same', '', 'caf\u00e9', '\uFEFFx', '\u00ff\u0080'),
    fc.constantFrom('\n', '\n', '\n', '\r\n', '\r'),
  )
  .map(([text, end]) => text + end);
const text = fc
  .tuple(fc.array(line, { maxLength: 30, size: 'max' }), fc.constantFrom('', 'no newline'))
  .map(([lines, end]) => Buffer.from(lines.join('') + end, 'utf8').toString('latin1'));

/** Changes of lines at random places: position, how many are removed, what is added. */
const patches = fc.array(
  fc.record({
    at: fc.nat(30),
    remove: fc.nat(3),
    add: fc.array(line, { maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 4 },
);

type Patches = typeof patches extends fc.Arbitrary<infer P> ? P : never;

function patched(before: string, changes: Patches): string {
  const lines = linesOf(Buffer.from(before, 'latin1'));
  for (const { at, remove, add } of changes) lines.splice(at % (lines.length + 1), remove, ...add);
  return lines.join('');
}

const latin = (file: string) => readFileSync(file, 'latin1');

/** The model edits a file: its tool records the change, then writes it. */
async function editLatin(store: UndoStore, file: string, after: string): Promise<void> {
  const bytes = Buffer.from(after, 'latin1');
  await store.keep({
    path: file,
    before: readFileSync(file),
    after: bytes,
    was: { type: 'file', mode: 0o644 },
  });
  writeFileSync(file, bytes);
}

const name = fc.constantFrom('a', 'b', 'c', 'd/e', 'd/f', 'g/h/i');
const deed = fc.oneof(
  fc
    .tuple(name, fc.constantFrom('', 'x', 'one\ntwo\nthree\n', 'one\r\ntwo', 'bin\\0ary'))
    .map(([file, content]) => `mkdir -p "$(dirname ${file})" && printf '${content}' > ${file}`),
  name.map((file) => `rm -rf ${file}`),
  name.map((file) => `echo more >> ${file}`),
  name.map((file) => `chmod 640 ${file}`),
  name.map((file) => `ln -sf nowhere ${file}`),
  fc.constantFrom('rm -rf d', 'mv d moved', 'mv a g', 'mv b renamed', 'mkdir -p empty/er'),
);
const script = fc
  .array(deed, { minLength: 1, maxLength: 5 })
  .map((lines) => `${lines.map((one) => `(${one}) 2>/dev/null`).join('; ')}; true`);

const files = { a: 'one\ntwo\n', b: 'b\n', 'd/e': 'x', 'd/f': 'y\r\nz' };

describe('property: reverting changes', () => {
  sweep([30, rounds(100, 500)])(
    'all hunks in any order give back the base; each leaves every byte outside of it alone (%i runs)',
    async (numRuns) => {
      await fc.assert(
        fc.asyncProperty(text, patches, fc.array(fc.nat()), async (base, changes, order) => {
          const { at, store } = await storeFor({ a: '' });
          writeFileSync(at('a'), base, 'latin1');
          begin(store);
          await editLatin(store, at('a'), patched(base, changes));
          for (let turn = 0; ; turn++) {
            const review = await store.review();
            const hunks = review.files[0]?.hunks ?? [];
            if (hunks.length === 0) break;
            const hunk = (order[turn] ?? 0) % hunks.length;
            const before = latin(at('a'));
            await review.revert([{ path: at('a'), hunk }]);
            expectOnlyHunk(before, latin(at('a')), hunks[hunk]?.patch ?? '');
          }
          expect(latin(at('a'))).toBe(base);
        }),
        { numRuns },
      );
    },
    { timeout: 120_000 },
  );

  sweep([30, rounds(100, 500)])(
    'what is accepted stays when all the rest is reverted, and later changes are listed alone (%i runs)',
    async (numRuns) => {
      await fc.assert(
        fc.asyncProperty(text, patches, fc.array(fc.nat()), patches, async (base, changes, order, later) => {
          const { at, store, open } = await storeFor({ a: '' });
          writeFileSync(at('a'), base, 'latin1');
          begin(store);
          await editLatin(store, at('a'), patched(base, changes));
          const changed = latin(at('a'));
          for (const pick of order) {
            const review = await open().review();
            const { hunks = [] } = review.files[0] ?? {};
            if (hunks.length === 0) break;
            const hunk = pick % hunks.length;
            const without = (review.original(at('a')) ?? '').split(/(?<=\n)/);
            const { oldStart = 0, newText = '' } = hunks[hunk]?.lines ?? {};
            without.splice(oldStart - 1, hunks[hunk]?.removed ?? 0, newText);
            await review.accept([{ path: at('a'), hunk }]);
            const now = (await store.review()).original(at('a')) ?? readFileSync(at('a'), 'utf8');
            expect(now).toBe(without.join(''));
          }
          expect(latin(at('a'))).toBe(changed);
          await (await store.review()).revert([{ path: at('a') }]);
          const kept = latin(at('a'));
          expect((await store.review()).files).toEqual([]);
          begin(store);
          await editLatin(store, at('a'), patched(kept, later));
          await (await open().review()).revert([{ path: at('a') }]);
          expect(latin(at('a'))).toBe(kept);
        }),
        { numRuns },
      );
    },
    { timeout: 120_000 },
  );

  sweep([30, rounds(100, 500)])(
    "with the user's own edits, a revert and its undo change nothing (%i runs)",
    async (numRuns) => {
      await fc.assert(
        fc.asyncProperty(text, patches, patches, async (base, model, user) => {
          const { at, store } = await storeFor({ a: '' });
          writeFileSync(at('a'), base, 'latin1');
          begin(store);
          await editLatin(store, at('a'), patched(base, model));
          writeFileSync(at('a'), patched(latin(at('a')), user), 'latin1');
          const before = latin(at('a'));
          const review = await store.review();
          const hunks = review.files[0]?.hunks ?? [];
          for (const i of hunks.keys()) {
            await (await store.review()).revert([{ path: at('a'), hunk: i }]);
            const after = latin(at('a'));
            expectOnlyHunk(before, after, hunks[i]?.patch ?? '');
            await undo(store);
            expect(latin(at('a'))).toBe(before);
            await redo(store);
            expect(latin(at('a'))).toBe(after);
            await undo(store);
          }
          expect((await store.review()).files).toEqual(review.files);
        }),
        { numRuns },
      );
    },
    { timeout: 120_000 },
  );

  sweep([5, rounds(15, 40)])(
    'everything that commands created, deleted, renamed or changed comes back (%i runs)',
    async (numRuns) => {
      await fc.assert(
        fc.asyncProperty(fc.array(script, { minLength: 1, maxLength: 3 }), async (scripts) => {
          const { root, store } = await storeFor(files);
          const before = pictureOf(root);
          for (const one of scripts) {
            begin(store);
            await command(store, root, one);
          }
          const after = pictureOf(root);
          const review = await store.review();
          const report = await review.revert(review.files.map((file) => ({ path: file.path })));
          expect(report.kept).toEqual([]);
          expect(pictureOf(root)).toEqual(before);
          if (review.files.length > 0) await undo(store);
          expect(pictureOf(root)).toEqual(after);
        }),
        { numRuns },
      );
    },
    { timeout: 120_000 },
  );

  sweep([5, rounds(15, 40)])(
    'one file at a time leaves all other files alone (%i runs)',
    async (numRuns) => {
      await fc.assert(
        fc.asyncProperty(script, fc.nat(), async (one, pick) => {
          const { root, store } = await storeFor(files);
          begin(store);
          await command(store, root, one);
          await edit(store, path.join(root, 'mine'), 'mine\n');
          const review = await store.review();
          const file = review.files[pick % review.files.length]?.path ?? '';
          const before = pictureOf(root);
          await review.revert([{ path: file }]);
          const key = path.relative(root, file);
          const others = (picture: Record<string, string>) =>
            Object.fromEntries(
              Object.entries(picture).filter(
                ([other, state]) =>
                  other !== key && !state.startsWith('folder') && !other.startsWith(`${key}/`),
              ),
            );
          expect(others(pictureOf(root))).toEqual(others(before));
        }),
        { numRuns },
      );
    },
    { timeout: 120_000 },
  );
});

/** The added lines of the patch have become its removed lines, and nothing else has changed. */
function expectOnlyHunk(before: string, after: string, patch: string): void {
  const [, start = '', count = ''] = /\+(\d+),(\d+) @@/.exec(patch) ?? [];
  const shown = patch.split('\n').slice(1, -1);
  const signed = (sign: string) => shown.filter((row) => row.startsWith(sign)).map((row) => row.slice(1));
  const leading = shown.findIndex((row) => !row.startsWith(' '));
  const first = (Number(count) === 0 ? Number(start) : Number(start) - 1) + leading;
  const [added, removed] = [signed('+'), signed('-')];
  const old = linesOf(Buffer.from(before, 'latin1'));
  const now = linesOf(Buffer.from(after, 'latin1'));
  expect(now.slice(0, first)).toEqual(old.slice(0, first));
  expect(now.slice(first + removed.length)).toEqual(old.slice(first + added.length));
  const words = now
    .slice(first, first + removed.length)
    .map((row) => Buffer.from(row, 'latin1').toString('utf8'));
  expect(words.map((row) => row.replace(/\n$/, ''))).toEqual(removed);
}
