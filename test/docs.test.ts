import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, CommanderError } from 'commander';
import { describe, expect, test } from 'vitest';
import { builtCommands } from '../scripts/reference.ts';
import type { Report } from '../src/app/conversation/run-report.ts';
import { buildProgram, parseArgs, subcommands } from '../src/cli/args.ts';
import { parseConfig } from '../src/config/config-file.ts';
import { environmentVariables } from '../src/config/environment.ts';
import { knownKeyPath } from '../src/config/key-path.ts';
import { modesByStrictness } from '../src/config/schema/schema.ts';
import type { AgentEvent } from '../src/contract/event.ts';
import { searchServices } from '../src/contract/web-search.ts';
import { exitCodes } from '../src/frontends/shared/exit-codes.ts';
import { parsePattern } from '../src/permissions/pattern.ts';
import { commandRules } from '../src/permissions/rules/commands.ts';
import { builtIn } from '../src/providers/models/models-data.ts';
import { presets } from '../src/providers/presets.ts';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');

type Doc = { file: string; text: string };
type Block = { info: string; text: string };

async function allDocs(): Promise<Doc[]> {
  const inRoot = (await readdir(root)).filter((name) => name.endsWith('.md'));
  const inDocs = (await readdir(path.join(root, 'docs'))).map((name) => `docs/${name}`);
  return Promise.all(
    [...inRoot, ...inDocs.filter((name) => name.endsWith('.md'))].map(async (file) => ({
      file,
      text: await readFile(path.join(root, file), 'utf8'),
    })),
  );
}

/** The sources of the program without their tests, and its man page. */
async function programTexts(): Promise<Doc[]> {
  const names = await readdir(path.join(root, 'src'), { recursive: true });
  const sources = names.filter((name) => name.endsWith('.ts') && !name.includes('.test.'));
  return Promise.all(
    [...sources.map((name) => path.join('src', name)), 'man/aca.1'].map(async (file) => ({
      file,
      text: await readFile(path.join(root, file), 'utf8'),
    })),
  );
}

const FENCE = /^```([^\n`]*)\n([\s\S]*?)^```$/gm;

function blocksOf(text: string): Block[] {
  return [...text.matchAll(FENCE)].map(([, info = '', inner = '']) => ({ info: info.trim(), text: inner }));
}

function inlineCodeOf(text: string): string[] {
  return [...text.replaceAll(FENCE, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
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

/** The first cells of the table under a heading, without its head. */
function rowsUnder(title: string, text: string): string[] {
  const section = text.split(/^#+ /m).find((part) => part.startsWith(`${title}\n`)) ?? '';
  return [...section.matchAll(/^\| `?([\w-]+)`? +\|/gm)].map(([, cell = '']) => cell).slice(2);
}

async function docNamed(file: string): Promise<string> {
  return readFile(path.join(root, 'docs', file), 'utf8');
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

test('the privacy page names everybody whose address is in the program', async () => {
  const known: Record<string, string> = {
    'registry.npmjs.org': 'The npm registry',
    'huggingface.co': 'Hugging Face',
    'raw.githubusercontent.com': 'GitHub',
    // Names of permissions that the clouds' login servers grant.
    'www.googleapis.com': 'Google OAuth',
    'cognitiveservices.azure.com': 'Microsoft Entra ID',
    ...Object.fromEntries(
      searchServices.flatMap(({ label, address, keyUrl }) =>
        [address, keyUrl].filter(Boolean).map((url) => [new URL(url ?? '').host, label]),
      ),
    ),
    'github.com': 'GitHub',
  };
  // Addresses that are shown to people or are examples; the providers are in the table of presets.
  const notContacted = /(presets|models-data|commands|mcp.change|web-fetch)\.ts$|src.firewall/;
  const page = await docNamed('privacy.md');
  const sources = (await programTexts()).filter(({ file }) => !notContacted.test(file));
  const addresses = sources.flatMap(({ text }) => [...text.matchAll(/https?:\/\/([a-z0-9.-]+\.[a-z]{2,})/g)]);
  const hosts = [...new Set(addresses.map(([, host = '']) => host))];
  const unnamed = hosts.filter((host) => !host.endsWith('.invalid') && !page.includes(known[host] ?? host));
  expect(hosts).toContain('huggingface.co');
  expect(unnamed).toEqual([]);
});

test('the program names no page of docs/, because its packages contain none', async () => {
  const { files } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
    files: string[];
  };
  const pages = new Set((await readdir(path.join(root, 'docs'))).filter((name) => name.endsWith('.md')));
  const named = (await programTexts()).flatMap(({ file, text }) =>
    [...text.matchAll(/\bdocs\/([\w-]+\.md)/g)]
      .filter(([, page = '']) => pages.has(page))
      .map(([words]) => `${file}: ${words}`),
  );
  expect(files).not.toContain('docs');
  expect(pages).toContain('sandbox.md');
  expect(named).toEqual([]);
});

describe('tables name everything there is, and nothing else', () => {
  test('events', async () => {
    const kinds: Record<AgentEvent['type'], true> = {
      run_start: true,
      turn_start: true,
      text: true,
      thinking: true,
      reclassify: true,
      call_start: true,
      question: true,
      judged: true,
      tool_start: true,
      tool_progress: true,
      subagent: true,
      tool_end: true,
      cache: true,
      model_call: true,
      retry: true,
      loading: true,
      usage: true,
      message: true,
      compacted: true,
      notice: true,
      end: true,
    };
    expect(rowsUnder('Events', await docNamed('headless.md'))).toEqual(Object.keys(kinds));
  });
  test('fields of the result', async () => {
    const fields: Record<keyof Report, true> = {
      type: true,
      sessionId: true,
      provider: true,
      model: true,
      stopReason: true,
      result: true,
      structured: true,
      turns: true,
      usage: true,
      costUsd: true,
      filesChanged: true,
      commands: true,
      changes: true,
      checks: true,
      denials: true,
      sandbox: true,
      durationMs: true,
      error: true,
    };
    expect(rowsUnder('The result', await docNamed('headless.md'))).toEqual(Object.keys(fields));
  });

  test('exit codes, modes, refused commands, vendors and aliases', async () => {
    const models = await docNamed('models.md');
    const permissions = await docNamed('permissions.md');
    expect(rowsUnder('Exit codes', await docNamed('headless.md'))).toEqual(
      Object.values(exitCodes).map(({ code }) => String(code)),
    );
    expect(rowsUnder('Modes', permissions)).toEqual([...modesByStrictness]);
    expect(rowsUnder('Commands', permissions)).toEqual(commandRules.map(({ name }) => name));
    expect(rowsUnder('Providers', models)).toEqual(presets.map(({ name }) => name));
    const named = inlineCodeOf(models.split(/^#+ Aliases\n/m)[1]?.split('\n\n')[0] ?? '');
    expect(named.sort()).toEqual(Object.keys(builtIn.aliases).sort());
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
