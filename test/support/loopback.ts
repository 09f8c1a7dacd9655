import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { CompletionRequest, ModelInfo, Provider, ProviderEvent } from '../../src/contract/provider.ts';
import { freePort } from './free-port.ts';

export type Received = { path: string; headers: IncomingHttpHeaders; body: Record<string, unknown> };

export type Loopback = { url: string; requests: Received[] };

/** A real HTTP server that answers every POST as the test specifies; closed at the end of the test. */
export async function loopback(
  answer: (response: ServerResponse, request: Received) => void | Promise<void>,
): Promise<Loopback> {
  const requests: Received[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const request = {
      path: incoming.url ?? '',
      headers: incoming.headers,
      body: text ? JSON.parse(text) : {},
    };
    requests.push(request);
    await answer(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** A local URL where no server listens. */
export async function deadUrl(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}`;
}

/** Sends frames as server-sent events and ends the stream. */
export function sse(response: ServerResponse, frames: readonly unknown[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const frame of frames) {
    response.write(`data: ${typeof frame === 'string' ? frame : JSON.stringify(frame)}\n\n`);
  }
  response.end();
}

/** Sends frames as JSON lines and ends the stream. */
export function jsonLines(response: ServerResponse, frames: readonly unknown[]): void {
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  for (const frame of frames) response.write(`${JSON.stringify(frame)}\n`);
  response.end();
}

export function fails(
  response: ServerResponse,
  status: number,
  { body, headers = {} }: { body: unknown; headers?: Record<string, string> },
): void {
  const json = typeof body !== 'string';
  response.writeHead(status, { 'content-type': json ? 'application/json' : 'text/html', ...headers });
  response.end(json ? JSON.stringify(body) : body);
}

/** A stream that is aborted after its first event, with everything it yields or throws. */
export function playUntilBegun(provider: Provider, request: CompletionRequest, reason: Error) {
  const leaving = new AbortController();
  async function* stream(...asked: Parameters<Provider['stream']>): AsyncGenerator<ProviderEvent> {
    for await (const event of provider.stream(...asked)) {
      setImmediate(() => leaving.abort(reason));
      yield event;
    }
  }
  return play({ ...provider, stream }, request, leaving.signal);
}

export async function play(
  provider: Provider,
  request: CompletionRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<{ events: ProviderEvent[]; error?: unknown }> {
  const events: ProviderEvent[] = [];
  try {
    for await (const event of provider.stream(request, signal)) events.push(event);
    return { events };
  } catch (error) {
    return { events, error };
  }
}

export function hello(extra: Partial<CompletionRequest> = {}): CompletionRequest {
  return {
    model: 'm',
    system: 'Be brief.',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }], timestamp: '2026-01-01T00:00:00Z' }],
    ...extra,
  };
}

export function modelInfo(
  abilities: Partial<ModelInfo['abilities']> = {},
  extra: Partial<ModelInfo> = {},
): ModelInfo {
  return {
    provider: 'p',
    id: 'm',
    contextWindow: 128_000,
    maxOutputTokens: 8192,
    price: null,
    abilities: { tools: true, images: true, thinking: false, ...abilities },
    ...extra,
  };
}
