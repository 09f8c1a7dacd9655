import type { ImagePart, Message, TextPart } from '../../contract/message.ts';
import type { Provider } from '../../contract/provider.ts';
import { fitEncoded, type ImageLimits } from '../../lib/images/fit-image.ts';

/**
 * Sends smaller copies of images that this vendor would refuse, and a note in place of damaged ones. New images fit the
 * vendor of the session; those of a conversation that another vendor or an older version began may not.
 */
export function withImageLimits(provider: Provider, limits: ImageLimits): Provider {
  /** Checked once, however often it is sent. */
  const known = new WeakMap<ImagePart, ImagePart | TextPart>();

  async function accepted<Part extends { type: string }>(part: Part | ImagePart) {
    if (!isImage(part)) return part;
    const earlier = known.get(part);
    if (earlier) return earlier;
    const { image, note } = await fitEncoded(part, limits);
    const found = image ?? { type: 'text', text: `[${note}]` };
    known.set(part, found);
    return found;
  }

  async function fitted<M extends Message>(message: M): Promise<M> {
    if (!message.content.some(isImage)) return message;
    const content: M['content'][number][] = [];
    for (const part of message.content) content.push((await accepted(part)) as M['content'][number]);
    return { ...message, content };
  }

  return {
    ...provider,
    async *stream(request, signal) {
      if (!request.messages.some(({ content }) => content.some(isImage))) {
        yield* provider.stream(request, signal);
        return;
      }
      const messages: Message[] = [];
      for (const message of request.messages) messages.push(await fitted(message));
      yield* provider.stream({ ...request, messages }, signal);
    },
  };
}

function isImage(part: { type: string }): part is ImagePart {
  return part.type === 'image';
}
