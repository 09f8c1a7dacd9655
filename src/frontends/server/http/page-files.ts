import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** A file of the page; `hashed` ones are named after their content and never change. */
export type PageFile = { type: string; etag: string; hashed: boolean; body: Buffer; gzipped: Buffer | null };

const SMALLEST_GZIP = 1_024;

/**
 * The files of the page by their URL path. It is a fixed table in memory, so that no path of a request ever reaches the
 * file system. Nothing in them is secret.
 */
export async function loadPageFiles(): Promise<ReadonlyMap<string, PageFile>> {
  const { files } = await import('virtual:web-page');
  const entries = Object.entries(files).map(async ([path, { base64, ...file }]) => {
    const body = Buffer.from(base64, 'base64');
    const isText = /^text|json|xml/.test(file.type) && body.length >= SMALLEST_GZIP;
    return [path, { ...file, body, gzipped: isText ? await promisify(gzip)(body) : null }] as const;
  });
  return new Map(await Promise.all(entries));
}

/** With the caching that its name permits; 304 if the browser has it already. */
export function pageResponse({ type, etag, hashed, body, gzipped }: PageFile, request: Request): Response {
  const headers: Record<string, string> = {
    etag,
    vary: 'accept-encoding',
    'cache-control': hashed ? 'private, max-age=31536000, immutable' : 'no-cache',
  };
  if (request.headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers });
  const zipped = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '') ? gzipped : null;
  return new Response(new Uint8Array(zipped ?? body), {
    headers: { ...headers, 'content-type': type, ...(zipped && { 'content-encoding': 'gzip' }) },
  });
}
