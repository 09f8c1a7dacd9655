import { inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { imageOf } from '../../lib/images/image-kind.ts';
import { encodePng, halved } from './png.ts';

test('a bitmap is encoded as a PNG that decodes to its pixels, without alpha', async () => {
  const rgba = Uint8Array.from([255, 0, 0, 255, 0, 255, 0, 255, 10, 20, 30, 255, 1, 2, 3, 255]);
  const png = Buffer.from(await encodePng({ width: 2, height: 2, rgba }));
  expect(imageOf(png)).toEqual({ name: 'PNG', mediaType: 'image/png', size: { width: 2, height: 2 } });

  const length = png.readUInt32BE(33);
  expect(png.toString('latin1', 37, 41)).toBe('IDAT');
  const rows = inflateSync(png.subarray(41, 41 + length));
  const first = [...rows.subarray(1, 7)];
  const second = [...rows.subarray(8, 14)].map((difference, i) => (difference + (first[i] ?? 0)) & 0xff);
  expect([rows[0], rows[7]]).toEqual([2, 2]);
  expect([first, second]).toEqual([
    [255, 0, 0, 0, 255, 0],
    [10, 20, 30, 1, 2, 3],
  ]);
  // The IEND chunk with its checksum.
  expect(png.subarray(-12).toString('hex')).toBe('0000000049454e44ae426082');
});

test('halving averages four pixels; an odd edge is dropped, but never the last pixel', () => {
  const grey = (...values: number[]) =>
    Uint8Array.from(values.flatMap((value) => [value, value, value, 255]));
  expect(halved({ width: 3, height: 2, rgba: grey(0, 100, 9, 100, 200, 9) })).toEqual({
    width: 1,
    height: 1,
    rgba: grey(100),
  });
  expect(halved({ width: 1, height: 1, rgba: grey(7) })).toEqual({ width: 1, height: 1, rgba: grey(7) });
});
