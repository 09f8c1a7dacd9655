import { discoverLocal, presetsOf } from '../assemble/choose-model.ts';
import { type Findings, welcome } from '../tui/flows/welcome.ts';
import type { Screen } from '../tui/screen.ts';
import { showDemo } from './demo.ts';
import { keyOf, type Settings } from './open.ts';
import type { Terminal } from './terminal.ts';
import { lookedFor, pasteKey } from './welcome.ts';

/** Nothing is configured: one choice leads to a first answer. Resolves with a model to use, or what to do next. */
export async function firstRun(
  settings: Settings,
  { screen, terminal }: { screen: Screen; terminal: Terminal },
): Promise<{ model: string } | 'again' | 'quit'> {
  const way = await welcome(await findings(settings, terminal), screen.dialogs.show);
  switch (way.type) {
    case 'model':
      return { model: way.name };
    case 'key':
      await pasteKey(settings, { terminal, talk: screen });
      return 'again';
    case 'demo':
      await showDemo(
        { print: (text) => screen.print(text), tell: (event) => screen.push(event) },
        screen.approver,
      );
      return 'again';
    case 'again':
    case 'quit':
      return way.type;
    default:
      return way satisfies never;
  }
}

async function findings(settings: Settings, terminal: Terminal): Promise<Findings> {
  const { config, root } = settings;
  const { env } = terminal;
  const presets = presetsOf(config);
  const [servers, words, keyed] = await Promise.all([
    discoverLocal({ config, env }),
    lookedFor(settings, terminal),
    Promise.all(presets.map(async (preset) => ({ preset, key: await keyOf(preset, { config, root, env }) }))),
  ]);
  return {
    keys: keyed.flatMap(({ preset: { name, label, defaultModel }, key }) =>
      key && defaultModel !== undefined
        ? [{ label, source: key.source, model: `${name}/${defaultModel}` }]
        : [],
    ),
    servers: servers.map(({ provider, baseUrl, models }) => ({
      label: presets.find(({ name }) => name === provider)?.label ?? provider,
      baseUrl,
      models: models.map((id) => `${provider}/${id}`),
    })),
    embedded: null,
    lookedFor: words,
  };
}
