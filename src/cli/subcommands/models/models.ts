import { Command } from 'commander';
import { localServers } from '../../../app/opening/find-model.ts';
import { loadSettings } from '../../../app/settings.ts';
import { curatedModels } from '../../../embedded/models/curated.ts';
import { ModelStore } from '../../../embedded/models/model-store.ts';
import type { Terminal } from '../../../frontends/shared/terminal.ts';
import type { LocalServer } from '../../../providers/local/discover.ts';
import type { LocalModel } from '../../../providers/local/local-model.ts';
import { modelTable } from '../../../providers/models/model-table.ts';
import { knownModels } from '../../../providers/models/models.ts';
import { table, withContext } from '../context.ts';
import { embeddedCommands, embeddedRows } from './embedded.ts';
import { probeCommand } from './probe.ts';
import { modelsUpdateCommand } from './update.ts';
import { priceText, windowText } from './vendor-models.ts';

export function modelsCommand(terminal: Terminal): Command {
  const command = withContext(new Command('models'), terminal).description('List, download and test models');
  command
    .command('list', { isDefault: true })
    .description('List models on this machine, downloadable models and provider models')
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) => listModels(options, terminal));
  command.addCommand(probeCommand(terminal)).addCommand(modelsUpdateCommand(terminal));
  for (const other of embeddedCommands(terminal)) command.addCommand(other);
  return command;
}

async function listModels({ json }: { json?: boolean }, terminal: Terminal): Promise<void> {
  const settings = loadSettings({}, terminal);
  const { root } = settings;
  const local = await localServers(settings, terminal, 'all');
  if (json) {
    const embedded = (await new ModelStore(root).list()).map(({ name, file }) => ({ name, file }));
    const { date, sources } = modelTable();
    const all = { date, sources, known: knownModels(), local, embedded, curated: curatedModels };
    terminal.stdout.write(`${JSON.stringify(all)}\n`);
    return;
  }
  const known = knownModels().map(({ provider, id, contextWindow, price, retired }) => [
    `${provider}/${id}`,
    windowText(contextWindow),
    retired !== undefined ? `retired on ${retired}` : priceText({ price }),
  ]);
  const found = local.flatMap((server) => [
    ...stateRow(server),
    ...server.models.map((model) => localRow(server.provider, model)),
  ]);
  terminal.stdout.write(table([...found, ...(await embeddedRows(root)), ...known]));
  terminal.stderr.write(
    `Prices and context windows as of ${modelTable().date}; --json shows their sources. Refresh them with \`aca models update\`.\n`,
  );
}

function stateRow({ provider, baseUrl, state }: LocalServer): string[][] {
  if (state === undefined) return [];
  return [
    state === 'loading'
      ? [provider, 'still loading its model', baseUrl]
      : [provider, 'needs a key', `aca keys set ${provider}`],
  ];
}

function localRow(provider: string, model: LocalModel): string[] {
  const { name, contextWindow, sizeBytes, parameters, quantization, abilities = {}, loaded } = model;
  const able = Object.entries(abilities).flatMap(([ability, has]) => (has ? [ability] : []));
  const facts = [
    parameters,
    quantization,
    sizeBytes === undefined ? undefined : `${(sizeBytes / 1e9).toFixed(1)} GB`,
    able.join(' '),
    loaded ? 'loaded' : undefined,
  ];
  const window = contextWindow === undefined ? 'on this machine' : windowText(contextWindow);
  return [`${provider}/${name}`, window, facts.filter(Boolean).join(', ')];
}
