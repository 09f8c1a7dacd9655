import type { Config } from '../../config/schema/schema.ts';
import { limited } from '../../lib/async/abort.ts';
import type { HttpClient } from '../../lib/network/http-client.ts';

const PUBLIC = 'https://registry.npmjs.org';
const PACKAGE = 'ai-code-assistant';
const TIMEOUT_MS = 5_000;
/** The answer is a small object; whoever sends more is no registry. */
const MAX_BYTES = 1_000_000;

type Env = Readonly<Record<string, string | undefined>>;

/** The user's registry: of the settings, of npm's own variable, or else the public one. */
export function registryOf(config: Pick<Config, 'updates'>, env: Env): string {
  const named = config.updates.registry ?? env.npm_config_registry;
  const address = named && URL.canParse(named) ? named : PUBLIC;
  return address.replace(/\/+$/, '');
}

/** The newest version there is, by the registry. Throws where it cannot be told. */
export async function latestVersion(registry: string, http: HttpClient): Promise<string> {
  const { status, headers, text } = await http({
    url: `${registry}/${PACKAGE}/latest`,
    headers: { accept: 'application/json' },
    signal: limited(TIMEOUT_MS),
  });
  if (status !== 200) throw new Error(`${registry} answered with ${status}`);
  if (Number(headers['content-length'] ?? 0) > MAX_BYTES)
    throw new Error(`${registry} answered with too much`);
  const body: unknown = JSON.parse(await text());
  const version = (body as { version?: unknown } | null)?.version;
  // What is shown later comes from outside: a version, or nothing.
  if (typeof version !== 'string' || !/^\d+\.\d+\.\d+[\w.+-]{0,40}$/.test(version))
    throw new Error(`${registry} named no version`);
  return version;
}
