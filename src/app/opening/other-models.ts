import { type Choice, firstChatModel, presetsOf } from '../../assembly/models/choose-model.ts';
import type { Config } from '../../config/schema/schema.ts';
import { type ProviderError, UserError } from '../../contract/errors.ts';
import type { Preset } from '../../providers/presets.ts';
import type { Host } from '../host.ts';
import type { Settings } from '../settings.ts';
import { findModel, keyOf, localServers, requireModel } from './find-model.ts';

/** Value of `fallbackModel` for any local server. */
const ANY_LOCAL = 'local';

/**
 * Throws a `UserError` if the fallback model is a bare name that means no model: the mistake would show only when the main model
 * fails. Servers know their own names.
 */
export async function requireFallback(
  { preset }: Choice,
  { settings, host }: { settings: Settings; host: Host },
): Promise<void> {
  const { fallbackModel: name, apiBaseUrl } = settings.config;
  if (name === undefined || name === ANY_LOCAL || preset.local || apiBaseUrl !== undefined) return;
  try {
    await requireModel(name, settings, host);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(`The fallback model cannot be used: ${error.message}`, error.hint);
  }
}

/** The main vendor's address and key must not be used for another vendor. */
export async function anotherModel(
  name: string,
  { preset, baseUrl, key }: Choice,
  { settings, host }: { settings: Settings; host: Host },
): Promise<Choice> {
  const { apiBaseUrl: _, ...config } = settings.config;
  const provider = config.provider ?? preset.name;
  const model = name === ANY_LOCAL ? await localModel(preset, { ...settings, env: host.env }) : name;
  if (model === null) throw new UserError('No local server found.', 'Start one, such as Ollama.');
  const other = await findModel({ ...settings, config: { ...config, provider, model } }, host);
  if (!other) throw new UserError(`There is no model "${name}".`, '`aca models` lists them.');
  return other.preset.name === preset.name ? { ...other, baseUrl, key } : other;
}

type Place = { config: Config; root: string; env: NodeJS.ProcessEnv };

/**
 * The first other vendor with a known key, or else a local server. When nothing is reachable, local servers
 * come first: other vendors are probably unreachable, too.
 */
export async function otherModel(
  { kind }: ProviderError,
  choice: Choice,
  place: Place,
): Promise<string | null> {
  const ways = [() => vendorModel(choice, place), () => localModel(choice.preset, place)];
  for (const way of kind === 'network' || place.config.offline ? ways.reverse() : ways) {
    const name = await way();
    if (name !== null) return name;
  }
  return null;
}

async function localModel(preset: Preset, { config, root, env }: Place): Promise<string | null> {
  const { apiBaseUrl: _, ...others } = config;
  for (const server of await localServers({ config: others, root }, { env })) {
    const model = server.provider === preset.name ? undefined : firstChatModel(server);
    if (model !== undefined) return `${server.provider}/${model}`;
  }
  return null;
}

async function vendorModel({ preset }: Choice, place: Place): Promise<string | null> {
  if (place.config.offline) return null;
  // The main vendor's settings do not apply to another vendor.
  const config = { ...place.config, provider: preset.name };
  const others = presetsOf(config).filter(({ name, local, keyEnv }) => {
    return !local && name !== preset.name && !keyEnv.some((key) => preset.keyEnv.includes(key));
  });
  for (const other of others) {
    if (other.defaultModel !== undefined && (await keyOf(other, { ...place, config })))
      return `${other.name}/${other.defaultModel}`;
  }
  return null;
}
