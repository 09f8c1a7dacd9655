import { promisify } from 'node:util';
import { deflate } from 'node:zlib';

const compress = promisify(deflate);

export type Bitmap = { width: number; height: number; rgba: Uint8Array };

/** An opaque image as a PNG file; alpha is ignored. */
export async function encodePng({ width, height, rgba }: Bitmap): Promise<Uint8Array> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits per channel, RGB; the other fields have only one valid value.
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', await compress(rowsOf({ width, height, rgba }))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/**
 * Each row as the difference from the one above (filter 2): pages are mostly white, which yields mostly
 * zeros.
 */
function rowsOf({ width, height, rgba }: Bitmap): Uint8Array {
  const stride = 1 + width * 3;
  const rows = new Uint8Array(stride * height);
  for (let y = 0; y < height; y++) {
    let to = y * stride;
    rows[to++] = 2;
    for (let x = 0; x < width; x++) {
      const from = (y * width + x) * 4;
      for (let channel = 0; channel < 3; channel++) {
        const above = y === 0 ? 0 : (rgba[from + channel - width * 4] ?? 0);
        rows[to++] = (rgba[from + channel] ?? 0) - above;
      }
    }
  }
  return rows;
}

/** Half the width and height; four pixels become their mean. */
export function halved({ width, height, rgba }: Bitmap): Bitmap {
  const half = { width: Math.max(1, width >> 1), height: Math.max(1, height >> 1) };
  const small = new Uint8Array(half.width * half.height * 4);
  const at = (x: number, y: number, channel: number) =>
    rgba[(Math.min(y, height - 1) * width + Math.min(x, width - 1)) * 4 + channel] ?? 0;
  for (let i = 0; i < small.length; i++) {
    const channel = i & 3;
    const x = ((i >> 2) % half.width) * 2;
    const y = Math.floor((i >> 2) / half.width) * 2;
    const sum = at(x, y, channel) + at(x + 1, y, channel) + at(x, y + 1, channel) + at(x + 1, y + 1, channel);
    small[i] = sum >> 2;
  }
  return { ...half, rgba: small };
}

function chunk(name: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(body, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value >>> 0;
});

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crcTable[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}
