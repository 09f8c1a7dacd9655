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

/** The bytes, cut at any position: also within a character, a line ending or a field name. */
function cut(bytes: Uint8Array<ArrayBuffer>, places: readonly number[]): Uint8Array<ArrayBuffer>[] {
  const at = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, i) => bytes.slice(at[i], end));
}

test('events are the same whatever the chunks and line endings', async () => {
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

test('the three kinds of line endings may be mixed, also with CR and LF in different chunks', async () => {
  const end = fc.constantFrom('\n', '\r\n', '\r');
  const lines = fc.array(fc.tuple(fc.constantFrom('data: a', 'data: b', ': comment', ''), end));
  await fc.assert(
    fc.asyncProperty(lines, fc.array(fc.nat()), async (parts, places) => {
      // A line ending with CR before an empty line ending with LF would read as one CRLF.
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

test('an event that ends with CR is emitted at once, before the next chunk', async () => {
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

test('several data lines form one event, and an unterminated event is dropped', async () => {
  const text = 'data: one\ndata:two\n\nid: 7\nretry: 5\nstrange: field\n\ndata: cut off\n';
  expect(await read(answer([new TextEncoder().encode(text)]))).toEqual([
    { event: undefined, data: 'one\ntwo' },
  ]);
});

test('a response without a body has no events', async () => {
  expect(await read(answer([]))).toEqual([]);
});
