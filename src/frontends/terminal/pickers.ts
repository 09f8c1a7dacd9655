import { type AccountListOptions, createAccountList } from '../../app/conversation/account-list.ts';
import { lastExchange } from '../../app/conversation/last-exchange.ts';
import { createModelList, type ModelListOptions } from '../../app/conversation/model-list.ts';
import { sessionStore } from '../../app/settings.ts';
import { setValue } from '../../config/edit.ts';
import { userConfigFile } from '../../config/load.ts';
import type { Pickers } from './flows/pickers.ts';
import type { Screen } from './screen.ts';
import { themeNames } from './theme/theme.ts';

const MOST_HITS = 200;

export type PickersOptions = ModelListOptions & AccountListOptions & { screen: Screen };

/** The data of the screen's pickers. */
export function createPickers(stage: PickersOptions): Pickers {
  const { screen, settings } = stage;
  const store = () => sessionStore(settings());
  let theme: string = settings().config.theme;
  return {
    show: screen.dialogs.show,
    draw: (lines) =>
      screen.store.dispatch({
        type: 'drawn',
        draw: (columns) => lines({ columns, theme: screen.surroundings.now.theme }),
      }),
    sessions: {
      async glimpse(id) {
        const session = await store().read(id);
        return session ? lastExchange(session) : '';
      },
      async search(words) {
        const found = new Map<string, { id: string; line: string }>();
        for (const { summary, line } of store().catalog.search(words, MOST_HITS))
          if (!found.has(summary.id)) found.set(summary.id, { id: summary.id, line });
        return [...found.values()];
      },
    },
    models: createModelList(stage),
    accounts: createAccountList(stage),
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
    send: (text) => screen.submit({ text, images: [] }),
  };
}
