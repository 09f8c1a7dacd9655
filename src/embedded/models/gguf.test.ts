import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tinyModel } from '../../../test/support/embedded.ts';
import { UserError } from '../../contract/errors.ts';
import { readGguf } from './gguf.ts';

let folder: string;
let file: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'aca-gguf-'));
  file = await tinyModel(path.join(folder, 'tiny.gguf'), {});
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test('a model file describes itself, without its weights being read', async () => {
  const { chatTemplate, bytes, modified, ...facts } = await readGguf(file);

  expect(facts).toEqual({
    file,
    architecture: 'llama',
    name: 'tiny fixture',
    license: 'mit',
    quantisation: 'F32',
    contextLength: 4096,
    layers: 2,
    // Two layers, two key-value heads, 16 numbers each for both, two bytes per number.
    cacheBytesPerToken: 2 * 2 * (16 + 16) * 2,
    isEmbedding: false,
  });
  expect(bytes).toBeGreaterThan(100_000);
  expect(modified).toBeGreaterThan(0);
  expect(chatTemplate).toContain('<tool_call>');
});

test('a missing file and one of another format are reported as such', async () => {
  const other = path.join(folder, 'other.gguf');
  await writeFile(other, 'hello, I am a text');

  await expect(readGguf(path.join(folder, 'none.gguf'))).rejects.toThrow(/There is no model at .*none\.gguf/);
  await expect(readGguf(other)).rejects.toThrow(
    'other.gguf is not a valid model file: it does not start with a GGUF header.',
  );
});

test('however truncated or corrupted, a file is read or rejected with a message, quickly', async () => {
  const whole = await readFile(file);
  const head = 30_000;
  const broken = path.join(folder, 'broken.gguf');
  await fc.assert(
    fc.asyncProperty(
      fc.nat({ max: head }),
      fc.array(fc.tuple(fc.nat({ max: head }), fc.nat({ max: 255 })), { maxLength: 3 }),
      async (length, changes) => {
        const bytes = Buffer.from(whole.subarray(0, length));
        for (const [at, byte] of changes) if (at < bytes.length) bytes[at] = byte;
        await writeFile(broken, bytes);
        const outcome = await readGguf(broken).then(
          () => 'read',
          (error: unknown) => (error instanceof UserError ? 'refused' : error),
        );
        expect(['read', 'refused']).toContain(outcome);
      },
    ),
    { numRuns: 100 },
  );
});
