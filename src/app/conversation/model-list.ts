import { homedir } from 'node:os';
import { presetsOf } from '../../assembly/models/choose-model.ts';
import { UserError } from '../../contract/errors.ts';
import { knownModels } from '../../providers/models/models.ts';
import { modelsOnDisk } from '../first-run/models-on-disk.ts';
import { gigabytes } from '../first-run/options.ts';
import type { Host } from '../host.ts';
import { findModel, keyOf, localServers } from '../opening/find-model.ts';
import type { Settings } from '../settings.ts';

/** A model that can be chosen. If something is missing, `ready` is false and `detail` says what. */
export type ModelRow = { name: string; detail: string; ready: boolean };

export type ModelList = {
  /** `provider/model` of the current model. */
  current(): string;
  list(): Promise<ModelRow[]>;
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
    list: () => listModels(settings(), host),
    async use(name) {
      const { config, ...others } = settings();
      const choice = await findModel({ ...others, config: { ...config, model: name } }, host);
      if (!choice) throw new UserError(`There is no model "${name}".`, '/model lists them.');
      switchTo(`${choice.preset.name}/${choice.model}`);
    },
  };
}

/** From vendors, local servers, and model files on disk. */
async function listModels({ config, root }: Settings, { env }: Host): Promise<ModelRow[]> {
  const presets = presetsOf(config);
  const [local, files, keys] = await Promise.all([
    localServers({ config, root }, { env }),
    modelsOnDisk({ root, home: env.HOME ?? homedir() }),
    Promise.all(
      presets.map(async (preset) => [preset.name, await keyOf(preset, { config, root, env })] as const),
    ),
  ]);
  const keyed = new Set(keys.flatMap(([name, key]) => (key ? [name] : [])));
  const here = local.flatMap(({ provider, models }) =>
    models.map((model) => ({ name: `${provider}/${model.name}`, detail: 'on this machine', ready: true })),
  );
  const stored = files.map(({ file, bytes }) => ({
    name: file,
    detail: `${gigabytes(bytes)}, runs locally`,
    ready: true,
  }));
  const offered = knownModels().filter(({ retired }) => retired === undefined);
  const known = offered.map(({ provider, id, contextWindow }) => {
    const [variable] = presets.find(({ name }) => name === provider)?.keyEnv ?? [];
    const ready = keyed.has(provider);
    const missing = `no API key: set ${variable ?? 'one'} or run aca keys set ${provider}`;
    return {
      name: `${provider}/${id}`,
      detail: ready ? `${Math.round(contextWindow / 1000)}K context` : missing,
      ready,
    };
  });
  return [...here, ...stored, ...known];
}
