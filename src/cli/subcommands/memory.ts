import path from 'node:path';
import { Command } from 'commander';
import { loadSettings } from '../../app/settings.ts';
import { UserError } from '../../contract/errors.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { visible } from '../../lib/text/printable.ts';
import { rankTexts } from '../../memory/select.ts';
import { MemoryStore, type Note } from '../../memory/store.ts';
import { table, withContext } from './context.ts';

const MOST_FOUND = 20;

type Numbered = { number: number; note: Note };

export function memoryCommand(terminal: Terminal): Command {
  const print = (text: string): void => {
    terminal.stdout.write(text);
  };
  const open = () => {
    const { root } = loadSettings({}, terminal);
    return new MemoryStore({ folder: path.join(root, 'memory'), project: terminal.cwd });
  };
  const numbered = (store: MemoryStore): Numbered[] =>
    store.list().map((note, i) => ({ number: i + 1, note }));
  const json = ['--json', 'print JSON'] as const;
  const show = (notes: readonly Numbered[], nothing: string, asJson: { json?: boolean }) => {
    if (asJson.json) print(`${JSON.stringify(notes.map(({ number, note }) => ({ number, ...note })))}\n`);
    else print(notes.length > 0 ? table(notes.map(rowOf)) : `${nothing}\n`);
  };

  const command = withContext(new Command('memory'), terminal).description(
    'View, search and delete memories about you and this project',
  );

  command
    .command('list', { isDefault: true })
    .description('List memories about you and the project in this folder')
    .option(...json)
    .action((options: { json?: boolean }) => show(numbered(open()), 'No memories yet.', options));

  command
    .command('search')
    .description('Search memories, best match first')
    .argument('<words...>')
    .option(...json)
    .action(async (words: string[], options: { json?: boolean }) => {
      const notes = numbered(open());
      const texts = notes.map(({ note }) => note.text);
      const order = await rankTexts(words.join(' '), texts, null);
      const found = order.slice(0, MOST_FOUND).flatMap((place) => notes[place] ?? []);
      show(found, 'Nothing found.', options);
    });

  command
    .command('forget')
    .description('Delete a memory by its number in the list')
    .argument('<number>')
    .action(async (number: string) => {
      const store = open();
      const found = numbered(store).find((one) => String(one.number) === number);
      if (!found)
        throw new UserError(`There is no memory ${number}.`, 'Run `aca memory list` to see the numbers.');
      await store.replace(found.note, () => null);
      print(`Forgotten: ${visible(found.note.text)}\n`);
    });

  command
    .command('path')
    .description('Print the folder with the memory files: Markdown that you can edit')
    .action(() => print(`${open().folder}\n`));

  return command;
}

function rowOf({ number, note }: Numbered): string[] {
  const { kind, date, pinned, text } = note;
  return [String(number), kind, date ?? '', `${pinned ? '* ' : ''}${visible(text)}`];
}
