import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
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

const ZIP = 'PK\x03\x04 and so on';
const SAFETENSORS = Buffer.concat([Buffer.from([200, 1, 0, 0, 0, 0, 0, 0]), Buffer.from('{"__metadata__":')]);

test.each<[string, (whole: Buffer) => string | Buffer, string]>([
  ['a text', () => 'hello, I am a text', 'it does not start with a GGUF header.'],
  ['an empty file', () => '', 'it is empty.'],
  ['three bytes', () => 'GGU', 'it does not start with a GGUF header.'],
  ['a web page', () => '<!DOCTYPE html><html>', 'it is a web page, not the file behind it.'],
  ['an error message', () => '{"error":"no"}', 'it is JSON, perhaps the error message of a server.'],
  [
    'a Git LFS pointer',
    () => 'version https://git-lfs.github.com/spec/v1\n',
    'it is only a Git LFS pointer.',
  ],
  ['weights of PyTorch', () => ZIP, 'it is a zip archive, such as PyTorch writes.'],
  ['safetensors', () => SAFETENSORS, 'it is in the safetensors format.'],
  ['an old format', () => 'lmgg and so on', 'it is in an old format.'],
  ['a later version', () => Buffer.from('GGUF\x63\0\0\0'), 'format version 99 is not supported.'],
  ['a file cut in its header', (whole) => whole.subarray(0, 5000), 'it is incomplete.'],
  ['a file cut in its weights', (whole) => whole.subarray(0, -1), 'it is incomplete, 0.5 MB of 0.5 MB.'],
])('%s says what is wrong with it', async (_, content, message) => {
  const other = path.join(folder, 'other.gguf');
  await writeFile(other, content(await readFile(file)));

  await expect(readGguf(other)).rejects.toMatchObject({
    name: 'UserError',
    message: `other.gguf is not a valid model file: ${message}`,
    hint: expect.stringMatching(/./),
  });
});

/** The start of a GGUF file: magic, version, number of tensors; then the number of its values, and these. */
const COUNT_AT = 16;
const VALUES_AT = 24;
const UINT16 = 2;
const TEXT = 8;
const ALIGNMENT = 32;

/** The same file with more values in its header, and a text that keeps the weights aligned. */
function withNumbers(whole: Buffer, numbers: Record<string, number>): Buffer {
  const sized = (text: string) => {
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(text.length));
    return Buffer.concat([length, Buffer.from(text)]);
  };
  const values = Object.entries(numbers).map(([key, number]) =>
    Buffer.concat([sized(key), Buffer.from([UINT16, 0, 0, 0, number & 255, number >> 8])]),
  );
  const key = Buffer.concat([sized('test.padding'), Buffer.from([TEXT, 0, 0, 0])]);
  const length = values.reduce((sum, value) => sum + value.length, key.length + sized('').length);
  const padding = sized('x'.repeat(ALIGNMENT - (length % ALIGNMENT)));
  const head = Buffer.from(whole.subarray(0, VALUES_AT));
  head.writeBigUInt64LE(head.readBigUInt64LE(COUNT_AT) + BigInt(values.length + 1), COUNT_AT);
  return Buffer.concat([head, ...values, key, padding, whole.subarray(VALUES_AT)]);
}

test('a split model is read by its first part, and needs the others', async () => {
  const whole = await readFile(file);
  const part = (number: number) => path.join(folder, `big-0000${number}-of-00003.gguf`);
  const write = (number: number) =>
    writeFile(part(number), withNumbers(whole, { 'split.no': number - 1, 'split.count': 3 }));
  await write(1);
  await write(3);

  await expect(readGguf(part(1))).rejects.toMatchObject({
    message:
      'big-00001-of-00003.gguf is not a valid model file: it has 3 parts, and big-00002-of-00003.gguf is missing.',
    hint: 'Put big-00002-of-00003.gguf next to it.',
  });

  await write(2);
  const sizes = await Promise.all([1, 2, 3].map(async (number) => (await stat(part(number))).size));
  expect((await readGguf(part(1))).bytes).toBe(sizes.reduce((sum, size) => sum + size));
  await expect(readGguf(part(2))).rejects.toMatchObject({
    message: 'big-00002-of-00003.gguf is not a valid model file: it is part 2 of 3 of a model.',
    hint: 'Specify the first part.',
  });
});

test('a missing file, a folder and a pipe are reported as such', async () => {
  const named = path.join(folder, 'folder.gguf');
  await mkdir(named);

  await expect(readGguf(path.join(folder, 'none.gguf'))).rejects.toThrow(
    /There is no model at .*none\.gguf\./,
  );
  await expect(readGguf(named)).rejects.toMatchObject({
    message: 'folder.gguf is not a valid model file: it is a folder.',
    hint: 'Specify the .gguf file in it.',
  });
  if (process.platform === 'win32') return;
  const pipe = path.join(folder, 'pipe.gguf');
  const program = 'mkfifo';
  execFileSync(program, [pipe]);
  await expect(readGguf(pipe)).rejects.toThrow('it is not a regular file');
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
