import fc from 'fast-check';
import { expect, test } from 'vitest';
import { tolerantFetch } from './tolerant-fetch.ts';

async function through(
  body: string,
  { type = 'application/json', cuts = [] as number[] } = {},
): Promise<string> {
  const bytes = new TextEncoder().encode(body);
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  const chunks = at.slice(1).map((end, i) => bytes.slice(at[i], end));
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  const fetch = tolerantFetch(async () => new Response(stream, { headers: { 'content-type': type } }));
  return (await fetch('http://x')).text();
}

const frame = (text: string) => ({ choices: [{ delta: { content: text } }] });
const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const DONE = 'data: [DONE]\n\n';

test('an event stream passes as it is', async () => {
  const body = `${event(frame('a'))}: note\n\n${DONE}`;
  expect(await through(body, { type: 'text/event-stream' })).toBe(body);
});

test('JSON lines become events, whatever the chunking', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string()), fc.array(fc.nat(), { maxLength: 6 }), async (texts, cuts) => {
      const frames = texts.map(frame);
      const body = frames.map((value) => JSON.stringify(value)).join('\n');
      expect(await through(body, { cuts })).toBe(frames.map(event).join('') + DONE);
    }),
    { numRuns: 200 },
  );
});

test('a whole reply over many lines becomes one event', async () => {
  expect(await through(JSON.stringify(frame('ä'), null, 2), { cuts: [3, 40, 57] })).toBe(
    event(frame('ä')) + DONE,
  );
});

test('what is no reply passes as it is', async () => {
  for (const body of ['{"message": "who are you?"}', '{"choices": [', 'plain words'])
    expect(await through(body)).toBe(body);
});
