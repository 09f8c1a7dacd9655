import type { ImagePart } from '../../contract/message.ts';
import { type FileContent, fail, ok, type ToolContext, type ToolResult } from '../../contract/tool.ts';
import { fitImage, scalingNote, usualImageLimits } from '../../lib/images/fit-image.ts';
import type { Image } from '../../lib/images/image-kind.ts';
import { humanSize } from '../../lib/text/size.ts';

export function imagePart(mediaType: string, bytes: Uint8Array): ImagePart {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  return { type: 'image', mediaType, data };
}

/** The image itself, or a smaller copy if the model does not take it. */
export async function showImage(
  file_path: string,
  { image, file }: { image: Image; file: FileContent },
  { images, imageLimits = usualImageLimits }: ToolContext['accepts'],
): Promise<ToolResult> {
  const { name, mediaType, size } = image;
  if (!size) return fail(`${file_path} looks like a ${name} image, but it is damaged or incomplete.`);
  const { width, height } = size;
  const what = `${file_path} is a ${name} image, ${width}x${height} pixels, ${humanSize(file.bytes.length)}.`;
  const metadata = { mediaType, width, height, sha256: file.sha256 };
  if (!images) return ok(`${what} The current model does not support images.`, { metadata });
  const fitted = await fitImage(file.bytes, imageLimits);
  if (fitted.type === 'refused') return fail(`${what} It cannot be shown: ${fitted.because}.`);
  const note = scalingNote(fitted);
  const shown = { metadata, images: [imagePart(fitted.mediaType, fitted.bytes)] };
  if (note === '') return ok(what, shown);
  return ok(`${what} You see a copy, ${note}.`, { ...shown, display: { kind: 'text', text: note } });
}
