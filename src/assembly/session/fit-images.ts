import type { ImagePart, UserMessage } from '../../contract/message.ts';
import type { ToolContext, ToolResult } from '../../contract/tool.ts';
import { fitImage, type ImageLimits, scalingNote, usualImageLimits } from '../../lib/images/fit-image.ts';

/** An image within the limits, and what was done to it; `image` is null if it cannot be sent. */
type Fitted = { image: ImagePart | null; note: string };

/** The images of a tool's result as the model takes them. */
export async function fitResult(
  result: ToolResult,
  { imageLimits = usualImageLimits }: ToolContext['accepts'],
): Promise<ToolResult> {
  if (!result.success || !result.images?.length) return result;
  const fitted = await Promise.all(result.images.map((image) => fit(image, imageLimits)));
  const notes = fitted.flatMap(({ note }) => (note === '' ? [] : [`[${note}]`]));
  if (notes.length === 0) return result;
  const images = fitted.flatMap(({ image }) => image ?? []);
  return { ...result, output: [result.output, ...notes].join('\n'), images };
}

/** The images of a prompt as the model takes them; the user is told about changes. */
export async function fitPrompt(
  content: UserMessage['content'],
  limits: ImageLimits,
  notice: (text: string) => void,
): Promise<UserMessage['content']> {
  if (content.every(({ type }) => type !== 'image')) return content;
  const fitted: UserMessage['content'] = [];
  for (const part of content) {
    if (part.type !== 'image') fitted.push(part);
    else {
      const { image, note } = await fit(part, limits);
      if (note !== '') notice(`${note.charAt(0).toUpperCase()}${note.slice(1)}.`);
      fitted.push(image ?? { type: 'text', text: `[${note}]` });
    }
  }
  return fitted;
}

async function fit(part: ImagePart, limits: ImageLimits): Promise<Fitted> {
  const bytes = Buffer.from(part.data, 'base64');
  const fitted = await fitImage(bytes, limits);
  if (fitted.type === 'image') {
    if (!fitted.from) return { image: part, note: '' };
    const data = Buffer.from(fitted.bytes).toString('base64');
    return {
      image: { type: 'image', mediaType: fitted.mediaType, data },
      note: `image ${scalingNote(fitted)}`,
    };
  }
  // Some vendors take further formats; they report what they do not take.
  if (bytes.length <= limits.maxBytes) return { image: part, note: '' };
  return { image: null, note: `image not attached: ${fitted.because}` };
}
