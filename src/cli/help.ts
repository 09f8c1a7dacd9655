import { Help } from 'commander';
import { exitCodes } from '../frontends/shared/exit-codes.ts';

/** Headings of commands in the help, in their order. */
const commandGroups = [
  'Sessions and changes',
  'Setup',
  'Models and keys',
  'Safety',
  'Extensions',
  'Editors, servers and batches',
] as const;
export type CommandGroup = (typeof commandGroups)[number];

/** Longer names have their description in the next line. */
const WIDEST_NAME = 26;

type Row = readonly [name: string, description: string];

const DOCS = 'https://github.com/ai-code-assistant/ai-code-assistant/tree/main/docs';
const EXAMPLES = [
  'aca "why does the login test fail?"',
  'git diff | aca -p "review this"',
  'aca -p "fix the failing test" --mode accept-edits --allow \'Bash(npm test)\'',
];
const EXIT_CODES: Row[] = Object.values(exitCodes).map(({ code, meaning }) => [String(code), meaning]);

/** The help of the program: examples first, then commands by group, then options, each within the width of the terminal. */
export function programHelp(commands: readonly { name: string; group: CommandGroup; description: string }[]) {
  return class extends Help {
    override minWidthToWrap = 20;

    override formatItem(name: string, widest: number, description: string, helper: Help): string {
      const width = Math.min(widest, WIDEST_NAME);
      if (name.length <= width) return super.formatItem(name, width, description, helper);
      return `  ${name}\n${super.formatItem('', width, description, helper)}`;
    }

    override formatHelp(command: Parameters<Help['formatHelp']>[0], helper: Help): string {
      const usual = super.formatHelp(command, helper);
      const before = usual.indexOf('\nArguments:') + 1;
      const rows = (group: CommandGroup): Row[] =>
        commands.filter((one) => one.group === group).map(({ name, description }) => [name, description]);
      const widest = Math.max(...commands.map(({ name }) => name.length));
      const list = (title: string, items: readonly Row[], first: number) =>
        `${title}:\n${items.map(([name, text]) => helper.formatItem(name, first, text, helper)).join('\n')}\n`;
      return [
        usual.slice(0, before),
        `Examples:\n${EXAMPLES.map((example) => `  $ ${example}\n`).join('')}\n`,
        ...commandGroups.map((group) => `${list(group, rows(group), widest)}\n`),
        usual.slice(before),
        `\n${list('Exit codes', EXIT_CODES, 3)}`,
        `\nDocs: ${DOCS}\nEach command has its own help: aca COMMAND --help\n`,
      ].join('');
    }
  };
}
