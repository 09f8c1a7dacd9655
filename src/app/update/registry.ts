import type { Config } from '../../config/schema/schema.ts';
import { limited } from '../../lib/async/abort.ts';
import type { HttpClient } from '../../lib/network/http-client.ts';
import { npmSettings } from './npm-settings.ts';

const PUBLIC = 'https://registry.npmjs.org';
const PACKAGE = 'ai-code-assistant';
const TIMEOUT_MS = 5_000;
/** The answer is a small object; a larger one is not from a registry. */
const MAX_BYTES = 1_000_000;

type Env = Readonly<Record<string, string | undefined>>;

/** The user's registry: from the settings, from npm's own variable, or the public one. */
export function registryOf(config: Pick<Config, 'updates'>, env: Env): string {
  const named = config.updates.registry ?? npmSettings(env).registry;
  const address = named && URL.canParse(named) ? named : PUBLIC;
  return address.replace(/\/+$/, '');
}

/** The newest version in the registry. Throws if it cannot be determined. */
export async function latestVersion(registry: string, http: HttpClient): Promise<string> {
  const { status, headers, text } = await http({
    url: `${registry}/${PACKAGE}/latest`,
    headers: { accept: 'application/json' },
    signal: limited(TIMEOUT_MS),
  });
  if (status !== 200) throw new Error(`${registry} answered with ${status}`);
  if (Number(headers['content-length'] ?? 0) > MAX_BYTES)
    throw new Error(`${registry} returned too much data`);
  const body: unknown = JSON.parse(await text());
  const version = (body as { version?: unknown } | null)?.version;
  // The text is from outside and is shown later: accept only a version number.
  if (typeof version !== 'string' || !/^\d+\.\d+\.\d+[\w.+-]{0,40}$/.test(version))
    throw new Error(`${registry} returned no version`);
  return version;
}
