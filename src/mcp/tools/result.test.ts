import { expect, test } from 'vitest';
import { resourceText, resultOf } from './result.ts';

const image = { type: 'image' as const, mimeType: 'image/png', data: 'aGk=' };

test('every kind of content reaches the model as text, images as images if supported', () => {
  const content = [
    { type: 'text' as const, text: 'hello' },
    image,
    { type: 'audio' as const, mimeType: 'audio/wav', data: '' },
    { type: 'resource_link' as const, uri: 'a://b', name: 'b', description: 'what it is' },
    { type: 'resource' as const, resource: { uri: 'a://c', text: 'inside' } },
    { type: 'resource' as const, resource: { uri: 'a://d', blob: 'AAAA' } },
  ];
  const text = [
    'hello',
    '[audio omitted: audio/wav]',
    '[resource a://b] b what it is',
    '[resource a://c]\ninside',
    '[resource a://d] [4 characters of base64 omitted, unknown type]',
  ];
  expect(resultOf({ content }, { images: true })).toEqual({
    success: true,
    output: text.join('\n'),
    display: { kind: 'text', text: text.join('\n') },
    images: [{ type: 'image', mediaType: 'image/png', data: 'aGk=' }],
  });
  expect(resultOf({ content: [image] }, { images: false })).toMatchObject({
    output: '[image omitted: image/png]',
  });
});

test('an error is a failure, structured content without text becomes JSON, and an empty result says so', () => {
  expect(
    resultOf({ content: [{ type: 'text', text: 'no' }], isError: true }, { images: true }),
  ).toMatchObject({
    success: false,
    error: 'no',
  });
  expect(resultOf({ content: [], structuredContent: { a: 1 } }, { images: true })).toMatchObject({
    output: '{\n  "a": 1\n}',
  });
  expect(resultOf({ content: [] }, { images: true })).toMatchObject({ output: '(no output)' });
  expect(resourceText({ contents: [] })).toBe('(empty)');
});
