import { humanSize } from '../text/size.ts';
import { type Image, imageOf } from './image-kind.ts';

/** What a receiver takes: bytes of one image, and pixels per side. */
export type ImageLimits = { maxBytes: number; maxSide: number };

/** What the strictest vendor takes, also in a request with many images. */
export const usualImageLimits: ImageLimits = { maxBytes: 3_750_000, maxSide: 2_000 };

type Size = { width: number; height: number };

/** `from` is the original, if the image was scaled down. */
export type FittedImage = Size & {
  type: 'image';
  name: string;
  mediaType: string;
  bytes: Uint8Array;
  from?: Size & { bytes: number };
};

export type NoImage = { type: 'refused'; because: string };

/** More pixels than any screen or camera in common use has; decoding takes about 12 bytes for each. */
export const MAX_PIXELS = 64_000_000;

/** An image that a receiver takes: the file itself if it is within the limits, or else a smaller copy. */
export async function fitImage(bytes: Uint8Array, limits: ImageLimits): Promise<FittedImage | NoImage> {
  const image = imageOf(bytes);
  if (!image) return { type: 'refused', because: 'it is not a PNG, JPEG, WebP or GIF image' };
  const { name, mediaType, size } = image;
  if (!size)
    return { type: 'refused', because: `it looks like a ${name} image, but is damaged or incomplete` };
  if (isWithin(bytes, size, limits)) return { type: 'image', name, mediaType, bytes, ...size };
  if (size.width * size.height > MAX_PIXELS)
    return {
      type: 'refused',
      because: `it has ${size.width}x${size.height} pixels, too many to scale it down; ${MAX_PIXELS / 1e6} million is the limit`,
    };
  return scaledCopy(bytes, { ...image, size }, limits);
}

function isWithin(bytes: Uint8Array, { width, height }: Size, { maxBytes, maxSide }: ImageLimits): boolean {
  return bytes.length <= maxBytes && width <= maxSide && height <= maxSide;
}

async function scaledCopy(
  bytes: Uint8Array,
  { name, size }: Image & { size: Size },
  limits: ImageLimits,
): Promise<FittedImage | NoImage> {
  const from = { ...size, bytes: bytes.length };
  // Separate, because the library is large and few sessions need it. A package may leave it out.
  const codec = await import('./codec.ts').catch((error: unknown) => String(error));
  if (typeof codec === 'string')
    return {
      type: 'refused',
      because: `it is too large, and the library that scales images is missing (${codec})`,
    };
  try {
    const scaled = codec.scaleDown(bytes, limits);
    return { type: 'image', ...scaled, from };
  } catch (error) {
    // The library is WebAssembly and traps on data that it cannot read.
    if (!(error instanceof WebAssembly.RuntimeError)) throw error;
    return { type: 'refused', because: `it looks like a ${name} image, but cannot be decoded` };
  }
}

/** What was done to an image, for people and for the model; empty if nothing was. */
export function scalingNote({ width, height, bytes, from, mediaType }: FittedImage): string {
  if (!from) return '';
  const kind = mediaType === 'image/png' ? 'PNG' : 'JPEG';
  return `scaled down from ${from.width}x${from.height} (${humanSize(from.bytes)}) to ${width}x${height} (${kind}, ${humanSize(bytes.length)})`;
}

/** `data` is base64. */
type EncodedImage = { mediaType: string; data: string };

/**
 * An encoded image within the limits, and what was done to it; `image` is null if it cannot be sent. A vendor refuses the
 * whole request because of one image that is damaged, or of another type than declared, and so each later request of the
 * conversation: such an image is never sent.
 */
export async function fitEncoded<Part extends EncodedImage>(
  part: Part,
  limits: ImageLimits,
): Promise<{ image: Part | null; note: string }> {
  const bytes = Buffer.from(part.data, 'base64');
  const fitted = await fitImage(bytes, limits);
  if (fitted.type === 'refused') return { image: null, note: `image not attached: ${fitted.because}` };
  const data = Buffer.from(fitted.bytes).toString('base64');
  const { mediaType } = fitted;
  const isSame = data === part.data && mediaType === part.mediaType;
  const note = fitted.from ? `image ${scalingNote(fitted)}` : '';
  return { image: isSame ? part : { ...part, mediaType, data }, note };
}
