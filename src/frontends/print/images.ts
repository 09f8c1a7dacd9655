import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Choice } from '../../assembly/models/choose-model.ts';
import { UserError } from '../../contract/errors.ts';
import type { ImagePart } from '../../contract/message.ts';
import { imageOf } from '../../lib/images/image-kind.ts';
import { imagePart } from '../../tools/reading/image.ts';

/** The images that `--image` names. They are scaled down, if necessary, when they are sent. */
export function readImages(files: readonly string[], cwd: string): Promise<ImagePart[]> {
  return Promise.all(files.map((file) => readImage(file, path.resolve(cwd, file))));
}

async function readImage(named: string, file: string): Promise<ImagePart> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    const why =
      error.code === 'ENOENT' ? 'does not exist' : `cannot be read (${error.code ?? error.message})`;
    throw new UserError(`The image ${named} ${why}.`, 'Check the path after --image.');
  });
  const image = imageOf(bytes);
  if (!image?.size)
    throw new UserError(
      image
        ? `${named} looks like a ${image.name} image, but it is damaged or incomplete.`
        : `${named} is not an image that models take.`,
      'Use a PNG, JPEG, WebP or GIF file.',
    );
  return imagePart(image.mediaType, bytes);
}

/** Nothing is sent to a model that would not see the images. */
export function assertSeesImages({ preset, model, info }: Choice): void {
  if (info.abilities.images) return;
  throw new UserError(
    `${preset.name}/${model} does not support images.`,
    'Choose another model with --model, or leave --image out.',
  );
}
