import { describe, expect, test } from 'vitest';
import { ByteStream } from './byte-stream.ts';
import { streamedResponse } from './streamed-response.ts';

const head = { status: 206, statusText: 'Some', headers: { 'content-type': 'application/json' } };

function streamOf(...pieces: string[]): ByteStream {
  async function* source(): AsyncGenerator<Uint8Array<ArrayBuffer>, undefined> {
    for (const piece of pieces) yield new TextEncoder().encode(piece);
  }
  return new ByteStream(source());
}

describe('a response over a stream', () => {
  test('has the head of one of the runtime', () => {
    const stream = streamOf('a');
    const response = streamedResponse(stream, head);
    const theirs = new Response('a', head);
    for (const field of ['ok', 'status', 'statusText', 'redirected', 'type', 'url', 'bodyUsed'] as const)
      expect([field, response[field]]).toEqual([field, theirs[field]]);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.body).toBe(stream);
    expect(Object.prototype.toString.call(response)).toBe(Object.prototype.toString.call(theirs));
  });

  test.each(['', 'a', '\ufeff{"a":', 'é💡'])(
    'reads %j, then "1}", as one of the runtime does',
    async (text) => {
      for (const way of ['text', 'json', 'arrayBuffer'] as const) {
        const settled = async (response: Response) => {
          const value: unknown = await response[way]().catch((error: Error) => error.name);
          return value instanceof ArrayBuffer ? Buffer.from(value).toString('hex') : value;
        };
        const ours = await settled(streamedResponse(streamOf(text, '1}'), head));
        expect([way, ours]).toEqual([way, await settled(new Response(`${text}1}`, head))]);
      }
    },
  );

  test('gives its bytes as they are, and a form by way of the runtime', async () => {
    expect(Buffer.from(await streamedResponse(streamOf('a', 'b'), head).bytes()).toString()).toBe('ab');
    expect(await (await streamedResponse(streamOf('a', 'b'), head).blob()).text()).toBe('ab');
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const form = await streamedResponse(streamOf('a=', '1'), { ...head, headers }).formData();
    expect([...form]).toEqual([['a', '1']]);
  });

  test('takes its head from another, may have no body, and has no clones', async () => {
    const response = streamedResponse(null, new Response('b', head));
    expect([response.status, response.headers.get('content-type')]).toEqual([206, 'application/json']);
    expect([response.body, await response.text()]).toEqual([null, '']);
    expect(() => response.clone()).toThrow('no clones');
  });
});
