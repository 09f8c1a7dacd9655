import type { ImageLimits } from '../lib/images/fit-image.ts';
import { usualImageLimits } from '../lib/images/fit-image.ts';
import type { Preset } from './presets.ts';

/**
 * The images that vendors take: by the name of the vendor, or else by its protocol. Bytes are those of the file;
 * base64, which the vendors count, is a third longer.
 */
const LIMITS: Readonly<Record<string, ImageLimits>> = {
  /** 5 MB of base64 and 8,000 pixels, but 2,000 in a request with more than 20 images. */
  anthropic: usualImageLimits,
  /** 20 MB; larger sides are scaled down there. */
  'openai-responses': { maxBytes: 15_000_000, maxSide: 6_000 },
  openai: { maxBytes: 15_000_000, maxSide: 6_000 },
  'openai-chat': usualImageLimits,
  /** A whole request may have 20 MB. */
  google: { maxBytes: 7_000_000, maxSide: 6_000 },
  /** 4 MB of base64. */
  groq: { maxBytes: 3_000_000, maxSide: 5_000 },
  /** 10 MB. */
  mistral: { maxBytes: 7_500_000, maxSide: 6_000 },
  /** 20 MB. */
  xai: { maxBytes: 15_000_000, maxSide: 6_000 },
  /** Decoded on the user's machine, and scaled to less than this by every model. */
  ollama: { maxBytes: 15_000_000, maxSide: 2_000 },
};

export function imageLimitsOf({ name, protocol }: Pick<Preset, 'name' | 'protocol'>): ImageLimits {
  const own = Object.hasOwn(LIMITS, name) ? LIMITS[name] : undefined;
  return own ?? LIMITS[protocol] ?? usualImageLimits;
}
