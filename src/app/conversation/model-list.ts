import { homedir } from 'node:os';
import { presetsOf } from '../../assembly/models/choose-model.ts';
import type { SlashCommand } from '../../contract/command.ts';
import { UserError } from '../../contract/errors.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import type { ModelRow, PickerDesk } from '../../frontends/terminal/flows/desk.ts';
import { knownModels } from '../../providers/models/models.ts';
import { modelsOnDisk } from '../first-run/models-on-disk.ts';
import { gigabytes } from '../first-run/options.ts';
import { findModel, keyOf, type Settings } from '../open-assistant.ts';

export type ModelStage = {
  terminal: Terminal;
  settings(): Settings;
  /** `provider/model` of the one that answers. */
  model(): string;
  /** The conversation goes on with another model. */
  switchTo(model: string): void;
};

/** The models a conversation can go on with. */
export function createModelDesk({ terminal, settings, model, switchTo }: ModelStage): PickerDesk['models'] {
  return {
    current: model,
    list: () => listModels(settings(), terminal),
    async use(name) {
      const { config, ...others } = settings();
      const choice = await findModel({ ...others, config: { ...config, model: name } }, terminal);
      if (!choice) throw new UserError(`There is no model "${name}".`, '/model lists them.');
      switchTo(`${choice.preset.name}/${choice.model}`);
    },
  };
}

/** `/model` in plain lines. */
export function plainModelCommand(desk: PickerDesk['models']): SlashCommand {
  return {
    name: 'model',
    description: 'List the models that can answer; /model NAME goes on with it at once',
    async execute([name], { print }) {
      if (name !== undefined) return desk.use(name);
      const rows = await desk.list();
      const line = ({ name: row, detail }: ModelRow) =>
        `${row === desk.current() ? '*' : ' '} ${row}   ${detail}`;
      print(
        rows
          .filter(({ ready }) => ready)
          .map(line)
          .join('\n') || 'No model was found.',
      );
    },
  };
}

/** Of vendors, of the servers on this machine, and on its disk. */
async function listModels({ config, root }: Settings, { env }: Terminal): Promise<ModelRow[]> {
  const { discoverLocal } = await import('../../assembly/models/choose-model.ts');
  const presets = presetsOf(config);
  const [local, files, keys] = await Promise.all([
    discoverLocal({ config, env }),
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
    detail: `${gigabytes(bytes)}, runs in this program`,
    ready: true,
  }));
  const known = knownModels.map(({ provider, id, contextWindow }) => {
    const [variable] = presets.find(({ name }) => name === provider)?.keyEnv ?? [];
    const ready = keyed.has(provider);
    const missing = `no key: set ${variable ?? 'one'}, or run aca keys set ${provider}`;
    return {
      name: `${provider}/${id}`,
      detail: ready ? `${Math.round(contextWindow / 1000)}K window` : missing,
      ready,
    };
  });
  return [...here, ...stored, ...known];
}
