import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { expect } from 'vitest';
import { type Encoding, encodeText } from '../src/lib/text/text-encoding.ts';
import { UndoStore } from '../src/session/undo/undo-store.ts';
import { remove } from '../src/tools/delete.ts';
import { edit } from '../src/tools/edit.ts';
import { multiEdit } from '../src/tools/multi-edit.ts';
import { write } from '../src/tools/write.ts';
import { sweep } from './support/soak.ts';
import { bench, use } from './support/tool-context.ts';
import { undo as takeBack } from './support/undo.ts';

async function room() {
  const held: { undo?: UndoStore } = {};
  const space = await bench({}, { onBeforeWrite: async (change) => held.undo?.keep(change) });
  let round = 0;
  /** A store of its own for each round, as a session has. */
  const begin = () => {
    held.undo = new UndoStore({ folder: space.home, sessionId: String(round++), roots: [] });
    held.undo.beginRun({ at: '', prompt: '', message: 0 });
    space.context.seen.clear();
    return held.undo;
  };
  return { ...space, begin };
}

const encoding = fc.constantFrom<Encoding>('utf-8', 'utf-8-bom', 'utf-16le', 'utf-16be', 'windows-1252');
const character = fc.constantFrom('a', 'b', ' ', '\t', '€', 'ü', '\n', '\r\n', '\r', '$&');
const text = fc.string({ unit: character, maxLength: 60 });
const words = fc.string({ unit: fc.constantFrom('x', 'ü', ' ', '\n', '$&', '\\'), maxLength: 12 });

const flat = (some: string) => some.replaceAll(/\r\n?/g, '\n');

function encoded(some: string, how: Encoding): Buffer {
  const bytes = encodeText(some, how);
  if (bytes === null) throw new Error(`${JSON.stringify(some)} has no place in ${how}.`);
  return Buffer.from(bytes);
}

sweep([20, 150])(
  '[T08] every byte outside the replaced text stays, and undo gives the original bytes (%i runs)',
  async (numRuns) => {
    const { root, context, begin } = await room();
    const file = path.join(root, 'a.txt');
    await fc.assert(
      fc.asyncProperty(encoding, text, text, text, words, async (how, before, middle, after, put) => {
        // The umlaut keeps windows-1252 from being plain ASCII; the brackets make the place unique.
        const target = `ü<${middle}>`;
        const original = encoded(before + target + after, how);
        await writeFile(file, original);
        const undo = begin();

        const result = await use(
          edit,
          { file_path: 'a.txt', old_string: flat(target), new_string: `[${put}]` },
          context,
        );

        // Where the endings of old_string are others than the file's, that is said behind it.
        expect(result).toMatchObject({
          success: true,
          output: expect.stringMatching(
            /^File updated successfully(\nThe line endings in old_string [\s\S]*)?$/,
          ),
        });
        const now = await readFile(file);
        const head = encoded(before, how);
        const tail = encoded(after, how).subarray(encoded('', how).length);
        expect(now.subarray(0, head.length)).toEqual(head);
        expect(now.subarray(now.length - tail.length)).toEqual(tail);
        const inserted = now.subarray(head.length, now.length - tail.length);
        expect(flat(decoded(inserted, how))).toBe(`[${put}]`);

        expect(await takeBack(undo)).toEqual({ restored: [file], removed: [], kept: [] });
        expect(await readFile(file)).toEqual(original);
      }),
      { numRuns },
    );
  },
);

function decoded(part: Uint8Array, how: Encoding): string {
  const label = how === 'utf-8-bom' ? 'utf-8' : how === 'windows-1252' ? 'latin1' : how;
  if (label === 'latin1') return Buffer.from(part).toString('latin1');
  return new TextDecoder(label, { ignoreBOM: true }).decode(part);
}

sweep([15, 100])(
  '[T08] [U09] any script of writes, edits and deletions is taken back to the original bytes (%i runs)',
  async (numRuns) => {
    const { context, tree, root, begin } = await room();
    const names = ['a', 'b', 'c'] as const;
    const name = fc.constantFrom(...names);
    const step = fc.oneof(
      fc.record({ tool: fc.constant(write), input: fc.record({ file_path: name, content: text }) }),
      fc.record({ tool: fc.constant(remove), input: fc.record({ file_path: name }) }),
      fc.record({
        tool: fc.constant(multiEdit),
        input: fc.record({
          edits: fc.array(
            fc.record({
              file_path: name,
              old_string: character,
              new_string: words,
              replace_all: fc.constant(true),
            }),
            { minLength: 1, maxLength: 4 },
          ),
        }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.tuple(text, text), fc.array(step, { maxLength: 8 }), async ([a, b], steps) => {
        for (const gone of names) await use(remove, { file_path: gone }, context);
        await writeFile(path.join(root, 'a'), a);
        await writeFile(path.join(root, 'b'), b);
        const undo = begin();
        // Known files may be overwritten.
        for (const known of ['a', 'b']) {
          const { path: real, sha256 } = await context.files.read(known);
          context.seen.set(real, sha256);
        }
        for (const { tool, input } of steps) await use(tool, input, context);
        await takeBack(undo);
        expect(await tree()).toEqual({ a, b });
      }),
      { numRuns },
    );
  },
);
