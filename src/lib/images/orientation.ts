import type { Bitmap } from './bitmap.ts';

/** How a camera was held, as EXIF numbers it: 1 is upright, 5 to 8 are turned by a quarter. */
type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

const ORIENTATION_TAG = 0x0112;

/** The orientation in the EXIF data of a JPEG, PNG or WebP file; 1 if there is none. */
export function orientationOf(bytes: Uint8Array): Orientation {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const exif = exifIn(view);
  const found = exif === null ? 1 : orientationIn(exif);
  return found >= 1 && found <= 8 ? (found as Orientation) : 1;
}

/** The TIFF structure that holds the EXIF data. */
function exifIn(view: Buffer): Buffer | null {
  if (view.readUInt16BE(0) === 0xffd8) return exifInJpeg(view);
  // A PNG chunk is followed by its data, a WebP chunk by its length.
  for (const [name, before] of [
    ['eXIf', 4],
    ['EXIF', 8],
  ] as const) {
    const at = view.indexOf(name, 0, 'latin1');
    if (at > 0) return withoutHeader(view.subarray(at + before));
  }
  return null;
}

function exifInJpeg(view: Buffer): Buffer | null {
  let at = 2;
  while (at + 4 <= view.length && view[at] === 0xff) {
    const marker = view[at + 1] ?? 0;
    const length = view.readUInt16BE(at + 2);
    // After the start of the scan there is only image data.
    if (marker === 0xda) return null;
    const data = view.subarray(at + 4, at + 2 + length);
    if (marker === 0xe1 && data.toString('latin1', 0, 4) === 'Exif') return withoutHeader(data);
    at += 2 + length;
  }
  return null;
}

function withoutHeader(data: Buffer): Buffer {
  return data.toString('latin1', 0, 4) === 'Exif' ? data.subarray(6) : data;
}

function orientationIn(tiff: Buffer): number {
  if (tiff.length < 14) return 1;
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const u16 = (at: number) =>
    at + 2 > tiff.length ? 0 : isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at);
  const start = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  const count = u16(start);
  for (let i = 0; i < count && start + 2 + i * 12 + 12 <= tiff.length; i++) {
    const entry = start + 2 + i * 12;
    if (u16(entry) === ORIENTATION_TAG) return u16(entry + 8);
  }
  return 1;
}

/** The image as it is meant to be seen. */
export function upright({ width, height, rgba }: Bitmap, orientation: Orientation): Bitmap {
  if (orientation === 1) return { width, height, rgba };
  const turned = orientation >= 5;
  const [wide, high] = turned ? [height, width] : [width, height];
  const from = new Uint32Array(rgba.buffer, rgba.byteOffset, width * height);
  const to = new Uint32Array(width * height);
  for (let y = 0; y < high; y++) {
    for (let x = 0; x < wide; x++) {
      const [left, top] = turned ? [y, x] : [x, y];
      const sourceX = [2, 3, 7, 8].includes(orientation) ? width - 1 - left : left;
      const sourceY = [3, 4, 6, 7].includes(orientation) ? height - 1 - top : top;
      to[y * wide + x] = from[sourceY * width + sourceX] ?? 0;
    }
  }
  return { width: wide, height: high, rgba: new Uint8Array(to.buffer) };
}
