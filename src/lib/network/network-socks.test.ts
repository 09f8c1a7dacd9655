import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openNetwork } from './network.ts';

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A SOCKS5 proxy without a password that connects every name to one local port. */
function socksTo(port: number, asked: string[]): Server {
  return createServer((client) => {
    client.on('error', () => client.destroy());
    client.once('data', () => {
      client.write(Buffer.from([5, 0]));
      client.once('data', (request: Buffer) => {
        const length = request[4] ?? 0;
        asked.push(`${request.subarray(5, 5 + length).toString()}:${request.readUInt16BE(5 + length)}`);
        const upstream = connect(port, '127.0.0.1', () => {
          client.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
          client.pipe(upstream).pipe(client);
        });
        upstream.on('error', () => client.destroy());
        client.on('close', () => upstream.destroy());
      });
    });
  });
}

test.each(['socks5', 'socks5h'])('[N06] a %s proxy is used and resolves the name', async (protocol) => {
  const web = await portOf(createHttpServer((_request, response) => response.end('arrived')));
  const asked: string[] = [];
  const proxy = await portOf(socksTo(web, asked));
  const { fetch, http } = await openNetwork({ ALL_PROXY: `${protocol}://127.0.0.1:${proxy}` });
  const url = 'http://model.invalid:8080/x';
  const headers = { connection: 'close' };
  for (const response of [await fetch(url, { headers }), await http({ url, headers })])
    expect(await response.text()).toBe('arrived');
  expect(asked).toEqual(['model.invalid:8080', 'model.invalid:8080']);
});
