import { PhotonImage } from '@silvia-odwyer/photon-node';
import { expect, test } from 'vitest';
import type { ImagePart, Message } from '../../contract/message.ts';
import type { CompletionRequest, Provider } from '../../contract/provider.ts';
import { imageOf } from '../../lib/images/image-kind.ts';
import { withImageLimits } from './image-limits.ts';

function picture(width: number, height: number): ImagePart {
  const image = new PhotonImage(new Uint8Array(width * height * 4).fill(90), width, height);
  return { type: 'image', mediaType: 'image/png', data: Buffer.from(image.get_bytes()).toString('base64') };
}

test('images of another vendor are scaled once to what this one takes; everything else stays', async () => {
  const sent: CompletionRequest[] = [];
  const vendor: Provider = {
    name: 'v',
    async *stream(request) {
      sent.push(request);
      yield { type: 'stop', reason: 'end' };
    },
    countTokens: async () => 0,
  };
  const provider = withImageLimits(vendor, { maxBytes: 1e6, maxSide: 50 });
  const [small, large] = [picture(20, 20), picture(100, 60)];
  const broken: ImagePart = { type: 'image', mediaType: 'image/png', data: 'AAAA' };
  const timestamp = '';
  const text = { type: 'text' as const, text: 'hi' };
  const messages: Message[] = [
    { role: 'user', content: [text, small, large, broken], timestamp },
    { role: 'tool', callId: 'c', name: 'Read', success: true, content: [large], timestamp },
  ];
  const send = async (request: CompletionRequest) => {
    for await (const _ of provider.stream(request, new AbortController().signal));
  };
  const request = { model: 'm', system: '', messages };
  await send(request);
  await send(request);
  await send({ ...request, messages: [{ role: 'user', content: [text], timestamp }] });

  const [first, second, third] = sent;
  const images = first?.messages.flatMap(({ content }) => content.filter((part) => part.type === 'image'));
  expect(images?.map(({ data }) => imageOf(Buffer.from(data, 'base64'))?.size)).toEqual([
    { width: 20, height: 20 },
    { width: 50, height: 30 },
    { width: 50, height: 30 },
  ]);
  expect(first?.messages[0]?.content.at(-1)).toEqual({
    type: 'text',
    text: '[image not attached: it is not a PNG, JPEG, WebP or GIF image]',
  });
  expect(second?.messages[1]?.content[0]).toBe(first?.messages[1]?.content[0]);
  expect(third?.messages).toEqual([{ role: 'user', content: [text], timestamp }]);
});
