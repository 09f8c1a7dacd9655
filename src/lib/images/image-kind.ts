/**
 * `size` is null if the file is damaged or truncated: a vendor would refuse the whole request because of it.
 */
export type Image = { name: string; mediaType: string; size: { width: number; height: number } | null };

/** The image type, detected from the bytes alone; null if it is not an image. */
export function imageOf(bytes: Uint8Array): Image | null {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const kind = kinds.find(({ begins }) => begins(view));
  if (!kind) return null;
  const size = kind.sizeOf(view);
  const sound = size !== null && size.width > 0 && size.height > 0;
  return { name: kind.name, mediaType: kind.mediaType, size: sound ? size : null };
}

type Kind = {
  name: string;
  mediaType: string;
  begins(view: Buffer): boolean;
  /** Null if the header is truncated or the end is missing. */
  sizeOf(view: Buffer): Image['size'];
};

const kinds: readonly Kind[] = [
  {
    name: 'PNG',
    mediaType: 'image/png',
    begins: (view) => view.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')),
    sizeOf: (view) =>
      view.length >= 45 && view.includes('IEND', -64, 'latin1')
        ? { width: view.readUInt32BE(16), height: view.readUInt32BE(20) }
        : null,
  },
  {
    name: 'JPEG',
    mediaType: 'image/jpeg',
    begins: (view) => view.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff])),
    sizeOf: (view) => (view.lastIndexOf(Buffer.from([0xff, 0xd9])) > 0 ? jpegSize(view) : null),
  },
  {
    name: 'GIF',
    mediaType: 'image/gif',
    begins: (view) => /^GIF8[79]a$/.test(view.toString('latin1', 0, 6)),
    sizeOf: (view) =>
      view.length > 13 && view.lastIndexOf(0x3b) > 13
        ? { width: view.readUInt16LE(6), height: view.readUInt16LE(8) }
        : null,
  },
  {
    name: 'WebP',
    mediaType: 'image/webp',
    begins: (view) => view.toString('latin1', 0, 4) === 'RIFF' && view.toString('latin1', 8, 12) === 'WEBP',
    sizeOf: (view) =>
      view.length >= 30 && view.readUInt32LE(4) + 8 <= view.length + 1 ? webpSize(view) : null,
  },
];

/** Scans the segments for the frame header. */
function jpegSize(view: Buffer): Image['size'] {
  let at = 2;
  while (at + 9 <= view.length && view[at] === 0xff) {
    const marker = view[at + 1] ?? 0;
    // Fill bytes, and markers without a length.
    if (marker === 0xff) at += 1;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { height: view.readUInt16BE(at + 5), width: view.readUInt16BE(at + 7) };
    } else at += 2 + view.readUInt16BE(at + 2);
  }
  return null;
}

function webpSize(view: Buffer): Image['size'] {
  switch (view.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: view.readUInt16LE(26) & 0x3fff, height: view.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = view.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: view.readUIntLE(24, 3) + 1, height: view.readUIntLE(27, 3) + 1 };
    default:
      return null;
  }
}
