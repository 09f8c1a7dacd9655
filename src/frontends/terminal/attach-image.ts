import path from 'node:path';
import type { ImagePart } from '../../contract/message.ts';
import { MAX_PIXELS } from '../../lib/images/fit-image.ts';
import { imageOf } from '../../lib/images/image-kind.ts';
import { imagePart } from '../../tools/reading/image.ts';

type Attached = { type: 'image'; name: string; image: ImagePart } | { type: 'refused'; because: string };

export type AttachDeps = {
  cwd: string;
  home: string;
  /** Whether the current model supports images. */
  acceptsImages(): boolean;
  /** Reads any file: the user dropped it here. */
  readFile(file: string): Promise<Uint8Array>;
  /** The image in the system clipboard. */
  copied(): Promise<
    | { type: 'image'; bytes: Uint8Array }
    | { type: 'unreachable'; programs: readonly string[] }
    | { type: 'none' }
  >;
};

/** A dropped or pasted file as an attachment, or the reason why not. */
export async function attachImage(file: string, deps: AttachDeps): Promise<Attached> {
  // It is shown in brackets.
  const name = path.basename(file).replaceAll(/[[\]\n\r]/g, '_');
  if (!deps.acceptsImages())
    return { type: 'refused', because: `${name} was not attached: this model does not support images.` };
  const whole = file.startsWith('~/') ? path.join(deps.home, file.slice(2)) : path.resolve(deps.cwd, file);
  const bytes = await deps.readFile(whole).catch(() => null);
  if (!bytes) return { type: 'refused', because: `${name} was not attached: the file cannot be read.` };
  const read = readImage(bytes);
  if (typeof read === 'string') return { type: 'refused', because: `${name} was not attached: ${read}.` };
  return { type: 'image', name, image: read };
}

/** The image in the clipboard as an attachment, or the reason why not. */
export async function attachCopied({ acceptsImages, copied }: AttachDeps): Promise<Attached> {
  if (!acceptsImages()) return { type: 'refused', because: 'This model does not support images.' };
  const answer = await copied();
  // Some clipboards return copied text as any requested type.
  if (answer.type === 'none' || (answer.type === 'image' && !imageOf(answer.bytes)))
    return { type: 'refused', because: 'No image in the clipboard.' };
  if (answer.type === 'unreachable') {
    const programs = answer.programs.join(' or ');
    return { type: 'refused', because: `To paste images, install ${programs}, or drop a file here.` };
  }
  const read = readImage(answer.bytes);
  if (typeof read === 'string')
    return { type: 'refused', because: `The image in the clipboard was not attached: ${read}.` };
  return { type: 'image', name: 'from the clipboard', image: read };
}

/** The image, or what is wrong with it. One that is too large for the model is scaled down when it is sent. */
function readImage(bytes: Uint8Array): ImagePart | string {
  const image = imageOf(bytes);
  if (!image?.size) return 'it is not a complete image';
  if (image.size.width * image.size.height > MAX_PIXELS) return 'it has too many pixels';
  return imagePart(image.mediaType, bytes);
}
