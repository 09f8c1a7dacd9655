import { homedir } from 'node:os';
import { missingModelText } from '../../app/first-run/missing-model.ts';
import { modelsOnDisk } from '../../app/first-run/models-on-disk.ts';
import { firstRunOptions, menuOf } from '../../app/first-run/options.ts';
import { pasteKey } from '../../app/first-run/paste-key.ts';
import type { Settings } from '../../app/settings.ts';
import { discoverLocal } from '../../assembly/models/choose-model.ts';
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
  const { config, root } = settings;
  const { env } = terminal;
  const fetching = { terminal, print: (text: string) => talk.print(text) };
  const [words, servers, files] = await Promise.all([
    missingModelText(settings, terminal),
    discoverLocal({ config, env }),
    modelsOnDisk({ root, home: env.HOME ?? homedir() }),
  ]);
  const { installedRuntime } = await import('../../embedded/runtime/runtime-folder.ts');
  const ways = firstRunOptions({ servers, files, hasRuntime: (await installedRuntime(root)) !== null });
  talk.print(`${words}\n\n${menuOf(ways)}`);
  const pressed = await talk.pressKey(ways.map(({ key }) => key));
  const way = ways.find(({ key }) => key === pressed);
  switch (way?.type) {
    case 'model': {
      const ready = !way.needsRuntime || (await fetchModelParts(['runtime'], fetching));
      return ready ? { model: way.model } : {};
    }
    case 'setup':
      await fetchModelParts(['runtime', 'first model'], fetching);
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
