import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { sweep } from '../../../test/support/soak.ts';
import type { Files } from '../../contract/tool.ts';
import { createGuard } from '../guard.ts';
import { withBuffers } from './editor-files.ts';
import { createFiles } from './files.ts';

/** A folder with one file, and an editor that has it open. */
function opened(saved: string | Uint8Array, buffer?: string) {
  const cwd = realpathSync(mkdtempSync(path.join(tmpdir(), 'aca-editor-')));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const file = path.join(cwd, 'a.txt');
  writeFileSync(file, saved);
  const buffers = new Map(buffer === undefined ? [] : [[file, buffer]]);
  const guard = createGuard({
    cwd,
    additionalDirectories: [],
    blockedPaths: [],
    allowedPaths: [],
    home: '/nowhere',
  });
  const files: Files = withBuffers(createFiles({ guard, cwd }), {
    cwd,
    buffers: {
      read: async (name) => buffers.get(name) ?? null,
      write: async (name, text) => void buffers.set(name, text),
    },
  });
  return { files, buffers, file, disk: () => readFileSync(file, 'utf8') };
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

test('what is not saved yet is read, and a change of it lands in the editor and on the disk', async () => {
  const { files, buffers, file, disk } = opened('saved\n', 'typed\n');
  const read = await files.read('a.txt');
  expect(text(read.bytes)).toBe('typed\n');

  await files.write('a.txt', Buffer.from('changed\n'), read);

  expect(buffers.get(file)).toBe('changed\n');
  expect(disk()).toBe('changed\n');
});

test('text typed after the file was read is never overwritten', async () => {
  const { files, buffers, file, disk } = opened('saved\n', 'typed\n');
  const read = await files.read('a.txt');
  buffers.set(file, 'typed more\n');

  await expect(files.write('a.txt', Buffer.from('changed\n'), read)).rejects.toThrow(/unsaved changes/);
  expect(buffers.get(file)).toBe('typed more\n');
  expect(disk()).toBe('saved\n');
});

test('a buffer with other line endings or without a byte order mark is not a change', async () => {
  const { files } = opened('\uFEFFone\r\ntwo\r\n', 'one\ntwo\n');
  const { bytes } = await files.read('a.txt');
  expect(Buffer.from(bytes).toString('utf8')).toBe('\uFEFFone\r\ntwo\r\n');
});

test('bytes that are not text come from the disk, and the version of a file is not known', async () => {
  const { files } = opened(Uint8Array.of(0xff, 0xfe, 0x00), 'something else');
  expect([...(await files.read('a.txt')).bytes]).toEqual([0xff, 0xfe, 0x00]);
  expect(await files.stat('a.txt')).not.toHaveProperty('version');
  expect(await files.stat('none.txt')).toBeNull();
});

sweep([15, 60])(
  'whatever is saved, typed and read in any order, no text is lost (%i runs)',
  async (numRuns) => {
    const step = fc.oneof(
      fc.record({ type: fc.constant('type' as const), text: fc.string() }),
      fc.record({ type: fc.constant('save' as const) }),
      fc.record({ type: fc.constant('read' as const) }),
      fc.record({ type: fc.constant('write' as const), text: fc.string() }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const { files, buffers, file, disk } = opened('start\n', 'start\n');
        let read = await files.read('a.txt');
        for (const one of steps) {
          if (one.type === 'type') buffers.set(file, one.text);
          else if (one.type === 'save') writeFileSync(file, buffers.get(file) ?? '');
          else if (one.type === 'read') read = await files.read('a.txt');
          else {
            const before = buffers.get(file);
            const isSeen = before === text(read.bytes);
            const done = await files.write('a.txt', Buffer.from(one.text), read).then(
              () => true,
              () => false,
            );
            expect(done && !isSeen).toBe(false);
            expect(buffers.get(file)).toBe(done ? one.text : before);
            if (done) expect(disk()).toBe(one.text);
            read = await files.read('a.txt');
          }
        }
      }),
      { numRuns },
    );
  },
);
