import { homedir } from 'node:os';
import { modelsOnDisk } from '../../app/first-run/models-on-disk.ts';
import { menuOf, waysOn } from '../../app/first-run/options.ts';
import { findModel, loadSettings, type Settings } from '../../app/open-assistant.ts';
import { discoverLocal, presetsOf } from '../../assembly/models/choose-model.ts';
import type { Options } from '../../cli/args.ts';
import { createKeychain } from '../../config/keys/keychain.ts';
import { userConfigFile } from '../../config/load.ts';
import { UserError } from '../../contract/errors.ts';
import type { LocalServer } from '../../providers/local/discover.ts';
import type { Preset } from '../../providers/presets.ts';
import { exitCodes } from '../shared/exit-codes.ts';
import type { Terminal } from '../shared/terminal.ts';
import { playDemo } from './demo.ts';
import type { Conversation } from './line-terminal.ts';

/** How the keys of vendors begin, so that a pasted key tells whose it is. Longer beginnings first. */
const KEY_PREFIXES: [prefix: string, provider: string][] = [
  ['sk-ant-', 'anthropic'],
  ['sk-or-', 'openrouter'],
  ['sk-proj-', 'openai'],
  ['AIza', 'google'],
  ['gsk_', 'groq'],
  ['xai-', 'xai'],
  ['csk-', 'cerebras'],
  ['fw_', 'fireworks'],
];

/** Started without a terminal and without a task: says how things stand, and ends. */
export async function showWelcome(options: Options, terminal: Terminal): Promise<number> {
  const settings = loadSettings(options, terminal);
  const choice = await findModel(settings, terminal);
  const standing = choice
    ? `Ready: ${choice.preset.name}/${choice.model}.`
    : await lookedFor(settings, terminal);
  terminal.stdout.write(`ai-code-assistant\n\n${standing}\n\n${USE}\n`);
  return exitCodes.done.code;
}

const USE = `Start it in a terminal to talk to it, or give it a task:
  aca -p "explain this project"
  git diff | aca -p "review this"
  aca --demo        a scripted model at work on a scratch project; needs no key
  aca --help        everything else`;

/** Nothing is configured and nothing was found: what was looked for, and the ways on. */
export async function nothingFound(settings: Settings, terminal: Terminal): Promise<UserError> {
  const [what = '', ...rest] = (await lookedFor(settings, terminal)).split('\n');
  return new UserError(what, rest.join('\n'));
}

export async function lookedFor(settings: Settings, { env }: Terminal): Promise<string> {
  const { config, root } = settings;
  const servers = await discoverLocal({ config, env });
  const known = presetsOf(config);
  return [
    'No model to talk to yet.',
    'Looked for:',
    ...wrapNames('  keys in the environment   ', keyNames(known)),
    `  settings                  ${userConfigFile(root)}`,
    `  stored keys               ${(await createKeychain({ home: root, env }).list()).map((key) => key.provider).join(', ') || 'none'}`,
    ...known
      .filter((preset) => preset.local && preset.name !== 'local')
      .map((preset) => serverLine(preset, servers)),
    'Ways on:',
    '  a key              export ANTHROPIC_API_KEY=…, or: aca keys set anthropic',
    '  a local server     start Ollama, LM Studio, llama-server or vLLM; it is found by itself',
    '  any other server   AI_ASSISTANT_API_BASE_URL=http://host:port/v1 aca --model local/NAME',
    '  an embedded model  aca models setup',
    '  just look          aca --demo',
  ].join('\n');
}

/** Names after a label, broken into lines that fit a terminal and stay aligned. */
function wrapNames(label: string, names: readonly string[]): string[] {
  const lines: string[] = [];
  for (const name of names) {
    const last = lines.at(-1);
    if (last !== undefined && label.length + last.length + name.length + 2 <= 80)
      lines[lines.length - 1] = `${last}, ${name}`;
    else lines.push(name);
  }
  return lines.map((line, i) => (i === 0 ? label : ' '.repeat(label.length)) + line);
}

function keyNames(known: readonly Preset[]): string[] {
  const names = known.filter((preset) => !preset.local).flatMap((preset) => preset.keyEnv.slice(0, 1));
  return [...new Set(names)];
}

function serverLine(preset: Preset, servers: readonly LocalServer[]): string {
  const server = servers.find((candidate) => candidate.provider === preset.name);
  const found = server
    ? server.models.length > 0
      ? `found, ${server.models.length === 1 ? '1 model' : `${server.models.length} models`}`
      : 'found, but it has no model'
    : 'not found';
  return `  ${preset.label.padEnd(24)}  ${found} (${server?.baseUrl ?? preset.baseUrl})`;
}

/** First run in a terminal: offers the ways on; one key is enough. A model comes back by its name. */
export async function setUp(
  settings: Settings,
  { terminal, talk }: { terminal: Terminal; talk: Conversation },
): Promise<{ model?: string } | 'quit'> {
  const { config, root } = settings;
  const { env } = terminal;
  const [words, servers, files] = await Promise.all([
    lookedFor(settings, terminal),
    discoverLocal({ config, env }),
    modelsOnDisk({ root, home: env.HOME ?? homedir() }),
  ]);
  const { installedRuntime } = await import('../../embedded/runtime/runtime-folder.ts');
  const ways = waysOn({ servers, files, hasRuntime: (await installedRuntime(root)) !== null });
  talk.print(`${words}\n\n${menuOf(ways)}`);
  const pressed = await talk.pressKey(ways.map(({ key }) => key));
  const way = ways.find(({ key }) => key === pressed);
  switch (way?.type) {
    case 'model': {
      const ready = !way.needsRuntime || (await fetchParts([['setup']], { terminal, talk }));
      return ready ? { model: way.model } : {};
    }
    case 'setup':
      await fetchParts([['setup'], ['pull']], { terminal, talk });
      return {};
    case 'paste':
      await pasteKey(settings, { terminal, talk });
      return {};
    case 'demo':
      await playDemo(talk);
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

/** Runs these subcommands of `aca models`. The key that was pressed is the yes; each tells what it takes. */
export async function fetchParts(
  steps: readonly string[][],
  { terminal, talk }: { terminal: Terminal; talk: Pick<Conversation, 'print'> },
): Promise<boolean> {
  const { runSubcommand } = await import('../../cli/subcommands/run.ts');
  try {
    for (const step of steps) await runSubcommand('models', [...step, '--yes'], terminal);
    return true;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    talk.print(`${error.message}\n${error.hint}\n`);
    return false;
  }
}

export async function pasteKey(
  { config, root }: Settings,
  { terminal, talk }: { terminal: Terminal; talk: Pick<Conversation, 'ask' | 'askHidden' | 'print'> },
): Promise<void> {
  const key = (await talk.askHidden('API key (not shown): '))?.trim();
  if (!key) return;
  const names = presetsOf(config)
    .filter((preset) => !preset.local)
    .map((preset) => preset.name);
  const guess = KEY_PREFIXES.find(([prefix]) => key.startsWith(prefix))?.[1];
  const provider = guess ?? (await talk.ask(`Whose key is it? (${names.join(', ')}) `))?.trim();
  if (!provider || !names.includes(provider)) {
    talk.print(`Not stored: "${provider ?? ''}" is not one of ${names.join(', ')}.`);
    return;
  }
  const { where, because } = await createKeychain({ home: root, env: terminal.env }).store(provider, key);
  talk.print(`Stored for ${provider} in ${where}${because ? ` (${because})` : ''}.`);
}
