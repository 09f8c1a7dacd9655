/** A model server that answers on this machine. */
export type LocalServer = { provider: string; baseUrl: string; models: string[] };

/** Where to look, and how that server lists its models. */
export type LocalCandidate = { provider: string; baseUrl: string; listing: 'openai' | 'ollama' };

const BUDGET_MS = 300;

/** Asks every candidate at once; those that do not answer in time are not there. */
export async function discover(
  candidates: readonly LocalCandidate[],
  fetch: typeof globalThis.fetch = globalThis.fetch,
): Promise<LocalServer[]> {
  const signal = AbortSignal.timeout(BUDGET_MS);
  const found = await Promise.all(candidates.map((candidate) => ask(candidate, fetch, signal)));
  return found.filter((server) => server !== null);
}

async function ask(
  { provider, baseUrl, listing }: LocalCandidate,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
): Promise<LocalServer | null> {
  const root = baseUrl.replace(/\/+$/, '');
  try {
    const response = await fetch(listing === 'ollama' ? `${root}/api/tags` : `${root}/models`, { signal });
    if (!response.ok) return null;
    const models = namesIn(await response.json());
    return models && { provider, baseUrl, models };
  } catch {
    // Whatever went wrong, nothing usable answers there.
    return null;
  }
}

function namesIn(body: unknown): string[] | null {
  const { data, models } = (body ?? {}) as { data?: unknown; models?: unknown };
  const rows: unknown = data ?? models;
  if (!Array.isArray(rows)) return null;
  return rows.flatMap((row: { id?: unknown; name?: unknown }) => {
    const name = row.id ?? row.name;
    return typeof name === 'string' ? [name] : [];
  });
}
