import * as z from 'zod';
import { limited } from '../lib/async/abort.ts';
import type { HttpClient } from '../lib/network/http-client.ts';
import type { Embed } from './rank.ts';

/** A server found on this machine. */
export type EmbeddingServer = { provider: string; baseUrl: string; models: readonly string[] };

export type LocalEmbedding = { model: string; embed: Embed };

/** Typical names of embedding models. */
const EMBEDDING_NAME = /embed|minilm|(^|[^a-z])(bge|e5|gte)([^a-z]|$)/i;
const TIMEOUT_MS = 20_000;

const answerShape = () =>
  z.union([
    z.object({ embeddings: z.array(z.array(z.number())) }).transform(({ embeddings }) => embeddings),
    z
      .object({ data: z.array(z.object({ embedding: z.array(z.number()) })) })
      .transform(({ data }) => data.map(({ embedding }) => embedding)),
  ]);

/**
 * `wanted` is `auto` or `provider/model`. By default only a server on this machine is used. Null if there is
 * none.
 */
export function localEmbedding(
  wanted: string,
  servers: readonly EmbeddingServer[],
  http: HttpClient,
): LocalEmbedding | null {
  for (const server of servers) {
    const model = server.models.find((name) =>
      wanted === 'auto'
        ? EMBEDDING_NAME.test(name) && isThisMachine(server.baseUrl)
        : [`${server.provider}/${name}`, `${server.provider}/${name.replace(/:latest$/, '')}`].includes(
            wanted,
          ),
    );
    if (model !== undefined)
      return { model, embed: (texts, signal) => ask(server, { model, texts, signal }, http) };
  }
  return null;
}

/** Null on any failure: notes are then found by their words. */
async function ask(
  { provider, baseUrl }: EmbeddingServer,
  { model, texts, signal }: { model: string; texts: readonly string[]; signal: AbortSignal },
  http: HttpClient,
): ReturnType<Embed> {
  const root = baseUrl.replace(/\/+$/, '');
  try {
    const { status, text } = await http({
      url: provider === 'ollama' ? `${root}/api/embed` : `${root}/embeddings`,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model, input: texts }),
      signal: limited(TIMEOUT_MS, signal),
    });
    const answer = await text();
    return status === 200 ? (answerShape().safeParse(JSON.parse(answer)).data ?? null) : null;
  } catch {
    // The server is gone, or uses another protocol.
    return null;
  }
}

function isThisMachine(url: string): boolean {
  return URL.canParse(url) && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}
