import type { UserMessage } from '../../contract/message.ts';
import type { ToolContext, ToolResult } from '../../contract/tool.ts';
import { fitEncoded, type ImageLimits, usualImageLimits } from '../../lib/images/fit-image.ts';

/** The images of a tool's result as the model takes them. */
export async function fitResult(
  result: ToolResult,
  { imageLimits = usualImageLimits }: ToolContext['accepts'],
): Promise<ToolResult> {
  if (!result.success || !result.images?.length) return result;
  const fitted = await Promise.all(result.images.map((image) => fitEncoded(image, imageLimits)));
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
      const { image, note } = await fitEncoded(part, limits);
      if (note !== '') notice(`${note.charAt(0).toUpperCase()}${note.slice(1)}.`);
      fitted.push(image ?? { type: 'text', text: `[${note}]` });
    }
  }
  return fitted;
}
