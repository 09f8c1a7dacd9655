import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Line } from './deliver.ts';
import { isRecord, type Json, type SeenRequest } from './protocol.ts';

type JsonReply = { status: number; body: Json; headers?: Record<string, string> };

export function json(response: ServerResponse, { status, body, headers = {} }: JsonReply): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** An empty object for a request without a body, undefined for a body that is not a JSON object. */
export async function readJson(request: IncomingMessage): Promise<Json | undefined> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString('utf8');
  if (body === '') return {};
  try {
    const value: unknown = JSON.parse(body);
    return isRecord(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Links a response to the request's record: when it ended, and whether the client was still connected. */
export function lineTo(response: ServerResponse, seen: SeenRequest): Line {
  const leaving = new AbortController();
  response.once('close', () => {
    if (seen.endedAt === undefined) seen.aborted = true;
    leaving.abort();
  });
  const onLast = () => {
    seen.endedAt ??= performance.now();
  };
  return { response, left: leaving.signal, onLast };
}
