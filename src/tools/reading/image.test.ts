import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bench, use } from '../../../test/support/tool-context.ts';
import { imageOf } from '../../lib/images/image-kind.ts';
import { sha256 } from '../../lib/sha256.ts';
import { read } from '../read.ts';
import { encodePng } from './png.ts';

const png = Buffer.from(await encodePng({ width: 3, height: 2, rgba: new Uint8Array(24) }));
const jpeg = Buffer.from('ffd8ffe000044a46ffc0000b0800020003010111 00ffd9'.replace(' ', ''), 'hex');
const gif = Buffer.from('R0lGODlhAwACAIAAAAAAAP///yH5BAEAAAAALAAAAAADAAIAAAIChF8AOw==', 'base64');
const riff = (kind: string, body: Buffer) => {
  const chunk = Buffer.concat([Buffer.from(`WEBP${kind}`, 'latin1'), Buffer.alloc(4), body]);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(chunk.length);
  return Buffer.concat([Buffer.from('RIFF'), size, chunk]);
};
const webps = [
  riff('VP8 ', Buffer.from('0000009d012a030002000000', 'hex')),
  riff('VP8L', Buffer.from('2f024000000000000000', 'hex')),
  riff('VP8X', Buffer.from('00000000020000010000', 'hex')),
];

describe('images', () => {
  test.each([
    ['PNG', 'image/png', png],
    ['JPEG', 'image/jpeg', jpeg],
    ['GIF', 'image/gif', gif],
    ...webps.map((webp): [string, string, Buffer] => ['WebP', 'image/webp', webp]),
  ])('%s: type and size come from the bytes', (name, mediaType, bytes) => {
    expect(imageOf(bytes)).toEqual({ name, mediaType, size: { width: 3, height: 2 } });
  });

  test('property: truncated or random data never throws, and a truncated image has no size', () => {
    for (const image of [png, gif, jpeg]) expect(imageOf(image.subarray(0, -13))?.size).toBe(null);
    fc.assert(
      fc.property(
        fc.constantFrom(png, jpeg, gif, ...webps),
        fc.uint8Array({ maxLength: 60 }),
        fc.nat(40),
        (image, rest, kept) => {
          imageOf(Buffer.concat([image.subarray(0, kept), rest]));
        },
      ),
    );
  });

  test('a model with image support gets the image, and the file counts as read', async () => {
    const { root, context } = await bench();
    await writeFile(path.join(root, 'a.png'), png);
    const sees = { ...context, accepts: { images: true } };
    expect(await use(read, { file_path: 'a.png' }, sees)).toEqual({
      success: true,
      output: `a.png is a PNG image, 3x2 pixels, ${png.length} bytes.`,
      images: [{ type: 'image', mediaType: 'image/png', data: png.toString('base64') }],
      metadata: { mediaType: 'image/png', width: 3, height: 2, sha256: sha256(png) },
    });
    expect(context.seen.get(path.join(root, 'a.png'))).toBe(sha256(png));
  });

  test('other models get a description', async () => {
    const { root, context } = await bench();
    await writeFile(path.join(root, 'a.png'), png);
    expect(await use(read, { file_path: 'a.png' }, context)).toEqual({
      success: true,
      output: `a.png is a PNG image, 3x2 pixels, ${png.length} bytes. The current model does not support images.`,
      metadata: { mediaType: 'image/png', width: 3, height: 2, sha256: sha256(png) },
    });
  });

  test('a damaged image is refused', async () => {
    const { root, context } = await bench();
    const sees = { ...context, accepts: { images: true } };
    await writeFile(path.join(root, 'cut.png'), png.subarray(0, -13));
    expect(await use(read, { file_path: 'cut.png' }, sees)).toEqual({
      success: false,
      error: 'cut.png looks like a PNG image, but it is damaged or incomplete.',
    });
    const large = Buffer.concat([png.subarray(0, 33), Buffer.alloc(4_000_000), png.subarray(-12)]);
    await writeFile(path.join(root, 'large.png'), large);
    expect(await use(read, { file_path: 'large.png' }, sees)).toEqual({
      success: false,
      error:
        'large.png is a PNG image, 3x2 pixels, 3.8 MB. It cannot be shown: it looks like a PNG image, but cannot be decoded.',
    });
    expect(context.seen.size).toBe(0);
  });

  test('an image that the vendor would refuse is scaled down, and everybody learns how', async () => {
    const { root, context } = await bench();
    const rgba = new Uint8Array(300 * 100 * 4).fill(200);
    const bytes = Buffer.from(await encodePng({ width: 300, height: 100, rgba }));
    await writeFile(path.join(root, 'wide.png'), bytes);
    const accepts = { images: true, imageLimits: { maxBytes: 1_000_000, maxSide: 150 } };
    const result = await use(read, { file_path: 'wide.png' }, { ...context, accepts });
    const note = /scaled down from 300x100 \(.+\) to 150x50 \(PNG, .+\)/;
    expect(result).toMatchObject({
      success: true,
      output: expect.stringMatching(
        new RegExp(`^wide.png is a PNG image, 300x100 pixels, .*\\. You see a copy, ${note.source}\\.$`),
      ),
      display: { kind: 'text', text: expect.stringMatching(note) },
      images: [{ type: 'image', mediaType: 'image/png' }],
    });
    const [image] = result.success ? (result.images ?? []) : [];
    expect(imageOf(Buffer.from(image?.data ?? '', 'base64'))?.size).toEqual({ width: 150, height: 50 });
  });
});
