import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteStream } from '../lib/byte-stream.ts';
import { streamedResponse } from '../lib/streamed-response.ts';
import { serverEvents } from './server-events.ts';

async function read({ body }: Response) {
  const seen: { event?: string | undefined; data: string }[] = [];
  for await (const { event, data } of serverEvents(body)) seen.push({ event, data });
  return seen;
}

function answer(chunks: readonly Uint8Array<ArrayBuffer>[]): Response {
  async function* source(): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
    yield* chunks;
  }
  return streamedResponse(new ByteStream(source()), { status: 200, statusText: 'OK', headers: {} });
}

/** The bytes, cut at any places: also within a character, a line's end or a field's name. */
function cut(bytes: Uint8Array<ArrayBuffer>, places: readonly number[]): Uint8Array<ArrayBuffer>[] {
  const at = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, i) => bytes.slice(at[i], end));
}

test('events are the same whatever the chunks and the ends of lines', async () => {
  const line = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\r\n\0]/g, ''));
  const event = fc.record({
    event: fc.option(
      line.filter((name) => name.trim() !== ''),
      { nil: undefined },
    ),
    data: line,
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(event),
      fc.constantFrom('\n', '\r\n'),
      fc.array(fc.nat()),
      async (events, end, places) => {
        const text = events
          .map(({ event: name, data }) =>
            [...(name === undefined ? [] : [`event: ${name}`]), `data: ${data}`, '', ''].join(end),
          )
          .join(`: a comment${end}`);
        expect(await read(answer(cut(new TextEncoder().encode(text), places)))).toEqual(events);
      },
    ),
  );
});

test('lines of data belong together, and an event without its end is none', async () => {
  const text = 'data: one\ndata:two\n\nid: 7\nretry: 5\nstrange: field\n\ndata: cut off\n';
  expect(await read(answer([new TextEncoder().encode(text)]))).toEqual([
    { event: undefined, data: 'one\ntwo' },
  ]);
});

test('an answer without a body has no events', async () => {
  expect(await read(new Response(null))).toEqual([]);
});
