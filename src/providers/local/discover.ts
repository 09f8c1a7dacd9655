import { listeningTime } from '../../lib/async/listening-time.ts';
import { type HttpClient, httpClient } from '../../lib/network/http-client.ts';
import type { LocalModel, ServerKind } from './local-model.ts';
import { createQuery, fieldsOf, numberAs, type Query, textAs, windowAs } from './query-server.ts';
import { detailsOf } from './server-details.ts';
import { type ServerState, stateIn } from './server-state.ts';

/** A model server that answers on this machine; `state` says why it does not list its models. */
export type LocalServer = { provider: string; baseUrl: string; models: LocalModel[]; state?: ServerState };

/** An address to check, and the kind of server expected there. */
export type LocalCandidate = {
  provider: string;
  baseUrl: string;
  kind: ServerKind;
  /** Sent with every request. */
  headers?: Record<string, string>;
  /** Headers with the user's key, for a server that asks for one. */
  keyHeaders?(): Promise<Record<string, string>>;
};

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
  const found = await Promise.all(
    candidates.map(async (candidate) => {
      const first = await listOf(candidate, { http, budgetMs });
      const key = first.state === 'needs key' ? await candidate.keyHeaders?.() : undefined;
      const headers = { ...candidate.headers, ...key };
      const { models, state, ask } = key
        ? await listOf({ ...candidate, headers }, { http, budgetMs })
        : first;
      const { provider, baseUrl, kind } = candidate;
      if (!models) return state ? { provider, baseUrl, models: [], state } : null;
      const full = depth === 'all' ? await detailsOf(models, kind, ask) : models;
      return { provider, baseUrl, models: full };
    }),
  );
  return found.filter((server) => server !== null);
}

type Asking = { http: HttpClient; budgetMs: number };

async function listOf({ baseUrl, kind, headers = {} }: Omit<LocalCandidate, 'provider'>, asking: Asking) {
  const { http, budgetMs } = asking;
  const signal = listeningTime(budgetMs);
  const seen: { state?: ServerState | undefined } = {};
  const onError = (status: number, body: string) => {
    seen.state = stateIn(status, body);
  };
  const models = await listModels(kind, createQuery(baseUrl, { http, signal, headers, onError }));
  return { models, state: seen.state, ask: createQuery(baseUrl, { http, signal, headers }) };
}

/**
 * The server's details of one model, null if it does not answer in time or does not have the model; and the
 * server's state, if it lists no models.
 */
export async function describeModel(
  candidate: Omit<LocalCandidate, 'provider'>,
  name: string,
  { http = httpClient, budgetMs = CHOSEN_MS }: Omit<DiscoverOptions, 'depth'> = {},
): Promise<{ facts: LocalModel | null; state?: ServerState }> {
  const { baseUrl, kind, headers = {} } = candidate;
  const ask = createQuery(baseUrl, { http, signal: listeningTime(budgetMs), headers });
  const [{ models, state }, detailed] = await Promise.all([
    listOf(candidate, { http, budgetMs }),
    detailsOf([{ name }], kind, ask),
  ]);
  const row = models?.find((model) => model.name === name || model.name === `${name}:latest`);
  const [details] = detailed;
  if (!row && (!details || Object.keys(details).length === 1))
    return { facts: null, ...(state && { state }) };
  return { facts: { ...row, ...details, name } };
}

async function listModels(kind: ServerKind, ask: Query): Promise<LocalModel[] | null> {
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
 * Details that some servers include in their list: Ollama the digest, most others the window, llama.cpp the
 * size.
 */
function listedFacts(row: Record<string, unknown>): Omit<LocalModel, 'name'> {
  const details = fieldsOf(row.details);
  const meta = fieldsOf(row.meta);
  return {
    ...numberAs('sizeBytes', row.size ?? meta.size),
    ...textAs('parameters', details.parameter_size),
    ...textAs('quantization', details.quantization_level),
    ...windowAs(
      row.max_model_len,
      meta.n_ctx,
      row.n_ctx,
      row.context_window,
      row.context_length,
      row.max_context_length,
      fieldsOf(row.parameters).max_seq_len,
      meta.n_ctx_train,
    ),
    ...textAs('digest', row.digest ?? metaDigest(meta) ?? row.root),
  };
}

function metaDigest({ size, n_params, n_vocab }: Record<string, unknown>): string | undefined {
  return typeof size === 'number' ? [size, n_params, n_vocab].join('-') : undefined;
}
