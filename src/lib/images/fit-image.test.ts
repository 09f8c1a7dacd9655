import { PhotonImage } from '@silvia-odwyer/photon-node';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sweep } from '../../../test/support/soak.ts';
import { type FittedImage, fitEncoded, fitImage, scalingNote } from './fit-image.ts';
import { imageOf } from './image-kind.ts';
import { upright } from './orientation.ts';

type Format = 'PNG' | 'JPEG' | 'WebP';

/** Stripes, or noise, which compresses badly. */
function picture(width: number, height: number, kind: 'stripes' | 'noise' = 'stripes'): PhotonImage {
  const rgba = new Uint8Array(width * height * 4);
  for (let i = 0; i < rgba.length; i++)
    rgba[i] =
      i % 4 === 3 ? 255 : kind === 'noise' ? (Math.imul(i, 2_654_435_761) >>> 13) & 255 : (i >> 6) & 255;
  return new PhotonImage(rgba, width, height);
}

function fileOf(image: PhotonImage, format: Format): Uint8Array {
  if (format === 'PNG') return image.get_bytes();
  return format === 'JPEG' ? image.get_bytes_jpeg(90) : image.get_bytes_webp();
}

async function fitted(
  bytes: Uint8Array,
  limits: { maxBytes: number; maxSide: number },
): Promise<FittedImage> {
  const found = await fitImage(bytes, limits);
  if (found.type === 'refused') throw new Error(found.because);
  return found;
}

const wide = { maxBytes: 1_000_000, maxSide: 100 };

describe('an image within the limits', () => {
  test.each(['PNG', 'JPEG', 'WebP'] as const)('%s stays the same file', async (name) => {
    const bytes = fileOf(picture(40, 30), name);
    const found = await fitted(bytes, wide);
    expect(found).toEqual({
      type: 'image',
      name,
      mediaType: `image/${name.toLowerCase()}`,
      bytes,
      width: 40,
      height: 30,
    });
    expect([found.bytes === bytes, scalingNote(found)]).toEqual([true, '']);
  });
});

describe('an image with too many pixels', () => {
  test.each<[Format, string]>([
    ['PNG', 'PNG'],
    ['JPEG', 'JPEG'],
    ['WebP', 'PNG'],
  ])('%s is scaled down as %s', async (from, name) => {
    const bytes = fileOf(picture(400, 200), from);
    const found = await fitted(bytes, wide);
    expect(found).toMatchObject({ name, width: 100, height: 50, from: { width: 400, height: 200 } });
    expect(imageOf(found.bytes)).toMatchObject({ name, size: { width: 100, height: 50 } });
    expect(scalingNote(found)).toMatch(
      new RegExp(String.raw`^scaled down from 400x200 \(.*\) to 100x50 \(${name}, .*\)$`),
    );
  });

  test('of an animated GIF, the first frame is shown', async () => {
    const gif = Buffer.from('R0lGODlhAwACAIAAAAAAAP///yH5BAEAAAAALAAAAAADAAIAAAIChF8AOw==', 'base64');
    expect(await fitted(gif, { maxBytes: 1_000, maxSide: 2 })).toMatchObject({
      name: 'PNG',
      width: 2,
      height: 1,
    });
  });

  test('transparency is kept as PNG, and becomes white as JPEG', async () => {
    const rgba = new Uint8Array(200 * 200 * 4).map((_, i) => (i % 4 === 3 ? 0 : (i * 31) & 255));
    const clear = new PhotonImage(rgba, 200, 200).get_bytes();
    const alpha = async (maxBytes: number) => {
      const { bytes } = await fitted(clear, { maxBytes, maxSide: 100 });
      return PhotonImage.new_from_byteslice(bytes).get_raw_pixels()[3];
    };
    const white = async (maxBytes: number) => {
      const { bytes } = await fitted(clear, { maxBytes, maxSide: 100 });
      return [...PhotonImage.new_from_byteslice(bytes).get_raw_pixels().subarray(0, 4)];
    };
    expect([await alpha(1_000_000), await white(2_000)]).toEqual([0, [255, 255, 255, 255]]);
  });
});

describe('the orientation of a camera', () => {
  /** A JPEG with the orientation that a camera writes into it. */
  function turned(orientation: number, byteOrder: 'II' | 'MM'): Uint8Array {
    const tiff = Buffer.alloc(26);
    const isLittle = byteOrder === 'II';
    const u16 = (value: number, at: number) =>
      isLittle ? tiff.writeUInt16LE(value, at) : tiff.writeUInt16BE(value, at);
    tiff.write(byteOrder, 0, 'latin1');
    u16(42, 2);
    if (isLittle) tiff.writeUInt32LE(8, 4);
    else tiff.writeUInt32BE(8, 4);
    u16(1, 8);
    u16(0x0112, 10);
    u16(3, 12);
    u16(orientation, 18);
    const exif = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff]);
    const head = Buffer.from([0xff, 0xe1, 0, exif.length + 2]);
    // The left half is black, the right half white.
    const rgba = new Uint8Array(200 * 100 * 4).map((_, i) =>
      i % 4 === 3 || (i >> 2) % 200 >= 100 ? 255 : 0,
    );
    const jpeg = new PhotonImage(rgba, 200, 100).get_bytes_jpeg(95);
    return Buffer.concat([jpeg.subarray(0, 2), head, exif, jpeg.subarray(2)]);
  }

  const dark = { left: [10, 25], right: [40, 25], top: [25, 10], bottom: [25, 40] };

  test.each<[number, keyof typeof dark]>([
    [1, 'left'],
    [2, 'right'],
    [3, 'right'],
    [4, 'left'],
    [5, 'top'],
    [6, 'top'],
    [7, 'bottom'],
    [8, 'bottom'],
  ])('%i: the dark side is at the %s', async (orientation, side) => {
    for (const order of ['II', 'MM'] as const) {
      const { bytes, width, height } = await fitted(turned(orientation, order), {
        maxBytes: 1e6,
        maxSide: 100,
      });
      expect([width, height]).toEqual(orientation < 5 ? [100, 50] : [50, 100]);
      const rgba = PhotonImage.new_from_byteslice(bytes).get_raw_pixels();
      const scale = { x: width / 50, y: height / 50 };
      const [x = 0, y = 0] = dark[side];
      const at = (px: number, py: number) =>
        rgba[(Math.floor(py * scale.y) * width + Math.floor(px * scale.x)) * 4] ?? 0;
      expect(at(x, y)).toBeLessThan(64);
      expect(at(49 - x, 49 - y)).toBeGreaterThan(192);
    }
  });

  test('turning keeps every pixel, and each way back leads to the same image', () => {
    const back = { 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 8, 7: 7, 8: 6 } as const;
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom<keyof typeof back>(1, 2, 3, 4, 5, 6, 7, 8),
        (width, height, orientation) => {
          const rgba = new Uint8Array(width * height * 4).map((_, i) => i);
          const there = upright({ width, height, rgba }, orientation);
          expect(upright(there, back[orientation])).toEqual({ width, height, rgba });
        },
      ),
    );
  });
});

sweep([25, 300])(
  'property: any size ends within the limits with its aspect ratio (%i runs)',
  async (numRuns) => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 1, max: 300 }),
        fc.constantFrom<Format>('PNG', 'JPEG', 'WebP'),
        fc.constantFrom('stripes' as const, 'noise' as const),
        fc.record({
          maxBytes: fc.integer({ min: 1_500, max: 40_000 }),
          maxSide: fc.integer({ min: 8, max: 400 }),
        }),
        async (width, height, format, kind, limits) => {
          const found = await fitted(fileOf(picture(width, height, kind), format), limits);
          expect(found.bytes.length).toBeLessThanOrEqual(limits.maxBytes);
          expect(Math.max(found.width, found.height)).toBeLessThanOrEqual(limits.maxSide);
          expect(imageOf(found.bytes)?.size).toEqual({ width: found.width, height: found.height });
          // At most half a pixel is rounded on each side.
          const [long, short] = width > height ? [width, height] : [height, width];
          const [foundLong, foundShort] =
            width > height ? [found.width, found.height] : [found.height, found.width];
          expect(Math.abs(foundShort - Math.max(1, (foundLong * short) / long))).toBeLessThanOrEqual(
            0.5 + 1e-9,
          );
        },
      ),
      { numRuns },
    );
  },
);

describe('what cannot be scaled', () => {
  const tiny = { maxBytes: 40, maxSide: 2 };
  const png = Buffer.from(picture(20, 20).get_bytes());
  const claims = (width: number, height: number) => {
    const copy = Buffer.from(png);
    copy.writeUInt32BE(width, 16);
    copy.writeUInt32BE(height, 20);
    return copy;
  };
  test.each<[string, Uint8Array, RegExp]>([
    ['a bomb', claims(60_000, 60_000), /^it has 60000x60000 pixels, too many to scale it down; 64 million/],
    ['a size that is not true', claims(2_000, 2_000), /^it looks like a PNG image, but cannot be decoded$/],
    ['a truncated file', png.subarray(0, -13), /damaged or incomplete$/],
    ['text', Buffer.from('hello'), /^it is not a PNG, JPEG, WebP or GIF image$/],
    ['nothing', new Uint8Array(), /^it is not a PNG/],
  ])('%s is refused with the reason', async (_name, bytes, because) => {
    expect(await fitImage(bytes, tiny)).toEqual({ type: 'refused', because: expect.stringMatching(because) });
  });

  test('property: no damaged file makes it throw, and the next image is fine', async () => {
    const file = fc
      .constantFrom<Format>('PNG', 'JPEG', 'WebP')
      .map((format) => fileOf(picture(30, 20), format));
    await fc.assert(
      fc.asyncProperty(
        file,
        fc.nat(),
        fc.uint8Array({ minLength: 1, maxLength: 8 }),
        async (bytes, at, noise) => {
          const damaged = Buffer.from(bytes);
          damaged.set(noise, at % Math.max(1, damaged.length - noise.length));
          const { type } = await fitImage(damaged, { maxBytes: 1e6, maxSide: 10 });
          expect(['image', 'refused']).toContain(type);
        },
      ),
      { numRuns: 60 },
    );
    expect(await fitImage(png, { maxBytes: 1e6, maxSide: 10 })).toMatchObject({ type: 'image', width: 10 });
  });
});

describe('what a vendor would refuse is not sent', () => {
  const limits = { maxBytes: 1e6, maxSide: 500 };
  const image = new PhotonImage(new Uint8Array(40 * 20 * 4).fill(90), 40, 20);
  const png = Buffer.from(image.get_bytes());
  const jpeg = Buffer.from(image.get_bytes_jpeg(90));

  test.each<[string, Buffer | string]>([
    ['nothing', ''],
    ['text', Buffer.from('hello')],
    ['no base64', '%%%'],
    ['HTML of an error page', Buffer.from('<!doctype html><title>404</title>')],
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['half a PNG', png.subarray(0, png.length / 2)],
    ['the start of a PNG', png.subarray(0, 8)],
    ['half a JPEG', jpeg.subarray(0, jpeg.length / 2)],
    ['the start of a GIF', Buffer.from('GIF89a')],
    ['a BMP', Buffer.from('BM0000000000000000')],
    ['a HEIC', Buffer.from('....ftypheic........')],
  ])('%s', async (_what, bytes) => {
    const data = typeof bytes === 'string' ? bytes : bytes.toString('base64');
    const { image: fitted, note } = await fitEncoded({ mediaType: 'image/png', data }, limits);
    expect([fitted, note]).toEqual([null, expect.stringMatching(/^image not attached: it /)]);
  });

  test('a type that is declared wrongly is corrected, and base64 is written as vendors read it', async () => {
    const data = jpeg.toString('base64');
    const right = { mediaType: 'image/jpeg', data };
    const written = [data, jpeg.toString('base64url'), data.replaceAll(/.{76}/g, '$&\n')];
    for (const mediaType of ['image/png', 'image/jpg', 'application/octet-stream', '', 'image/jpeg'])
      for (const one of written)
        expect(await fitEncoded({ mediaType, data: one }, limits)).toEqual({ image: right, note: '' });
    expect((await fitEncoded(right, limits)).image).toBe(right);
  });
});
