import path from 'node:path';
import { showDemo } from '../../app/first-run/demo.ts';
import { missingModelText } from '../../app/first-run/missing-model.ts';
import { type ModelOffer, modelOffers } from '../../app/first-run/model-offers.ts';
import { modelsOnDisk } from '../../app/first-run/models-on-disk.ts';
import { gigabytes } from '../../app/first-run/options.ts';
import { pasteKey } from '../../app/first-run/paste-key.ts';
import { keyOf, localServers } from '../../app/opening/find-model.ts';
import type { Settings } from '../../app/settings.ts';
import { presetsOf } from '../../assembly/models/choose-model.ts';
import { homeFolder } from '../../lib/files/data-root.ts';
import { type FetchStep, fetchModelParts } from '../shared/fetch-model.ts';
import { withInterruptKey } from '../shared/interrupt-key.ts';
import type { Terminal } from '../shared/terminal.ts';
import { type Findings, pickOffer, welcome } from './flows/welcome.ts';
import type { Screen } from './screen.ts';

/**
 * Nothing is configured: one choice leads to a first answer. Resolves with a model to use, or what to do
 * next.
 */
export async function firstRun(
  settings: Settings,
  { screen, terminal }: { screen: Screen; terminal: Terminal },
): Promise<{ model: string } | 'again' | 'quit'> {
  // They print their own progress.
  const print = (text: string) => screen.print(text);
  const fetch = (steps: FetchStep[]) =>
    screen.lend(() =>
      withInterruptKey(terminal.stdin, (signal) => fetchModelParts(steps, { terminal, signal, print })),
    );
  const way = await welcome(await findings(settings, terminal), screen.dialogs.show);
  switch (way.type) {
    case 'model': {
      const ready = !path.isAbsolute(way.name) || (await hasRuntime(settings)) || (await fetch(['runtime']));
      return ready ? { model: way.name } : 'again';
    }
    case 'setup': {
      const offer = await pickOffer(await modelOffers(terminal), screen.dialogs.show);
      // Enter alone must not confirm a large download.
      if (offer && (await screen.confirm(questionOf(offer)))) await fetch(['runtime', offer.model]);
      return 'again';
    }
    case 'key':
      await pasteKey(settings, { host: terminal, talk: screen });
      return 'again';
    case 'demo':
      await showDemo(
        { print, show: (event) => screen.push(event) },
        { env: terminal.env, approver: screen.approver },
      );
      return 'again';
    case 'again':
    case 'quit':
      return way.type;
    default:
      return way satisfies never;
  }
}

function questionOf({ model, about }: ModelOffer): string {
  return `Download ${model.name} (${about}) and the runtime it needs?`;
}

async function hasRuntime({ root }: Settings): Promise<boolean> {
  const { installedRuntime } = await import('../../embedded/runtime/runtime-folder.ts');
  return (await installedRuntime(root)) !== null;
}

async function findings(settings: Settings, terminal: Terminal): Promise<Findings> {
  const { config, root } = settings;
  const { env } = terminal;
  const presets = presetsOf(config);
  const [servers, words, files, runs, keyed] = await Promise.all([
    localServers(settings, terminal),
    missingModelText(settings, terminal),
    modelsOnDisk({ root, home: homeFolder(env) }),
    hasRuntime(settings),
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
      models: models.map((model) => `${provider}/${model.name}`),
    })),
    files: files.map(({ file, bytes }) => ({
      model: file,
      detail: `${gigabytes(bytes)}, on this disk${runs ? '' : '; also downloads the runtime, once'}`,
    })),
    missingModelText: words,
  };
}
