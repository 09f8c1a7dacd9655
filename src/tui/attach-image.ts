import path from 'node:path';
import type { ImagePart } from '../contract/message.ts';
import { imageOf, imagePart, MAX_IMAGE_BYTES } from '../tools/read-image.ts';

export type Attached =
  | { type: 'image'; name: string; image: ImagePart }
  | { type: 'refused'; because: string };

export type AttachDeps = {
  cwd: string;
  home: string;
  /** Whether the model in use can see. */
  acceptsImages(): boolean;
  /** The user's own file, wherever it is: the user dropped it here. */
  readFile(file: string): Promise<Uint8Array>;
};

/** A dropped or pasted file as an attachment; if not, why. */
export async function attachImage(file: string, deps: AttachDeps): Promise<Attached> {
  // It stands in brackets.
  const name = path.basename(file).replaceAll(/[[\]\n\r]/g, '_');
  if (!deps.acceptsImages())
    return { type: 'refused', because: `${name} stays a path: this model sees no images.` };
  const whole = file.startsWith('~/') ? path.join(deps.home, file.slice(2)) : path.resolve(deps.cwd, file);
  const bytes = await deps.readFile(whole).catch(() => null);
  if (!bytes) return { type: 'refused', because: `${name} stays a path: there is no such file to read.` };
  const image = imageOf(bytes);
  if (!image?.size) return { type: 'refused', because: `${name} stays a path: it is no whole image.` };
  if (bytes.length > MAX_IMAGE_BYTES)
    return { type: 'refused', because: `${name} stays a path: it is larger than models take.` };
  return { type: 'image', name, image: imagePart(image.mediaType, bytes) };
}
