import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { workspace } from '../../../test/support/workspace.ts';
import { createSpill } from './spill.ts';

const bytes = (text: string) => Buffer.from(text);

describe('[Y39] a spill file', () => {
  test('that is never opened is not created', async () => {
    const { root } = await workspace();
    const file = path.join(root, 'deep', 'out.txt');
    const spill = createSpill({ file, onDrain: () => undefined });
    expect(spill.push(bytes('short'))).toBe(true);
    expect(await spill.end()).toEqual({});
    expect(existsSync(path.dirname(file))).toBe(false);
  });

  test('contains every byte in order, whenever it was opened', async () => {
    const { root } = await workspace();
    let count = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ minLength: 1, maxLength: 50 }), { minLength: 1, maxLength: 20 }),
        fc.nat(19),
        async (chunks, openAt) => {
          const file = path.join(root, `out-${++count}.txt`);
          const spill = createSpill({ file, onDrain: () => undefined });
          for (const [i, chunk] of chunks.entries()) {
            if (i === openAt % chunks.length) spill.open();
            spill.push(Buffer.from(chunk));
          }
          expect(await spill.end()).toEqual({ file });
          expect(await readFile(file)).toEqual(Buffer.concat(chunks));
        },
      ),
      { numRuns: 40 },
    );
  });

  test('pauses the source while the disk is slow, and resumes it afterwards', async () => {
    const { root } = await workspace();
    const file = path.join(root, 'out.txt');
    let rooms = 0;
    const room = new Promise<void>((resolve) => {
      const spill = createSpill({
        file,
        onDrain: () => {
          rooms++;
          resolve();
        },
      });
      spill.open();
      expect(spill.push(Buffer.alloc(3 * 1024 ** 2))).toBe(false);
    });
    await room;
    expect(rooms).toBe(1);
  });

  test('that grows too large keeps its start and reports that', async () => {
    const { root } = await workspace();
    const file = path.join(root, 'out.txt');
    const spill = createSpill({ file, maxBytes: 10, onDrain: () => undefined });
    spill.open();
    for (const part of ['0123', '4567', '89ab', 'cdef']) expect(spill.push(bytes(part))).toBe(true);
    expect(await spill.end()).toEqual({ file, stopped: 'the limit per command was reached' });
    expect(await readFile(file, 'utf8')).toBe('0123456789');
  });

  test.runIf(existsSync('/dev/full'))(
    'on a full disk stops, reports that, and never pauses the source',
    async () => {
      let rooms = 0;
      const spill = createSpill({
        file: '/dev/full',
        onDrain: () => {
          rooms++;
        },
      });
      spill.open();
      spill.push(Buffer.alloc(3 * 1024 ** 2));
      expect(await spill.end()).toEqual({ stopped: 'ENOSPC: no space left on device, write' });
      expect(rooms).toBe(1);
      expect(spill.push(Buffer.alloc(3 * 1024 ** 2))).toBe(true);
    },
  );
});
