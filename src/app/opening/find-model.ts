import {
  type Choice,
  type ChooseDeps,
  chooseModel,
  discoverLocal,
  presetsOf,
  requireModel as requireNamed,
} from '../../assembly/models/choose-model.ts';
import { chooseEmbedded, firstEmbedded } from '../../assembly/models/embedded-model.ts';
import { profileStore } from '../../assembly/models/model-profiles.ts';
import {
  queueVariable,
  redisVariables,
  sessionEnvironment,
  sharedBudgetVariable,
} from '../../config/environment.ts';
import { createKeychain } from '../../config/keys/keychain.ts';
import { findKey } from '../../config/keys/keys.ts';
import type { Config } from '../../config/schema/schema.ts';
import { UserError } from '../../contract/errors.ts';
import { searchServices } from '../../contract/web-search.ts';
import { limited } from '../../lib/async/abort.ts';
import type { LocalServer } from '../../providers/local/discover.ts';
import type { Waiting } from '../../providers/local/wait-for-server.ts';
import { learnModel } from '../../providers/models/ask-vendor.ts';
import { type Preset, presets } from '../../providers/presets.ts';
import type { Host } from '../host.ts';
import type { Settings } from '../settings.ts';
import { userNetwork } from './user-network.ts';

/** How long to wait for a vendor's own list of models, once for each vendor. */
const LEARNING_MS = 2_000;

/**
 * The model to use, or null when none is configured or found. With `waiting`, a server that is still loading
 * is waited for.
 */
export async function findModel(settings: Settings, host: Host, waiting?: Waiting): Promise<Choice | null> {
  const { origins, others, notices } = settings;
  const { model, ...config } = settings.config;
  const from = others.found.find(({ file }) => file === origins.model);
  if (!from) return choose(settings, host, waiting);
  try {
    return await choose(settings, host, waiting);
  } catch (error) {
    // Its owner may have keys for other models only.
    if (!(error instanceof UserError)) throw error;
    notices.push(`${from.file}: the model ${model} is not used. ${error.message}`);
    return choose({ ...settings, config }, host, waiting);
  }
}

async function choose(settings: Pick<Settings, 'config' | 'root'>, host: Host, waiting?: Waiting) {
  return chooseModel({ ...(await depsOf(settings, host)), ...(waiting && { waiting }) });
}

/** Throws a `UserError` if a name means no model. Asks nobody but servers on this machine, and needs no key. */
export async function requireModel(name: string, settings: Settings, host: Host): Promise<void> {
  await requireNamed(name, await depsOf(settings, host));
}

async function depsOf(
  { config, root }: Pick<Settings, 'config' | 'root'>,
  { env, cwd }: Host,
): Promise<ChooseDeps> {
  const { http } = await userNetwork(config, env);
  const place = { dataRoot: root, cwd, config, env };
  return {
    config,
    env: sessionEnvironment(env, config),
    findKey: (preset) => keyOf(preset, { config, root, env }),
    http,
    learn: ({ preset, model, baseUrl, key }) =>
      learnModel(model, { preset, baseUrl, apiKey: key?.key, http, signal: limited(LEARNING_MS) }),
    profileOf: (server, model) => profileStore(root).find(server, model),
    embedded: { named: (text) => chooseEmbedded(text, place), first: () => firstEmbedded(place) },
  };
}

/** The model servers that answer on this machine. */
export function localServers(
  { config, root }: Pick<Settings, 'config' | 'root'>,
  { env }: Pick<Host, 'env'>,
  depth: 'names' | 'all' = 'names',
): Promise<LocalServer[]> {
  return discoverLocal({ config, env, findKey: (preset) => keyOf(preset, { config, root, env }) }, depth);
}

/** All variables that may hold an API key, including those of unused vendors. */
export function keyVariables(config: Config): string[] {
  return [
    'AI_ASSISTANT_API_KEY',
    ...redisVariables,
    queueVariable,
    ...[...presets, ...presetsOf(config), ...searchServices].flatMap((row) => row.keyEnv),
  ];
}

/** Of clouds and of Redis: a worker or a batch has them for itself, for models and for the store of results. */
const CREDENTIALS = /^(AWS|AZURE|CLOUDSDK|GOOGLE_APPLICATION|REDIS)_/i;

/** What commands do not see: keys, and for a task of a batch also credentials that the whole batch uses. */
export function hiddenVariables(config: Config, env: NodeJS.ProcessEnv): string[] {
  const isTask = Boolean(env[sharedBudgetVariable]);
  return [...keyVariables(config), ...Object.keys(env).filter((name) => isTask && CREDENTIALS.test(name))];
}

export function keyOf(
  preset: Pick<Preset, 'name' | 'keyEnv'>,
  { config, root, env }: Pick<Settings, 'config' | 'root'> & Pick<Host, 'env'>,
) {
  return findKey(preset.name, {
    keyEnv: preset.keyEnv,
    env,
    config,
    keychain: createKeychain({ home: root, env }),
  });
}
