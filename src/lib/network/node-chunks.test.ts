import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chunksOf } from './node-chunks.ts';

async function readAll(stream: Readable): Promise<string> {
  const chunks: Uint8Array[] = [];
  const source = chunksOf(stream);
  for (let step = await source.next(); !step.done; step = await source.next()) chunks.push(step.value);
  return Buffer.concat(chunks).toString();
}

test('every chunk comes, in order, whether the reader waits or lags', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.string({ minLength: 1 }), fc.boolean())), async (steps) => {
      const stream = new PassThrough();
      const reading = readAll(stream);
      for (const [text, pause] of steps) {
        stream.write(text);
        if (pause) await nextTurn();
      }
      stream.end();
      expect(await reading).toBe(steps.map(([text]) => text).join(''));
    }),
    { numRuns: 50 },
  );
});

test('what nobody reads is not fetched without end, and is all there for a late reader', async () => {
  let made = 0;
  const stream = new Readable({
    highWaterMark: 16,
    read() {
      this.push(made < 1000 ? Buffer.from(`${made++ % 10}`) : null);
    },
  });
  const source = chunksOf(stream);
  const first = (await source.next()).value;
  await nextTurn();
  expect(made).toBeLessThan(200);
  let rest = '';
  for (let step = await source.next(); !step.done; step = await source.next()) {
    rest += Buffer.from(step.value).toString();
  }
  expect(Buffer.from(first ?? []).toString() + rest).toBe('0123456789'.repeat(100));
});

test('a failure is told after what came before it, and again to whoever asks again', async () => {
  const stream = new PassThrough();
  const source = chunksOf(stream);
  const first = source.next();
  stream.write('a');
  expect(Buffer.from((await first).value ?? []).toString()).toBe('a');
  stream.destroy(new Error('broken'));
  await expect(source.next()).rejects.toThrow('broken');
  await expect(source.next()).rejects.toThrow('broken');
});

test('a stream that closes without an end is a failure', async () => {
  const stream = new PassThrough();
  const reading = readAll(stream);
  stream.destroy();
  await expect(reading).rejects.toThrow('The connection closed before the end.');
});

test('who leaves closes the stream', async () => {
  const stream = new PassThrough();
  const closed = once(stream, 'close');
  await chunksOf(stream).return?.();
  await closed;
});
