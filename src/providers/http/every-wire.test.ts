import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hello, loopback, modelInfo, play, playUntilBegun } from '../../../test/support/loopback.ts';
import { wires } from '../../../test/support/wires.ts';
import type { ProviderEvent } from '../../contract/provider.ts';
import type { HttpClient } from '../../lib/network/http-client.ts';
import { openNetwork } from '../../lib/network/network.ts';

/** The text of a reply and how it ended: the only parts that are the same for every protocol. */
function outcome({ events, error }: { events: ProviderEvent[]; error?: unknown }) {
  const text = events.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('');
  const stop = events.find((event) => event.type === 'stop');
  return { text, ...(stop && { stop: stop.reason }), ...(error === undefined ? {} : { error }) };
}

/** A proxy that routes every host name to one server, and records the names. */
async function proxyTo(url: string): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const proxy = createServer().on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    const upstream = connect(Number(new URL(url).port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
    socket.on('close', () => upstream.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => void proxy.close());
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, asked };
}

describe.each(Object.entries(wires))('[V03][V10] %s', (name, wire) => {
  const provider = (baseUrl: string, http?: HttpClient) =>
    wire.create({ name, baseUrl, infoOf: () => modelInfo(), ...(http && { http }) });
  const whole = wire.body([...wire.says('half ', 'a ☕'), ...wire.ends]);

  test('reads the same reply whatever the chunks and line endings', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => /^[^<\s]/.test(text))),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.array(fc.nat(), { maxLength: 12 }),
        async (pieces, lineEnd, places) => {
          const bytes = wire.body([...wire.says(...pieces), ...wire.ends], lineEnd);
          const at = places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b);
          async function* body(): AsyncGenerator<Uint8Array> {
            for (const [i, end] of [...at, bytes.length].entries()) yield bytes.subarray(at[i - 1] ?? 0, end);
          }
          const headers = { 'content-type': wire.type };
          const http: HttpClient = async () => ({ status: 200, headers, body: body(), text: async () => '' });
          expect(outcome(await play(provider('http://model.test', http), hello()))).toEqual({
            text: pieces.join(''),
            stop: 'end',
          });
        },
      ),
    );
  });

  test('works through a proxy', async () => {
    const server = await loopback((response) => {
      response.writeHead(200, { 'content-type': wire.type, connection: 'close' }).end(whole);
    });
    const proxy = await proxyTo(server.url);
    const { http } = await openNetwork({ HTTP_PROXY: proxy.url });
    expect(outcome(await play(provider('http://model.invalid:8080', http), hello()))).toEqual({
      text: 'half a ☕',
      stop: 'end',
    });
    expect(proxy.asked).toEqual(['model.invalid:8080']);
  });

  test('decodes an unrequested compression', async () => {
    const server = await loopback((response) => {
      response.writeHead(200, { 'content-type': wire.type, 'content-encoding': 'gzip' }).end(gzipSync(whole));
    });
    expect(outcome(await play(provider(server.url), hello()))).toEqual({ text: 'half a ☕', stop: 'end' });
  });

  test('an abort during the reply throws its reason, and the server notices', async () => {
    let gone: Promise<unknown> | undefined;
    const server = await loopback((response) => {
      gone = once(response, 'close');
      response.writeHead(200, { 'content-type': wire.type }).write(wire.body(wire.says('half ')));
    });
    const reason = new Error('enough');
    expect(outcome(await playUntilBegun(provider(server.url), hello(), reason))).toMatchObject({
      error: reason,
    });
    await gone;
  });

  test('a reset connection is `cut` during the reply, and retryable before it', async () => {
    const resetting = (body: Buffer) =>
      loopback(async (response) => {
        response.writeHead(200, { 'content-type': wire.type }).flushHeaders();
        response.write(body);
        await new Promise((resolve) => setTimeout(resolve, 50));
        response.socket?.resetAndDestroy();
      });
    const begun = await resetting(wire.body(wire.says('half')));
    expect(outcome(await play(provider(begun.url), hello()))).toMatchObject({ error: { kind: 'cut' } });
    const silent = await resetting(Buffer.from(wire.type === 'text/event-stream' ? ': hello\n\n' : '\n'));
    expect(outcome(await play(provider(silent.url), hello()))).toMatchObject({ error: { kind: 'timeout' } });
  });

  // Google has no final event: usage may arrive after the finish.
  if (name === 'google') return;
  test('a server that never closes the stream does not delay the reply', async () => {
    const done = name === 'openai-chat' ? 'data: [DONE]\n\n' : '';
    const server = await loopback((response) => {
      response.writeHead(200, { 'content-type': wire.type }).write(Buffer.concat([whole, Buffer.from(done)]));
    });
    expect(outcome(await play(provider(server.url), hello()))).toEqual({ text: 'half a ☕', stop: 'end' });
  });
});
