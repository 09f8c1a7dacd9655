import { Command } from 'commander';
import { discoverLocal } from '../../assemble/choose-model.ts';
import { knownModels } from '../../providers/models.ts';
import { loadSettings } from '../open.ts';
import type { Terminal } from '../terminal.ts';
import { table, withContext } from './context.ts';

export function modelsCommand(terminal: Terminal): Command {
  return withContext(new Command('models'), terminal)
    .description('List the models of the built-in table and of the servers on this machine')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const { config } = loadSettings({}, terminal);
      const local = await discoverLocal({ config, env: terminal.env });
      if (json) {
        terminal.stdout.write(`${JSON.stringify({ known: knownModels, local })}\n`);
        return;
      }
      const known = knownModels.map(({ provider, id, contextWindow, price }) => [
        `${provider}/${id}`,
        `${Math.round(contextWindow / 1000)}K window`,
        price ? `$${price.input} in, $${price.output} out per million tokens` : 'price unknown',
      ]);
      const found = local.flatMap(({ provider, models }) =>
        models.map((id) => [`${provider}/${id}`, 'on this machine', '']),
      );
      terminal.stdout.write(table([...found, ...known]));
    });
}
