import { httpClient } from '../../lib/network/http-client.ts';
import { localEmbedding } from '../../memory/local-embedding.ts';
import type { ByMeaning } from '../../memory/select.ts';
import { VectorCache, vectorFile } from '../../memory/vectors.ts';
import { discoverLocal } from '../models/choose-model.ts';
import { embeddedEmbedding } from '../models/embedded-model.ts';
import type { Parts } from '../parts.ts';

const QUERY_MS = 400;

/** Semantic search, if an embedding model is available. */
export type NoteVectors = {
  /** Null if there is none. Looked up once, at first use. */
  byMeaning(): Promise<ByMeaning | null>;
  close(): Promise<void>;
};

export function createNoteVectors(parts: Parts, cacheFolder: string): NoteVectors {
  let opened: Promise<{ vectors: VectorCache; close?(): Promise<void> } | null> | undefined;
  return {
    async byMeaning() {
      opened ??= openVectors(parts, cacheFolder);
      const found = await opened;
      return found && { vectors: found.vectors, withinMs: QUERY_MS };
    },
    close: async () => (await opened)?.close?.(),
  };
}

async function openVectors({ config, env, cwd, dataRoot }: Parts, cacheFolder: string) {
  const { embeddings } = config.memory;
  if (embeddings === 'off') return null;
  const servers = (await discoverLocal({ config, env })).map((server) => ({
    ...server,
    models: server.models.map(({ name }) => name),
  }));
  const local = localEmbedding(embeddings, servers, httpClient);
  const embedded = local ? null : await embeddedEmbedding(embeddings, { config, cwd, dataRoot, env });
  const found = local ?? embedded;
  if (!found) return null;
  const vectors = new VectorCache({ file: vectorFile(cacheFolder, found.model), embed: found.embed });
  return { vectors, ...(embedded && { close: embedded.close }) };
}
