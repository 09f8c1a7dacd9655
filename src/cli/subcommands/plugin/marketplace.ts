import { Command } from 'commander';
import {
  addMarketplace,
  type Marketplace,
  openMarketplace,
  removeMarketplace,
  storeOf,
  updateMarketplace,
} from '../../../app/plugins/marketplaces.ts';
import type { Terminal } from '../../../frontends/shared/terminal.ts';
import { visible } from '../../../lib/text/printable.ts';
import { sourceText } from '../../../plugins/marketplace/source.ts';
import { withContext } from '../context.ts';
import { placeOf } from './place.ts';

export function marketplaceCommand(terminal: Terminal): Command {
  const print = (text: string) => void terminal.stdout.write(`${visible(text)}\n`);
  const command = withContext(new Command('marketplace'), terminal).description('Manage lists of plugins');
  command
    .command('add')
    .description('Add a marketplace; nothing of it runs')
    .argument('<source>', 'a folder, a git address, or owner/name on GitHub; #ref selects a branch or tag')
    .action(async (source: string) => {
      const added = await addMarketplace(source, placeOf(terminal));
      print(`Added ${added.name}.\n${pluginLines(added)}`);
    });
  command
    .command('list')
    .description('List marketplaces and their plugins')
    .action(() => {
      const place = placeOf(terminal);
      const names = Object.keys(storeOf(place).marketplaces);
      if (names.length === 0) print('No marketplaces. Add one with `aca plugin marketplace add`.');
      for (const name of names) {
        const opened = openMarketplace(name, place);
        print(`${name}  ${sourceText(opened.source)}\n${pluginLines(opened)}`);
      }
    });
  command
    .command('update')
    .description('Fetch marketplaces again; installed plugins do not change')
    .argument('[name]', 'name of the marketplace (default: all)')
    .action(async (name: string | undefined) => {
      const place = placeOf(terminal);
      const names = name === undefined ? Object.keys(storeOf(place).marketplaces) : [name];
      if (names.length === 0) print('No marketplaces. Add one with `aca plugin marketplace add`.');
      for (const one of names) {
        await updateMarketplace(one, place);
        print(`Updated ${one}. Run \`aca plugin update\` to update its plugins.`);
      }
    });
  command
    .command('remove')
    .description('Remove a marketplace; plugins installed from it stay')
    .argument('<name>', 'name of the marketplace')
    .action(async (name: string) => {
      await removeMarketplace(name, placeOf(terminal));
      print(`Removed ${name}. Plugins installed from it stay; see \`aca plugin list\`.`);
    });
  return command;
}

function pluginLines({ plugins, troubles }: Marketplace): string {
  const lines = plugins.map(({ name, version, description }) =>
    `  ${[name, version, description].filter(Boolean).join('  ')}`.replaceAll('\n', ' '),
  );
  return [...(lines.length === 0 ? ['  no plugins'] : lines), ...troubles.map((text) => `  ${text}`)].join(
    '\n',
  );
}
