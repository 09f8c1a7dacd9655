import { PhotonImage, resize, SamplingFilter } from '@silvia-odwyer/photon-node';
import { type Bitmap, opaque } from './bitmap.ts';
import type { ImageLimits } from './fit-image.ts';
import { imageOf } from './image-kind.ts';
import { orientationOf, upright } from './orientation.ts';

type Encoded = { name: string; mediaType: string; bytes: Uint8Array; width: number; height: number };

const JPEG_QUALITY = 85;
/** How much smaller the next attempt is, if one has too many bytes. */
const STEP = 0.75;

/**
 * A smaller copy that is within the limits: upright, with its aspect ratio, and of an animation the first frame.
 * Photos become JPEG; everything else stays lossless, as PNG, unless only JPEG is small enough.
 */
export function scaleDown(bytes: Uint8Array, limits: ImageLimits): Encoded {
  const isPhoto = imageOf(bytes)?.name === 'JPEG';
  const decoded = PhotonImage.new_from_byteslice(bytes);
  try {
    const [width, height] = [decoded.get_width(), decoded.get_height()];
    let side = Math.min(limits.maxSide, Math.max(width, height));
    for (;;) {
      const share = side / Math.max(width, height);
      const bitmap = upright(
        resized(decoded, { width: scaled(width, share), height: scaled(height, share) }),
        orientationOf(bytes),
      );
      for (const encode of isPhoto ? [asJpeg] : [asPng, asJpeg]) {
        const copy = encode(bitmap);
        if (copy.bytes.length <= limits.maxBytes || side === 1) return copy;
      }
      side = Math.max(1, Math.floor(side * STEP));
    }
  } finally {
    decoded.free();
  }
}

function scaled(length: number, share: number): number {
  return Math.max(1, Math.round(length * share));
}

function resized(image: PhotonImage, { width, height }: { width: number; height: number }): Bitmap {
  if (image.get_width() === width && image.get_height() === height)
    return { width, height, rgba: image.get_raw_pixels() };
  const small = resize(image, width, height, SamplingFilter.CatmullRom);
  try {
    return { width, height, rgba: small.get_raw_pixels() };
  } finally {
    small.free();
  }
}

function asPng(bitmap: Bitmap): Encoded {
  return encoded(bitmap, { name: 'PNG', mediaType: 'image/png', encode: (image) => image.get_bytes() });
}

function asJpeg(bitmap: Bitmap): Encoded {
  const encode = (image: PhotonImage) => image.get_bytes_jpeg(JPEG_QUALITY);
  return encoded(opaque(bitmap), { name: 'JPEG', mediaType: 'image/jpeg', encode });
}

type Format = { name: string; mediaType: string; encode(image: PhotonImage): Uint8Array };

function encoded({ width, height, rgba }: Bitmap, { name, mediaType, encode }: Format): Encoded {
  const image = new PhotonImage(rgba, width, height);
  try {
    return { name, mediaType, bytes: encode(image), width, height };
  } finally {
    image.free();
  }
}
