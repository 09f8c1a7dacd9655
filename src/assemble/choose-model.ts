import type { Config } from '../config/schema.ts';
import { UserError } from '../contract/errors.ts';
import { didYouMean, nearest } from '../lib/nearest.ts';
import { discover, type LocalServer } from '../providers/discover.ts';
import { infoOf, nearestModels, type PricedModel, resolveModel } from '../providers/models.ts';
import { type Preset, presets } from '../providers/presets.ts';

type Key = { key: string; source: string };

/** A model and all that is needed to reach it. */
export type Choice = { preset: Preset; baseUrl: string; model: string; info: PricedModel; key: Key | null };

export type ChooseDeps = {
  config: Config;
  env: NodeJS.ProcessEnv;
  findKey(preset: Preset): Promise<Key | null>;
  fetch?: typeof globalThis.fetch;
};

/** The model the user named, or else the first vendor with a key, or else a local server. Null when there is none. */
export async function chooseModel(deps: ChooseDeps): Promise<Choice | null> {
  const { config } = deps;
  const known = presetsOf(config);
  if (config.model !== undefined) return chooseNamed(config.model, known, deps);
  const wanted = config.provider ?? (config.apiBaseUrl === undefined ? undefined : 'local');
  if (wanted !== undefined) return choosePreset(presetNamed(wanted, known), deps);

  for (const preset of known.filter((row) => !row.local && row.defaultModel !== undefined)) {
    if (await deps.findKey(preset)) return choosePreset(preset, deps);
  }
  for (const server of await discoverLocal(deps)) {
    const [model] = server.models;
    if (model !== undefined) return choiceOf(presetNamed(server.provider, known), model, deps);
  }
  return null;
}

/** The built-in vendors with the user's changes, and vendors of the user's own. */
export function presetsOf(config: Config): Preset[] {
  const changed = presets.map((preset) => ({ ...preset, ...changesTo(preset.name, config) }));
  const added = Object.entries(config.providers)
    .filter(([name]) => !presets.some((preset) => preset.name === name))
    .map(([name, row]): Preset => {
      if (row.baseUrl === undefined) {
        throw new UserError(
          `The provider ${name} has no address.`,
          `Set providers.${name}.baseUrl in the config file.`,
        );
      }
      const keyless = row.apiKey === undefined && row.apiKeyEnv === undefined;
      const base = {
        name,
        label: name,
        protocol: row.protocol ?? 'openai-chat',
        baseUrl: row.baseUrl,
        keyEnv: [],
      } as const;
      return { ...base, ...changesTo(name, config), ...(keyless && { local: true }) };
    });
  return [...changed, ...added];
}

/** What is known of a model, with the user's own facts before the built-in ones. */
export function modelInfo(preset: Preset, model: string, config: Config): PricedModel {
  const info = infoOf(preset.tableOf ?? preset.name, model, config.models[`${preset.name}/${model}`]);
  return {
    ...info,
    contextWindow: Math.min(info.contextWindow, config.maxContextTokens ?? Number.POSITIVE_INFINITY),
  };
}

/** Every model server that answers on this machine now. */
export function discoverLocal({
  config,
  env,
  fetch,
}: Pick<ChooseDeps, 'config' | 'env' | 'fetch'>): Promise<LocalServer[]> {
  const candidates = presetsOf(config)
    .filter((preset) => preset.local && preset.name !== 'local')
    .map((preset) => ({
      provider: preset.name,
      baseUrl: baseUrlOf(preset, { config, env }),
      listing: preset.protocol === 'ollama' ? ('ollama' as const) : ('openai' as const),
    }));
  return discover(candidates, fetch);
}

function changesTo(name: string, config: Config): Partial<Preset> {
  const row = config.providers[name];
  if (!row) return {};
  return {
    ...(row.protocol && { protocol: row.protocol }),
    ...(row.baseUrl && { baseUrl: row.baseUrl }),
    ...(row.apiKeyEnv && { keyEnv: [row.apiKeyEnv] }),
  };
}

async function chooseNamed(text: string, known: readonly Preset[], deps: ChooseDeps): Promise<Choice> {
  const { config } = deps;
  const named = config.aliases[text] ?? text;
  const { provider, id } = resolveModel(
    named,
    known.map((preset) => preset.name),
  );
  const name = provider ?? config.provider ?? (config.apiBaseUrl === undefined ? undefined : 'local');
  if (name !== undefined) return choiceOf(presetNamed(name, known), id, deps);

  for (const server of await discoverLocal(deps)) {
    if (server.models.includes(id)) return choiceOf(presetNamed(server.provider, known), id, deps);
  }
  const suggestion = suggestionFor(named, known);
  throw new UserError(
    `No provider is known for the model "${named}".`,
    `${suggestion}Write it as provider/model, for example openrouter/${named}.`,
  );
}

/** A mistyped provider before the slash, or a model of a similar name. */
function suggestionFor(text: string, known: readonly Preset[]): string {
  const [head = '', ...rest] = text.split('/');
  const provider =
    rest.length > 0
      ? nearest(
          head,
          known.map((preset) => preset.name),
        )
      : null;
  const close = provider ? [[provider, ...rest].join('/')] : nearestModels(text);
  return close.length > 0 ? `Did you mean ${close.join(' or ')}? ` : '';
}

async function choosePreset(preset: Preset, deps: ChooseDeps): Promise<Choice> {
  if (preset.defaultModel !== undefined) return choiceOf(preset, preset.defaultModel, deps);
  const baseUrl = baseUrlOf(preset, deps);
  const listing = preset.protocol === 'ollama' ? 'ollama' : 'openai';
  const [server] = await discover([{ provider: preset.name, baseUrl, listing }], deps.fetch);
  const model = server?.models[0];
  if (model !== undefined) return choiceOf(preset, model, deps);
  const hint = `Name a model: --model ${preset.name}/MODEL.`;
  throw new UserError(
    server ? `${preset.label} at ${baseUrl} has no model.` : `${preset.label} does not answer at ${baseUrl}.`,
    hint,
  );
}

async function choiceOf(preset: Preset, model: string, deps: ChooseDeps): Promise<Choice> {
  const key = await deps.findKey(preset);
  if (!key && !preset.local) {
    const env = preset.keyEnv.join(' or ');
    const hint = `Set ${env}, store one with \`aca keys set ${preset.name}\`, or choose a local model with --model.`;
    throw new UserError(
      `No API key for ${preset.name}.`,
      preset.keyUrl ? `${hint} Keys are made at ${preset.keyUrl}` : hint,
    );
  }
  return {
    preset,
    model,
    baseUrl: baseUrlOf(preset, deps),
    info: modelInfo(preset, model, deps.config),
    key,
  };
}

function presetNamed(name: string, known: readonly Preset[]): Preset {
  const preset = known.find((row) => row.name === name);
  if (preset) return preset;
  const names = known.map((row) => row.name);
  throw new UserError(
    `There is no provider "${name}".${didYouMean(name, names)}`,
    `The providers are: ${names.join(', ')}.`,
  );
}

function baseUrlOf(preset: Preset, { config, env }: Pick<ChooseDeps, 'config' | 'env'>): string {
  const named = config.provider === undefined ? preset.name === 'local' : config.provider === preset.name;
  if (config.apiBaseUrl !== undefined && (named || config.model?.startsWith(`${preset.name}/`)))
    return config.apiBaseUrl;
  const fromEnv = (preset.baseUrlEnv ?? []).map((name) => env[name]).find(Boolean);
  if (fromEnv === undefined) return preset.baseUrl;
  return /^https?:\/\//.test(fromEnv) ? fromEnv : `http://${fromEnv}`;
}
