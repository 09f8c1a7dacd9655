import { Argument, Command, Option } from 'commander';
import { describe, expect, test } from 'vitest';
import { placesOf } from './places.ts';
import { completionScript, shells } from './script.ts';
import { tablesOf } from './tables.ts';

function program(): [Command, Command[]] {
  const root = new Command('aca')
    .description('the program')
    .addOption(new Option('-m, --model <model>', "a model; it's yours"))
    .addOption(new Option('--mode <mode>', 'how').choices(['a', 'b']))
    .addOption(new Option('-r, --resume [id]', 'a session'))
    .option('--quiet', 'say nothing');
  const sessions = new Command('sessions').description('past ones');
  sessions
    .command('export')
    .description('write one')
    .argument('<session>')
    .option('-o, --output <file>', 'where to');
  const shell = new Command('completion')
    .description('a script')
    .addArgument(new Argument('<shell>').choices(['bash']));
  return [root, [sessions, shell]];
}

test('commands, flags and their values come from the definitions of the help', () => {
  const help = { name: '--help', about: 'display help for command' };
  const short = { name: '-h', about: help.about };
  expect(tablesOf(placesOf(...program()))).toEqual({
    flags: [
      { keys: ['|-m', '|--model'], kind: 'asked models' },
      { keys: ['|--mode'], kind: 'words a b' },
      { keys: ['|-r', '|--resume'], kind: 'asked sessions' },
      { keys: ['sessions export|-o', 'sessions export|--output'], kind: 'files' },
    ],
    args: [
      { keys: ['sessions export#0'], kind: 'asked sessions' },
      { keys: ['completion#0'], kind: 'words bash' },
    ],
    commands: [
      {
        place: '',
        words: [
          { name: 'sessions', about: 'past ones' },
          { name: 'completion', about: 'a script' },
        ],
      },
      { place: 'sessions', words: [{ name: 'export', about: 'write one' }] },
    ],
    options: [
      {
        place: '',
        words: [
          { name: '-m', about: "a model; it's yours" },
          { name: '--model', about: "a model; it's yours" },
          { name: '--mode', about: 'how' },
          { name: '-r', about: 'a session' },
          { name: '--resume', about: 'a session' },
          { name: '--quiet', about: 'say nothing' },
          short,
          help,
        ],
      },
      { place: 'sessions', words: [short, help] },
      {
        place: 'sessions export',
        words: [{ name: '-o', about: 'where to' }, { name: '--output', about: 'where to' }, short, help],
      },
      { place: 'completion', words: [short, help] },
    ],
    paths: ['sessions', 'sessions export', 'completion'],
  });
});

describe('an apostrophe in a description is quoted as each shell requires', () => {
  const written = { bash: null, zsh: "it'\\''s yours", fish: "it\\'s yours", powershell: "it''s yours" };
  test.each(shells)('%s', (shell) => {
    const script = completionScript(shell, ...program());
    expect(script).toContain(`written by \`aca completion ${shell}\``);
    // Bash shows no descriptions.
    expect(script).toContain(written[shell] ?? '--model');
  });
});
