import { missingModelText } from '../../app/first-run/missing-model.ts';
import { type ModelOffer, modelOffers } from '../../app/first-run/model-offers.ts';
import { modelsOnDisk } from '../../app/first-run/models-on-disk.ts';
import { firstRunOptions, menuOf } from '../../app/first-run/options.ts';
import { pasteKey } from '../../app/first-run/paste-key.ts';
import { localServers } from '../../app/opening/find-model.ts';
import type { Settings } from '../../app/settings.ts';
import { homeFolder } from '../../lib/files/data-root.ts';
import { fetchModelParts } from '../shared/fetch-model.ts';
import type { Terminal } from '../shared/terminal.ts';
import { playDemo } from './demo.ts';
import type { Conversation } from './line-terminal.ts';

/**
 * First run in a terminal: offers the options, selected by a single key. Resolves with the name of a model.
 */
export async function setUp(
  settings: Settings,
  { terminal, talk }: { terminal: Terminal; talk: Conversation },
): Promise<{ model?: string } | 'quit'> {
  const { root } = settings;
  const { env } = terminal;
  const [words, servers, files] = await Promise.all([
    missingModelText(settings, terminal),
    localServers(settings, terminal),
    modelsOnDisk({ root, home: homeFolder(env) }),
  ]);
  const { installedRuntime } = await import('../../embedded/runtime/runtime-folder.ts');
  const ways = firstRunOptions({ servers, files, hasRuntime: (await installedRuntime(root)) !== null });
  talk.print(`${words}\n\n${menuOf(ways)}`);
  const pressed = await talk.pressKey(ways.map(({ key }) => key));
  const way = ways.find(({ key }) => key === pressed);
  switch (way?.type) {
    case 'model': {
      const ready = !way.needsRuntime || (await fetchParts(null, { terminal, talk }));
      return ready ? { model: way.model } : {};
    }
    case 'setup':
      await fetchOffered({ terminal, talk });
      return {};
    case 'paste':
      await pasteKey(settings, { host: terminal, talk });
      return {};
    case 'demo':
      await playDemo(talk, { env });
      return {};
    case 'look':
      return {};
    case 'quit':
    case undefined:
      return 'quit';
    default:
      return way satisfies never;
  }
}

/** Offers models to download; the key that selects one is the consent. */
async function fetchOffered({ terminal, talk }: { terminal: Terminal; talk: Conversation }): Promise<void> {
  const offers = (await modelOffers(terminal)).map((offer, i) => ({ ...offer, key: String(i + 1) }));
  const lines = offers.map(({ key, model, about, why }) => `[${key}] ${model.name} (${why}): ${about}`);
  talk.print(`Download a model and the runtime it needs:\n${lines.join('\n')}\n[b] back`);
  const pressed = await talk.pressKey([...offers.map(({ key }) => key), 'b']);
  const offer = offers.find(({ key }) => key === pressed);
  if (offer) await fetchParts(offer.model, { terminal, talk });
}

/** Ctrl+C stops the download, not the program. */
async function fetchParts(
  model: ModelOffer['model'] | null,
  { terminal, talk }: { terminal: Terminal; talk: Conversation },
): Promise<boolean> {
  const stop = new AbortController();
  talk.onInterrupt(() => {
    stop.abort(new DOMException('Stopped by Ctrl+C.', 'AbortError'));
    return true;
  });
  try {
    const print = (text: string) => talk.print(text);
    const steps = model ? (['runtime', model] as const) : (['runtime'] as const);
    return await fetchModelParts(steps, { terminal, signal: stop.signal, print });
  } finally {
    talk.onInterrupt(() => false);
  }
}
