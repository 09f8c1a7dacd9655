import { Command, CommanderError } from 'commander';
import { describe, expect, test } from 'vitest';
import { builtCommands } from '../scripts/reference.ts';
import { buildProgram, parseArgs, subcommands } from '../src/cli/args.ts';
import { parseConfig } from '../src/config/config-file.ts';
import { environmentVariables } from '../src/config/environment.ts';
import { knownKeyPath } from '../src/config/key-path.ts';
import { parsePattern } from '../src/permissions/pattern.ts';
import { allDocs, type Doc, FENCE, inlineCodeOf } from './support/docs.ts';

type Block = { info: string; text: string };

function blocksOf(text: string): Block[] {
  return [...text.matchAll(FENCE)].map(([, info = '', inner = '']) => ({ info: info.trim(), text: inner }));
}

type Word = { text: string; quoted: boolean };

/** The command lines of a shell text, each as its words. Quotes are honoured, expansion is not. */
function commandsOf(text: string): Word[][] {
  const commands: Word[][] = [[]];
  const tokens = text
    .replaceAll('\\\n', ' ')
    .matchAll(/'([^']*)'|"([^"]*)"|(#.*)|(\|\||&&|[|;\n()]|\d?>+&?\d?)|([^\s'"|;&()>]+)|[ \t]+/g);
  let apart = true;
  for (const [whole, single, double, comment, end, bare] of tokens) {
    const text = single ?? double ?? bare;
    if (end !== undefined) commands.push([]);
    const last = commands.at(-1);
    if (text !== undefined && last) {
      const word = { text, quoted: bare === undefined };
      const before = apart ? undefined : last.pop();
      last.push(before ? { text: before.text + text, quoted: before.quoted } : word);
    }
    if (comment !== undefined && !apart) last?.push({ text: whole, quoted: false });
    apart = text === undefined;
  }
  return commands.filter((words) => words.length > 0);
}

/** What follows `aca`, where that is the program of the line. Variables set before it are passed over. */
function acaArgs(words: readonly Word[]): string[] | null {
  const rest = words.slice(words.findIndex(({ text }) => !/^(\$|\w+=.*|\w+=\$)$/.test(text)));
  const texts = rest.map(({ text }) => text);
  if (/^(aca|ai-code-assistant)$/.test(texts[0] ?? '')) return texts.slice(1);
  return texts.slice(0, 3).join(' ') === 'npm start --' ? texts.slice(3) : null;
}

const silent = { out: () => undefined, err: () => undefined };

/** Why the program would not take these arguments, or null. Nothing is run. */
function refusal(args: string[]): string | null {
  if (args.length === 1 && subcommands.some(({ name }) => name === args[0])) return null;
  try {
    const invocation = parseArgs(args, silent);
    if (invocation.kind === 'subcommand') tryOut(subcommand(invocation.name), args.slice(1));
    else for (const rule of [...invocation.options.allow, ...invocation.options.deny]) parsePattern(rule);
    return null;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return null;
    return `aca ${args.join(' ')}: ${(error as Error).message}`;
  }
}

function subcommand(name: string): Command {
  const found = subcommands.find((row) => row.name === name);
  return found ? builtCommands()[found.name] : new Command(name);
}

function allOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(allOf)];
}

function tryOut(command: Command, args: string[]): void {
  for (const inner of allOf(command)) {
    // Groups do nothing themselves, except those with flags of their own.
    if (inner.commands.length > 0 && inner.options.length === 0) continue;
    const takesKey = inner.registeredArguments[0]?.name() === 'key';
    inner.action((first: unknown) => {
      if (takesKey) knownKeyPath(String(first));
    });
  }
  command.parse(args, { from: 'user' });
}

/** What the documents show as commands or flags and the program would refuse. */
function wrongCommands(text: string): string[] {
  const inline = inlineCodeOf(text).filter((code) => !code.includes('<'));
  const shown = [
    ...blocksOf(text).flatMap((block) => (/^(sh|bash|yaml)$/.test(block.info) ? [block.text] : [])),
    ...inline.filter((code) => /^(aca|npm start --) /.test(code)),
  ];
  const problems = shown.flatMap(commandsOf).flatMap((words) => {
    const args = acaArgs(words);
    return (args && refusal(args)) ?? [];
  });
  const flags = inline.flatMap((code) => /^--?[a-z][\w-]*/.exec(code)?.[0] ?? []);
  return [
    ...problems,
    ...flags.filter((flag) => !knownFlags.has(flag)).map((flag) => `${flag}: unknown flag`),
  ];
}

/** Pages about other assistants list names of theirs in the first column of each table. */
function withoutForeignNames({ file, text }: Doc): string {
  return file.includes('coming-from-') ? text.replaceAll(/^\| `[^\n`]*` \|/gm, '|') : text;
}

const knownFlags = new Set(
  [
    buildProgram(silent),
    ...subcommands.flatMap(({ name }) => [...subcommand(name).commands, subcommand(name)]),
  ]
    .flatMap((command) => [...command.options, command.createHelp().visibleOptions(command)].flat())
    .flatMap(({ short, long }) => [short, long]),
);

/** Blocks marked `json config` are read as the program reads its config file. */
function wrongSettings(text: string): string[] {
  return blocksOf(text)
    .filter(({ info }) => info === 'json config')
    .flatMap((block) => {
      try {
        const { input, notices } = parseConfig(block.text, 'example');
        const { allow = [], ask = [], deny = [] } = input.permissions ?? {};
        for (const rule of [...allow, ...ask, ...deny]) parsePattern(rule);
        return notices;
      } catch (error) {
        return [(error as Error).message];
      }
    });
}

/** Every JSON block is JSON: one value, or one value a line. */
function brokenJson(text: string): string[] {
  const isJson = (value: string) => {
    try {
      JSON.parse(value);
      return true;
    } catch {
      return false;
    }
  };
  return blocksOf(text)
    .filter(({ info }) => info.startsWith('json'))
    .map((block) => block.text.trim())
    .filter((block) => !isJson(block) && !block.split('\n').every(isJson));
}

function unknownVariables(text: string): string[] {
  const known = environmentVariables.map(({ name }) => name);
  return [...text.matchAll(/\bAI_ASSISTANT_[A-Z_]+/g)]
    .map(([name]) => name)
    .filter((name) => !known.includes(name));
}

describe('the documents', () => {
  test('there are some, and the checks have something to check', async () => {
    const docs = await allDocs();
    const text = docs.map((doc) => doc.text).join('\n');
    expect(docs.map(({ file }) => file)).toEqual(
      expect.arrayContaining(['README.md', 'docs/headless.md', 'docs/models.md', 'docs/permissions.md']),
    );
    expect(blocksOf(text).filter(({ info }) => info === 'json config').length).toBeGreaterThan(3);
    expect(
      blocksOf(text)
        .flatMap((block) => commandsOf(block.text))
        .filter(acaArgs).length,
    ).toBeGreaterThan(20);
  });

  test.each([
    ['commands and flags are ones the program takes', (doc: Doc) => wrongCommands(withoutForeignNames(doc))],
    ['settings in examples are real and well-formed', ({ text }: Doc) => wrongSettings(text)],
    ['JSON is JSON', ({ text }: Doc) => brokenJson(text)],
    ['environment variables are real', ({ text }: Doc) => unknownVariables(text)],
  ])('%s', async (_name, check) => {
    const docs = await allDocs();
    expect(docs.flatMap((doc) => check(doc).map((problem) => `${doc.file}: ${problem}`))).toEqual([]);
  });
});

describe('a planted mistake is found', () => {
  test.each([
    ['```sh\naca -p "x" --jsn\n```', "aca -p x --jsn: error: unknown option '--jsn'"],
    ['```sh\ngit diff | FOO=1 aca --mode yolo\n```', 'Allowed choices are'],
    ['```sh\nx=$(aca -p "y" \\\n  --nope)\n```', "unknown option '--nope'"],
    ['```sh\nnpm start -- --nope\n```', "unknown option '--nope'"],
    ["```sh\naca -p x --allow 'Bash('\n```", 'is not a permission rule'],
    ['```sh\naca config set nope 1\n```', 'There is no setting nope'],
    ['```sh\naca sessions --all\n```', "unknown option '--all'"],
    ['```yaml\n- run: |\n    aca -p "x" \\\n      --nope\n```', "unknown option '--nope'"],
    ['Use `aca keys list --nope`.', "unknown option '--nope'"],
    ['Pass `--nope`.', '--nope: unknown flag'],
  ])('command: %s', (text, words) => {
    expect(wrongCommands(text)).toEqual([expect.stringContaining(words)]);
  });

  test.each([
    '```sh\naca -p "use --nope" # or --nope\n```',
    '```sh\nrg --nope | aca -p x; ls --nope\n```',
    '```sh\naca --help\n```',
    'Pass `--mode auto`, `-p` or `--json`; see `aca keys`.',
  ])('command: nothing is wrong with %s', (text) => expect(wrongCommands(text)).toEqual([]));

  test.each([
    ['{ "modle": "opus" }', 'unknown setting modle'],
    ['{ "maxTurns": "many" }', 'maxTurns must be a number'],
    ['{ "permissions": { "allow": ["Bash("] } }', 'is not a permission rule'],
    ['{ "model": ', 'not valid JSON'],
  ])('setting: %s', (json, words) => {
    expect(wrongSettings(`\`\`\`json config\n${json}\n\`\`\``)).toEqual([expect.stringContaining(words)]);
  });

  test('JSON and variables', () => {
    expect(brokenJson('```json\n{"a":1}\n{"b":2}\n```\n')).toEqual([]);
    expect(brokenJson('```json\n{"a":1,}\n```\n')).toEqual(['{"a":1,}']);
    expect(unknownVariables('AI_ASSISTANT_MODE and AI_ASSISTANT_MOOD')).toEqual(['AI_ASSISTANT_MOOD']);
  });
});
