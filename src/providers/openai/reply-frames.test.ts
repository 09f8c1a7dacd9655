import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loopback } from '../../../test/support/loopback.ts';
import { httpClient } from '../../lib/network/http-client.ts';
import { replyFrames } from './reply-frames.ts';

async function framesIn(body: string, type = 'application/json'): Promise<unknown[]> {
  const server = await loopback(
    (response) => void response.writeHead(200, { 'content-type': type }).end(body),
  );
  return read(await httpClient({ url: server.url }));
}

async function read(response: Parameters<typeof replyFrames>[0]): Promise<unknown[]> {
  const frames: unknown[] = [];
  for await (const data of replyFrames(response))
    frames.push(data.startsWith('[DONE]') ? '[DONE]' : JSON.parse(data));
  return frames;
}

/** A body cut at any position: also within a character. */
async function* cut(body: string, places: readonly number[]): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(body);
  const at = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  for (const [i, end] of at.slice(1).entries()) yield bytes.slice(at[i], end);
}

const frame = (text: string) => ({ choices: [{ delta: { content: text } }] });
const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;

test('an event stream is read as one, even if its content type is JSON', async () => {
  const body = `${event(frame('a'))}${event(frame('b'))}data: [DONE]\n\n`;
  for (const type of ['text/event-stream', 'application/json; charset=utf-8', 'application/x-ndjson'])
    expect(await framesIn(body, type)).toEqual([frame('a'), frame('b'), '[DONE]']);
});

test('JSON values are read from one line or several, whatever the chunks', async () => {
  const headers = { 'content-type': 'application/json' };
  const frames = fc.array(fc.tuple(fc.string({ unit: 'grapheme' }).map(frame), fc.constantFrom(0, 2)));
  await fc.assert(
    fc.asyncProperty(
      frames,
      fc.constantFrom('\n', '\r\n', '\n\n'),
      fc.array(fc.nat(), { maxLength: 6 }),
      async (values, end, places) => {
        const text = values.map(([value, indent]) => JSON.stringify(value, null, indent)).join(end);
        const body = cut(text, places);
        const response = { status: 200, headers, body, text: async () => text };
        expect(await read(response)).toEqual(values.map(([value]) => value));
      },
    ),
    { numRuns: 200 },
  );
});

test('anything else has no frames', async () => {
  for (const body of ['{"message": "who are you?"}', '{"choices": [', 'plain words', ''])
    expect(await framesIn(body)).toEqual([]);
});
