import { homedir } from 'node:os';
import { presetsOf } from '../assemble/choose-model.ts';
import { setValue } from '../config/edit.ts';
import { userConfigFile } from '../config/load.ts';
import { UserError } from '../contract/errors.ts';
import { knownModels } from '../providers/models.ts';
import type { ModelRow, PickerDesk } from '../tui/flows/desk.ts';
import type { Screen } from '../tui/screen.ts';
import { themeNames } from '../tui/theme.ts';
import { gigabytes } from './first-ways.ts';
import { modelsOnDisk } from './models-on-disk.ts';
import { findModel, keyOf, type Settings, sessionStore } from './open.ts';
import { tailOf } from './session-tail.ts';
import type { Terminal } from './terminal.ts';

const MOST_HITS = 200;

export type PickerStage = {
  screen: Screen;
  terminal: Terminal;
  settings(): Settings;
  /** `provider/model` of the one that answers. */
  model(): string;
  /** The conversation goes on with another model. */
  switchTo(model: string): void;
};

/** What the screen's pickers choose from. */
export function createPickerDesk(stage: PickerStage): PickerDesk {
  const { screen, terminal, settings, model, switchTo } = stage;
  const store = () => sessionStore(settings());
  let theme: string = settings().config.theme;
  return {
    show: screen.dialogs.show,
    kit: screen.kit,
    sessions: {
      async glimpse(id) {
        const session = await store().read(id);
        return session ? tailOf(session) : '';
      },
      async search(words) {
        const found = new Map<string, { id: string; line: string }>();
        for (const { summary, line } of store().catalog.search(words, MOST_HITS))
          if (!found.has(summary.id)) found.set(summary.id, { id: summary.id, line });
        return [...found.values()];
      },
    },
    models: {
      current: model,
      list: () => listModels(settings(), terminal),
      async use(name) {
        const { config, ...others } = settings();
        const choice = await findModel({ ...others, config: { ...config, model: name } }, terminal);
        if (!choice) throw new UserError(`There is no model "${name}".`, '/model lists them.');
        switchTo(`${choice.preset.name}/${choice.model}`);
      },
    },
    themes: {
      current: () => theme,
      names: themeNames,
      wear: (name) => screen.setTheme(name),
      async keep(name) {
        theme = name;
        await setValue(userConfigFile(settings().root), ['theme'], name);
      },
    },
    draft: (text) => screen.prompt.fill({ text, images: [] }),
  };
}

/** Of vendors, of the servers on this machine, and on its disk. */
async function listModels({ config, root }: Settings, { env }: Terminal): Promise<ModelRow[]> {
  const { discoverLocal } = await import('../assemble/choose-model.ts');
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
