import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { signatureFault } from './cloud/signature.ts';

const s3Keys = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'example-secret' };

/**
 * Objects by bucket and key, over the protocol of S3: puts and gets with verified signatures (version 4), unless it
 * is down.
 */
export async function s3Server(): Promise<{
  env: Record<string, string>;
  objects: Map<string, Buffer>;
  state: { isDown: boolean };
}> {
  const state = { isDown: false };
  const objects = new Map<string, Buffer>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const fail = (status: number, code: string) =>
      response
        .writeHead(status, { 'content-type': 'application/xml' })
        .end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`);
    if (state.isDown) return fail(503, 'ServiceUnavailable');
    if (signatureFault(request, body, { keys: s3Keys, region: 'eu-west-1', service: 's3' }))
      return fail(403, 'SignatureDoesNotMatch');
    const name = decodeURIComponent((request.url ?? '').split('?')[0]?.slice(1) ?? '');
    if (!name.startsWith('bucket/')) return fail(404, 'NoSuchBucket');
    if (request.method === 'PUT') {
      objects.set(name, body);
      return response.writeHead(200, { etag: '"x"' }).end();
    }
    const found = objects.get(name);
    return found
      ? response.writeHead(200, { 'content-length': found.length }).end(found)
      : fail(404, 'NoSuchKey');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    objects,
    state,
    env: {
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      AWS_ACCESS_KEY_ID: s3Keys.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3Keys.secretAccessKey,
      AWS_REGION: 'eu-west-1',
    },
  };
}
