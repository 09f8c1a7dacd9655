import path from 'node:path';
import { modelInfo, presetsOf } from '../../assembly/models/choose-model.ts';
import { CLOUD_LOGIN, CLOUD_SIGNS } from '../../assembly/models/cloud-settings.ts';
import type { Config } from '../../config/schema/schema.ts';
import { UserError } from '../../contract/errors.ts';
import type { ModelInfo } from '../../contract/provider.ts';
import { homeFolder } from '../../lib/files/data-root.ts';
import { peek } from '../../lib/files/peek.ts';
import { shortCount } from '../../lib/text/short-count.ts';
import { knownModels } from '../../providers/models/models.ts';
import type { Preset } from '../../providers/presets.ts';
import { modelsOnDisk } from '../first-run/models-on-disk.ts';
import { gigabytes } from '../first-run/options.ts';
import type { Host } from '../host.ts';
import { findModel, keyOf, localServers } from '../opening/find-model.ts';
import type { Settings } from '../settings.ts';

/** The models of a vendor. `missing` says what it takes to use them, and how to get it. */
export type ModelGroup = {
  vendor: string;
  /** Named as `provider/model` or by their file; the label leaves the provider out. */
  models: { name: string; label: string; detail: string }[];
  missing?: { short: string; next: string };
};

export type ModelList = {
  /** `provider/model` of the current model. */
  current(): string;
  list(): Promise<ModelGroup[]>;
  /** Switches the conversation to this model. Throws a `UserError` if that is not possible. */
  use(name: string): Promise<void>;
};

export type ModelListOptions = {
  host: Host;
  settings(): Settings;
  /** `provider/model` of the current model. */
  model(): string;
  /** Continues the conversation with another model. */
  switchTo(model: string): void;
};

/** The models a conversation can switch to. */
export function createModelList({ host, settings, model, switchTo }: ModelListOptions): ModelList {
  return {
    current: model,
    list: () => listModels(settings(), host, model()),
    async use(name) {
      const { config, ...others } = settings();
      const choice = await findModel({ ...others, config: { ...config, model: name } }, host);
      if (!choice) throw new UserError(`There is no model "${name}".`, '/model lists them.');
      switchTo(`${choice.preset.name}/${choice.model}`);
    },
  };
}

/** Vendors that can be used come first: local servers, model files on disk, then those with a key. */
async function listModels({ config, root }: Settings, { env }: Host, current: string): Promise<ModelGroup[]> {
  const presets = presetsOf(config);
  const [local, files, keyed] = await Promise.all([
    localServers({ config, root }, { env }),
    modelsOnDisk({ root, home: homeFolder(env) }),
    Promise.all(
      presets
        .filter((preset) => !preset.local && preset.protocol !== 'embedded')
        .map(async (preset) => ({ preset, key: await keyOf(preset, { config, root, env }) })),
    ),
  ]);
  const known = knownModels().filter(({ retired }) => retired === undefined);
  const vendors = keyed.map(({ preset, key }): ModelGroup => {
    const isCurrent = current.startsWith(`${preset.name}/`);
    // A key for any vendor says nothing about which one it is from.
    const isUsable = key ? !key.general || isCurrent : isCurrent || isCloudUser(preset, { config, env });
    const missing = isUsable ? {} : { missing: missingKey(preset) };
    const ids = known.filter(({ provider }) => provider === preset.name).map(({ id }) => id);
    const first = preset.defaultModel === undefined ? [] : [preset.defaultModel];
    const used = isCurrent ? [current.slice(preset.name.length + 1)] : [];
    return {
      vendor: preset.label,
      models: [...new Set([...first, ...used, ...ids])].map((id) => ({
        name: `${preset.name}/${id}`,
        label: id,
        detail: describeModel(modelInfo(preset, id, config), config),
      })),
      ...missing,
    };
  });
  return [
    ...local.map(({ provider, models }) => ({
      vendor: presets.find(({ name }) => name === provider)?.label ?? provider,
      models: models.map(({ name }) => ({
        name: `${provider}/${name}`,
        label: name,
        detail: 'on this machine',
      })),
    })),
    {
      vendor: 'On this disk',
      models: files.map(({ file, bytes }) => ({
        name: file,
        label: file,
        detail: `${gigabytes(bytes)}, runs locally`,
      })),
    },
    ...vendors.filter(({ missing }) => missing === undefined),
    ...vendors.filter(({ missing }) => missing !== undefined),
  ].filter(({ models }) => models.length > 0);
}

/** Whether there is a sign of credentials for a cloud; finding out for certain takes its library. */
function isCloudUser(
  { name, cloud }: Preset,
  { config, env }: { config: Config; env: Host['env'] },
): boolean {
  if (!cloud) return false;
  const { variables, files } = CLOUD_SIGNS[cloud];
  const home = homeFolder(env);
  return (
    Object.hasOwn(config.providers, name) ||
    variables.some((variable) => env[variable]) ||
    files.some((file) => peek.file(path.join(home, file)) !== null)
  );
}

function missingKey({ name, cloud, keyEnv: [variable] }: Preset): NonNullable<ModelGroup['missing']> {
  if (cloud) {
    const login = CLOUD_LOGIN[cloud];
    return { short: `no login: ${login}`, next: `Run ${login}${variable ? ` or set ${variable}` : ''}.` };
  }
  const command = `aca keys set ${name}`;
  return { short: `no key: ${command}`, next: `Run ${command}${variable ? ` or set ${variable}` : ''}.` };
}

/** `1M context · $3/$15 per 1M · effort high`. */
function describeModel({ contextWindow, price, abilities }: ModelInfo, { effort }: Config): string {
  return [
    `${shortCount(contextWindow).padStart(4)} context`,
    ...(price ? [`${priceText(price.input)}/${priceText(price.output)} per 1M`] : []),
    ...(abilities.thinking ? [`effort ${effort ?? 'default'}`] : []),
  ].join(' · ');
}

/** Prices are exact: `$3`, `$0.25`, `$0.075`. */
function priceText(usd: number): string {
  return `$${Number.isInteger(usd * 100) && !Number.isInteger(usd) ? usd.toFixed(2) : usd}`;
}
