import { PhotonImage } from '@silvia-odwyer/photon-node';
import { expect, test } from 'vitest';
import type { ImagePart } from '../../contract/message.ts';
import { ok } from '../../contract/tool.ts';
import { imageLimitsOf } from '../../providers/image-limits.ts';
import { presets } from '../../providers/presets.ts';
import { fitPrompt, fitResult } from './fit-images.ts';

function part(width: number, height: number): ImagePart {
  const image = new PhotonImage(new Uint8Array(width * height * 4).fill(90), width, height);
  return { type: 'image', mediaType: 'image/png', data: Buffer.from(image.get_bytes()).toString('base64') };
}

const limits = { maxBytes: 100_000, maxSide: 50 };
const accepts = { images: true, imageLimits: limits };
const small = part(40, 20);
const large = part(200, 100);
const unknown: ImagePart = { type: 'image', mediaType: 'image/heic', data: 'AAAA' };
const huge: ImagePart = { type: 'image', mediaType: 'image/heic', data: 'AAAA'.repeat(50_000) };
const note = /^\[image scaled down from 200x100 \(.*\) to 50x25 \(PNG, .*\)\]$/;

test('what a tool returns, such as that of an MCP server, is scaled down with a note for the model', async () => {
  const result = ok('two pictures', { images: [small, large, unknown, huge] });
  const fitted = await fitResult(result, accepts);
  if (!fitted.success) throw new Error('failed');
  expect(fitted.output.split('\n')).toEqual([
    'two pictures',
    expect.stringMatching(note),
    '[image not attached: it is not a PNG, JPEG, WebP or GIF image]',
    '[image not attached: it is not a PNG, JPEG, WebP or GIF image]',
  ]);
  expect(fitted.images).toEqual([small, expect.objectContaining({ mediaType: 'image/png' })]);
});

test('a result within the limits, without images, or of a failure is the same object', async () => {
  const results = [ok('x', { images: [small] }), ok('x'), { success: false as const, error: 'no' }];
  for (const result of results) expect(await fitResult(result, accepts)).toBe(result);
});

test('a prompt keeps its order, and the user is told', async () => {
  const notices: string[] = [];
  const text = { type: 'text' as const, text: 'look' };
  const content = await fitPrompt([text, large, huge, small], limits, (said) => notices.push(said));
  expect(content.map((one) => (one.type === 'text' ? one.text : one.mediaType))).toEqual([
    'look',
    'image/png',
    '[image not attached: it is not a PNG, JPEG, WebP or GIF image]',
    'image/png',
  ]);
  expect(notices).toEqual([
    expect.stringMatching(/^Image scaled down from 200x100 .*\.$/),
    'Image not attached: it is not a PNG, JPEG, WebP or GIF image.',
  ]);
  const plain = [text];
  expect(await fitPrompt(plain, limits, () => undefined)).toBe(plain);
});

test('every vendor has limits', () => {
  for (const preset of presets) {
    const { maxBytes, maxSide } = imageLimitsOf(preset);
    expect(maxBytes).toBeGreaterThanOrEqual(1_000_000);
    expect(maxSide).toBeGreaterThanOrEqual(1_500);
  }
  expect(imageLimitsOf({ name: 'mine', protocol: 'anthropic' })).toEqual(
    imageLimitsOf({ name: 'anthropic', protocol: 'anthropic' }),
  );
});
