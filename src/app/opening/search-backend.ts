import { searchChoice } from '../../assembly/models/background-model.ts';
import type { Choice } from '../../assembly/models/choose-model.ts';
import type { FoundSearch } from '../../assembly/parts.ts';
import { createKeychain, type Keychain } from '../../config/keys/keychain.ts';
import type { Config } from '../../config/schema/schema.ts';
import { type SearchService, searchServices } from '../../contract/web-search.ts';
import { isNearby } from '../../lib/network/nearby-address.ts';
import { findPreset } from '../../providers/presets.ts';
import type { Host } from '../host.ts';
import type { Settings } from '../settings.ts';

type Places = { config: Config; env: Host['env']; keychain: Pick<Keychain, 'find'> };

/**
 * What the user searches the web with: the service in the settings; or else the first one with a key or an
 * address; or else the search of the model's vendor.
 */
export async function findSearch(
  { config, root }: Pick<Settings, 'config' | 'root'>,
  { env }: Pick<Host, 'env'>,
  choice: Choice | null,
): Promise<FoundSearch> {
  const { backend } = config.webSearch;
  const places = { config, env, keychain: createKeychain({ home: root, env }) };
  if (backend === 'off') return { backend: null, because: 'webSearch.backend is off.' };
  if (backend === 'model') return (choice && ofModel(choice, config)) ?? noModelSearch(choice);
  const named = searchServices.find(({ name }) => name === backend);
  if (named) return ofService(named, places);
  for (const service of searchServices.filter(({ needs }) => needs !== 'nothing')) {
    const found = await ofService(service, places);
    if (found.backend) return found;
  }
  const isVendors = choice && findPreset(choice.preset.name)?.baseUrl === choice.baseUrl;
  return (
    (isVendors && ofModel(choice, config)) || {
      backend: null,
      because: config.offline ? OFFLINE : 'store a key with `aca keys set brave`, or set webSearch.backend.',
    }
  );
}

async function ofService(service: SearchService, { config, env, keychain }: Places): Promise<FoundSearch> {
  const { name, label, needs } = service;
  const { backend, address: set } = config.webSearch;
  const isMeant = backend === name || needs === 'address';
  const own = (isMeant ? set : undefined) ?? firstOf(service.addressEnv ?? [], env);
  const address = own ?? service.address;
  if (address === '' || !URL.canParse(address))
    return { backend: null, because: `set webSearch.address to the address of your ${label} server.` };
  if (config.offline && !isNearby(address)) return { backend: null, because: OFFLINE };
  const key =
    needs === 'key' ? (firstOf(service.keyEnv, env) ?? (await keychain.find(name))?.key) : undefined;
  if (needs === 'key' && key === undefined)
    return {
      backend: null,
      because: `there is no key for ${label}. Store one with \`aca keys set ${name}\`.`,
    };
  const found = { type: 'service' as const, service, address, isOwnAddress: own !== undefined };
  return { backend: { ...found, ...(key !== undefined && { key }) } };
}

const OFFLINE = 'offline mode is on. Only a SearXNG server on your network can be used.';

function ofModel(choice: Choice, config: Config): FoundSearch | null {
  if (config.offline || !searchChoice(choice, config)) return null;
  return { backend: { type: 'model' } };
}

function noModelSearch(choice: Choice | null): FoundSearch {
  const model = choice ? `${choice.preset.name}/${choice.model}` : 'the model';
  return {
    backend: null,
    because: `${model} cannot search the web itself. Choose a service with webSearch.backend.`,
  };
}

function firstOf(names: readonly string[], env: Host['env']): string | undefined {
  return names.map((name) => env[name]?.trim()).find(Boolean);
}
