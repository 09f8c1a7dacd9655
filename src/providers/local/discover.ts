import { type HttpClient, httpClient } from '../../lib/network/http-client.ts';
import type { LocalModel, ServerKind } from './local-model.ts';
import { type Ask, asker, fieldsOf, listeningTime, numberAs, textAs } from './query-server.ts';
import { detailsOf } from './server-details.ts';

/** A model server that answers on this machine. */
export type LocalServer = { provider: string; baseUrl: string; models: LocalModel[] };

/** An address to check, and the kind of server expected there. */
export type LocalCandidate = { provider: string; baseUrl: string; kind: ServerKind };

export type DiscoverOptions = {
  http?: HttpClient;
  /** `names`: only the model list. `all`: also queries the details of each model. */
  depth?: 'names' | 'all';
  /** Default: 300 for names, more for details. */
  budgetMs?: number;
};

/** Short, since most of these servers don't exist. */
const BUDGET_MS = 300;
/** For a server that is about to be used anyway. */
const CHOSEN_MS = 1500;

/** Queries all candidates in parallel; those that do not answer in time are treated as absent. */
export async function discover(
  candidates: readonly LocalCandidate[],
  {
    http = httpClient,
    depth = 'names',
    budgetMs = depth === 'all' ? CHOSEN_MS : BUDGET_MS,
  }: DiscoverOptions = {},
): Promise<LocalServer[]> {
  const signal = listeningTime(budgetMs);
  const found = await Promise.all(
    candidates.map(async (candidate) => {
      const ask = asker(candidate.baseUrl, http, signal);
      const models = await listModels(candidate.kind, ask);
      if (!models) return null;
      const { provider, baseUrl, kind } = candidate;
      const full = depth === 'all' ? await detailsOf(models, kind, ask) : models;
      return { provider, baseUrl, models: full };
    }),
  );
  return found.filter((server) => server !== null);
}

/** The server's details of one model; null if it does not answer in time or does not have the model. */
export async function describeModel(
  { baseUrl, kind }: Pick<LocalCandidate, 'baseUrl' | 'kind'>,
  name: string,
  { http = httpClient, budgetMs = CHOSEN_MS }: Omit<DiscoverOptions, 'depth'> = {},
): Promise<LocalModel | null> {
  const ask = asker(baseUrl, http, listeningTime(budgetMs));
  const [listed, detailed] = await Promise.all([listModels(kind, ask), detailsOf([{ name }], kind, ask)]);
  const row = listed?.find((model) => model.name === name || model.name === `${name}:latest`);
  const [details] = detailed;
  if (!row && (!details || Object.keys(details).length === 1)) return null;
  return { ...row, ...details, name };
}

async function listModels(kind: ServerKind, ask: Ask): Promise<LocalModel[] | null> {
  const body = await ask(kind === 'ollama' ? '/api/tags' : 'models');
  const { data, models } = fieldsOf(body);
  // Of llama.cpp's two lists, the standard one has the details.
  const rows: unknown = data ?? models;
  if (!Array.isArray(rows)) return null;
  return rows.flatMap((row: unknown) => {
    const fields = fieldsOf(row);
    const name = fields.id ?? fields.name;
    return typeof name === 'string' ? [{ name, ...listedFacts(fields) }] : [];
  });
}

/**
 * Details that some servers include in their list: Ollama the digest, vLLM the window, llama.cpp the size.
 */
function listedFacts(row: Record<string, unknown>): Omit<LocalModel, 'name'> {
  const details = fieldsOf(row.details);
  const meta = fieldsOf(row.meta);
  return {
    ...numberAs('sizeBytes', row.size ?? meta.size),
    ...textAs('parameters', details.parameter_size),
    ...textAs('quantization', details.quantization_level),
    ...numberAs('contextWindow', row.max_model_len ?? meta.n_ctx ?? meta.n_ctx_train),
    ...textAs('digest', row.digest ?? metaDigest(meta) ?? row.root),
  };
}

function metaDigest({ size, n_params, n_vocab }: Record<string, unknown>): string | undefined {
  return typeof size === 'number' ? [size, n_params, n_vocab].join('-') : undefined;
}
