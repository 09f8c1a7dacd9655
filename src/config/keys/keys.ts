import type { Env } from '../environment.ts';
import type { Config } from '../schema/schema.ts';
import { accountOf, keyId } from './accounts.ts';
import type { Keychain } from './keychain.ts';

export type KeyPlaces = {
  /** The vendor's own environment variables, in order of preference. */
  keyEnv: readonly string[];
  env: Env;
  /** `apiKey` belongs to `provider`, or to any vendor when no provider is set. */
  config: Pick<Config, 'provider' | 'apiKey' | 'providers' | 'accounts'>;
  keychain: Pick<Keychain, 'find'>;
};

export type FoundKey = {
  key: string;
  /** For display: a variable, a setting or a store; never the key. */
  source: string;
  /** Not tied to one vendor. */
  general?: true;
  /** The named account that it belongs to. */
  account?: string;
};

const GENERAL_VARIABLE = 'AI_ASSISTANT_API_KEY';

/**
 * The stored key of the account that the user chose, and no other. Without one: environment before settings
 * before stored keys; at each level, a vendor-specific key comes first.
 */
export async function findKey(provider: string, places: KeyPlaces): Promise<FoundKey | null> {
  const { config, env, keyEnv, keychain } = places;
  const account = accountOf(provider, config);
  if (account !== undefined) {
    const stored = await keychain.find(keyId(provider, account));
    return stored && { ...stored, source: `${stored.source}, account ${account}`, account };
  }
  const own = Object.hasOwn(config.providers, provider) ? config.providers[provider] : undefined;
  const isChosen = config.provider === undefined || config.provider === provider;

  const variables = [
    ...(own?.apiKeyEnv === undefined ? [] : [own.apiKeyEnv]),
    ...(isChosen ? [GENERAL_VARIABLE] : []),
    ...keyEnv,
  ];
  const candidates = [
    ...variables.map((name) => ({ key: env[name], source: name, isGeneral: name === GENERAL_VARIABLE })),
    { key: own?.apiKey, source: `providers.${provider}.apiKey`, isGeneral: false },
    { key: isChosen ? config.apiKey : undefined, source: 'apiKey', isGeneral: true },
  ];
  for (const { key, source, isGeneral } of candidates) {
    const trimmed = key?.trim();
    const general = isGeneral && config.provider === undefined;
    if (trimmed) return { key: trimmed, source, ...(general && { general }) };
  }
  return keychain.find(provider);
}
