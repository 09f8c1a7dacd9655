import fc from 'fast-check';
import { expect, test } from 'vitest';
import { serverEvents } from './server-events.ts';

async function read(body: AsyncIterable<Uint8Array>) {
  const seen: { event?: string | undefined; data: string }[] = [];
  for await (const { event, data } of serverEvents(body)) seen.push({ event, data });
  return seen;
}

async function* answer(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
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
      fc.constantFrom('\n', '\r\n', '\r'),
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

test('line ends of all three kinds may alternate, also with CR and LF in different chunks', async () => {
  const end = fc.constantFrom('\n', '\r\n', '\r');
  const lines = fc.array(fc.tuple(fc.constantFrom('data: a', 'data: b', ': comment', ''), end));
  await fc.assert(
    fc.asyncProperty(lines, fc.array(fc.nat()), async (parts, places) => {
      // A line that ends with CR before an empty line that ends with LF would read as one CRLF.
      const text = parts
        .map(([line, ending], i) => {
          const next = parts[i + 1];
          return line + (ending === '\r' && next?.[0] === '' && next[1] === '\n' ? '\r\n' : ending);
        })
        .join('');
      const plain = parts.map(([line]) => `${line}\n`).join('');
      const bytes = (of: string) => new TextEncoder().encode(of);
      expect(await read(answer(cut(bytes(text), places)))).toEqual(await read(answer([bytes(plain)])));
    }),
  );
});

test('an event that ends with CR is given out at once, before the next chunk', async () => {
  let asked = 0;
  async function* source(): AsyncGenerator<Uint8Array> {
    for (const text of ['data: 1\r\r', 'data: 2\r\r']) {
      asked++;
      yield new TextEncoder().encode(text);
    }
  }
  const seen: [string, number][] = [];
  for await (const { data } of serverEvents(source())) seen.push([data, asked]);
  expect(seen).toEqual([
    ['1', 1],
    ['2', 2],
  ]);
});

test('lines of data belong together, and an event without its end is none', async () => {
  const text = 'data: one\ndata:two\n\nid: 7\nretry: 5\nstrange: field\n\ndata: cut off\n';
  expect(await read(answer([new TextEncoder().encode(text)]))).toEqual([
    { event: undefined, data: 'one\ntwo' },
  ]);
});

test('an answer without a body has no events', async () => {
  expect(await read(answer([]))).toEqual([]);
});
