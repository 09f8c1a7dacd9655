import { readFileSync } from 'node:fs';
import type { Option } from 'commander';
import { buildProgram, subcommands } from '../src/cli/args.ts';
import { environmentVariables } from '../src/config/environment.ts';
import { exitCodes } from '../src/frontends/shared/exit-codes.ts';
import { type CommandRow, commandRows } from './reference.ts';

const { homepage } = JSON.parse(readFileSync('package.json', 'utf8')) as { homepage: string };

/** The manual page in roff, from the definitions that the program itself uses. */
export function manPage(): string {
  const program = buildProgram({ out: () => undefined, err: () => undefined });
  const flags = program.createHelp().visibleOptions(program);
  const groups = [...new Set(flags.map(groupOf))];
  const commands: readonly CommandRow[] = commandRows();
  return `${[
    '.\\" Generated from the code by `npm run docs`; do not edit.',
    '.TH ACA 1 "" "ai\\-code\\-assistant" "User Commands"',
    '.SH NAME',
    'aca, ai\\-code\\-assistant \\- AI coding assistant for the terminal',
    '.SH SYNOPSIS',
    '.B aca\n[\\fIOPTION\\fR]... [\\fIPROMPT\\fR]...\n.br\n.B aca\n\\fICOMMAND\\fR [\\fIARGUMENT\\fR]...',
    '.SH DESCRIPTION',
    text(program.description()),
    '.SH OPTIONS',
    ...groups.flatMap((group) => [
      `.SS ${text(group)}`,
      ...flags.filter((flag) => groupOf(flag) === group).map((flag) => item(flag.flags, aboutFlag(flag))),
    ]),
    '.SH COMMANDS',
    ...subcommands.map(({ name, description }) =>
      [
        item(`aca ${name}`, `${description}.`),
        ...commands.filter((row) => row.under === name).map(innerItems),
      ].join('\n'),
    ),
    '.SH EXIT STATUS',
    ...Object.values(exitCodes).map(({ code, meaning }) => item(String(code), meaning)),
    '.SH ENVIRONMENT',
    ...environmentVariables.map(({ name, description }) => item(name, description)),
    '.SH FILES',
    ...files.map(([name, about]) => item(name, about)),
    '.SH EXAMPLES',
    ...examples.map(([line, about]) => `.PP\n${text(about)}\n.PP\n.nf\n.RS\n${text(line)}\n.RE\n.fi`),
    '.SH SEE ALSO',
    text(`aca --help, aca COMMAND --help, and the documentation at ${homepage.replace(/#.*/, '')}.`),
  ].join('\n')}\n`;
}

const files: [name: string, about: string][] = [
  ['~/.ai-assistant/', 'the data root; set AI_ASSISTANT_HOME to use another one'],
  ['~/.ai-assistant/config.json', 'your settings; aca config schema describes them all'],
  ['.ai-assistant.json', 'project settings; those that loosen restrictions apply only in trusted folders'],
  ['AGENTS.md', 'project instructions for AI assistants'],
];

const examples: [line: string, about: string][] = [
  ['aca "why does the login test fail?"', 'Start a conversation with a question:'],
  ['git diff | aca -p "review this"', 'Print one answer about piped input:'],
  [
    'aca -p "fix the failing test" --mode accept-edits --allow \'Bash(npm test)\' --output-format json',
    'Do a task in a script:',
  ],
];

function innerItems({ usage, description, flags }: CommandRow): string {
  const inner = flags.map((flag) => item(flag.flags, aboutFlag(flag)));
  return ['.RS', item(usage, description), ...(inner.length > 0 ? ['.RS', ...inner, '.RE'] : []), '.RE'].join(
    '\n',
  );
}

function groupOf(flag: Option): string {
  return (flag.helpGroupHeading ?? 'Options:').replace(/:$/, '');
}

function aboutFlag({ description, argChoices }: Option): string {
  return argChoices ? `${description}: ${argChoices.join(', ')}` : description;
}

function item(term: string, about: string): string {
  return `.TP\n\\fB${escaped(term)}\\fR\n${text(about)}`;
}

/** Escapes lines that start with a dot or a quote, which would be roff requests. */
function text(words: string): string {
  return escaped(words).replaceAll(/^(?=[.'])/gm, '\\&');
}

function escaped(words: string): string {
  return words
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('~', '\\(ti')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('…', '...');
}
