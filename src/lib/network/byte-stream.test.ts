import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ByteSource, ByteStream, sourceOf } from './byte-stream.ts';
import { streamedResponse } from './streamed-response.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (chunks: readonly Uint8Array[]) => Buffer.concat(chunks).toString();

/** Says its pieces, then ends, or stays silent for ever; tells whether it was told that nobody reads on. */
function source(pieces: readonly string[], then: 'end' | 'silence' | Error = 'end') {
  const seen = { read: 0, left: false };
  const from: ByteSource = {
    async next() {
      const piece = pieces[seen.read++];
      if (piece !== undefined) return { done: false, value: bytes(piece) };
      if (then instanceof Error) throw then;
      return then === 'end' ? { done: true, value: undefined } : new Promise(() => undefined);
    },
    async return() {
      seen.left = true;
      return { done: true, value: undefined };
    },
  };
  return { stream: new ByteStream(from), seen };
}

async function readAll(stream: ReadableStream<Uint8Array>): Promise<Uint8Array[]> {
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  for (let step = await reader.read(); !step.done; step = await reader.read()) chunks.push(step.value);
  await reader.closed;
  reader.releaseLock();
  return chunks;
}

async function iterateAll(stream: ReadableStream<Uint8Array>): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

const over = (stream: ByteStream) => streamedResponse(stream, { status: 200, statusText: 'OK', headers: {} });

const ways: Record<string, (stream: ByteStream) => Promise<Uint8Array[]>> = {
  'for await': iterateAll,
  'a reader': readAll,
  'a response over it': async (stream) => [new Uint8Array(await over(stream).arrayBuffer())],
  'a response of the runtime': async (stream) => [
    new Uint8Array(await new Response(stream.web).arrayBuffer()),
  ],
  'a pipe': (stream) =>
    readAll(stream.pipeThrough(new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>())),
  'a tee': async (stream) => readAll(stream.tee()[1]),
};

describe.each(Object.entries(ways))('read by %s', (_, read) => {
  test('the bytes are those of the source, and a listener sees them, too', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'binary', minLength: 1 })), async (pieces) => {
        const { stream } = source(pieces);
        const seen: Uint8Array[] = [];
        stream.tap((chunk) => seen.push(chunk));
        expect([text(await read(stream)), text(seen)]).toEqual([
          text(pieces.map(bytes)),
          text(pieces.map(bytes)),
        ]);
      }),
      { numRuns: 30 },
    );
  });

  test('what fails at the source fails here', async () => {
    const { stream } = source(['a'], new Error('broken'));
    await expect(read(stream)).rejects.toThrow('broken');
  });
});

describe('left before the end', () => {
  test('an answer that is all but read is read to its end', async () => {
    const { stream, seen } = source(['a', 'b', 'c']);
    for await (const _ of stream) break;
    expect(seen.read).toBe(4);
    expect(await iterateAll(stream)).toEqual([]);
  });

  test('one that goes on is not waited for', async () => {
    const { stream, seen } = source(['a'], 'silence');
    for await (const _ of stream) break;
    expect(seen.left).toBe(true);
  });

  test('a web stream that goes on is told that nobody reads it any more', async () => {
    let web = new ReadableStream<Uint8Array<ArrayBuffer>>();
    const told = new Promise<void>((resolve) => {
      web = new ReadableStream({
        start: (controller) => controller.enqueue(bytes('a')),
        cancel: () => resolve(),
      });
    });
    for await (const _ of new ByteStream(sourceOf(web))) break;
    await told;
  });

  test('a failure nobody waits for is no failure', async () => {
    const { stream } = source(['a'], new Error('broken'));
    await stream.getReader().cancel();
    expect(await iterateAll(stream)).toEqual([]);
  });
});
