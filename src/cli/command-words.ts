import type { Command } from 'commander';
import { isOneSlip } from '../lib/text/nearest.ts';
import { subcommands } from './args.ts';

/** What words without `-p` are: a prompt, a request for help with a command, or what may be meant as a command. */
export type WordsMeaning =
  | { type: 'prompt' }
  | { type: 'help'; args: string[] }
  | { type: 'doubtful'; problem: string; hint: string };

/** What commands of other assistants and usual names of commands are here; null for none of ours. */
const OTHER_COMMANDS: Readonly<Record<string, string | null>> = {
  agent: null,
  agents: null,
  'app-server': 'acp',
  apply: null,
  archive: 'sessions',
  auth: 'keys set',
  cloud: null,
  configure: 'config',
  continue: '--continue',
  debug: '--debug',
  env: 'config',
  extension: 'plugin',
  extensions: 'plugin',
  features: 'config',
  feedback: null,
  gateway: null,
  github: null,
  hooks: null,
  info: 'doctor',
  install: 'plugin install',
  list: 'sessions list',
  log: 'sessions list',
  login: 'keys set',
  logout: 'keys remove',
  logs: 'sessions list',
  ls: 'sessions list',
  marketplace: 'plugin marketplace',
  'mcp-server': 'mcp serve',
  pr: null,
  project: null,
  ps: 'sessions list',
  'remote-control': 'serve',
  restart: 'serve',
  sandbox: null,
  server: 'serve',
  settings: 'config',
  setup: 'doctor',
  'setup-token': 'keys set',
  skill: null,
  skills: null,
  start: 'serve',
  status: 'doctor',
  stop: null,
  tui: null,
  upgrade: 'update',
  usage: 'stats',
  web: 'serve',
  whoami: 'keys list',
};

/** Commands of other assistants that take a task. Two words or an option are a command; more are a sentence. */
const TASK_COMMANDS = ['ask', 'chat', 'e', 'exec', 'run'];

/** What follows the name of a command with commands of its own. */
const INNER_COMMANDS =
  /^(add|create|delete|disable|enable|get|info|init|list|login|logout|ls|new|remove|rm|set|show|status|update)$/;

/** Words after `help` with which a request for help begins. */
const REQUEST = /^(?:me|us|please|wanted|needed)$/i;

type Known = {
  load(name: string): Promise<Command>;
  /** The names of slash commands, without the slash. */
  slashCommands(): Promise<readonly string[]>;
};

/**
 * What positional arguments mean. A mistyped command or one that exists elsewhere is not taken for a prompt: sending it to
 * a model costs money.
 */
export async function meaningOfWords(words: readonly string[], known: Known): Promise<WordsMeaning> {
  const [first = '', ...rest] = words;
  if (words.length === 1 && first === 'help') return { type: 'help', args: ['--help'] };
  if (TASK_COMMANDS.includes(first)) return taskMeaning(words);
  if (!words.every((word) => /^\w[\w-]*$/.test(word)) || words.length > 4) return { type: 'prompt' };
  const isHelp = first === 'help';
  const named = isHelp ? rest : words;
  const meant = await commandMeant(named, known.load);
  if (isHelp && meant === named.join(' ')) return { type: 'help', args: [...named, '--help'] };
  if (meant !== null) return doubtful(words, named[0] ?? '', [`aca ${isHelp ? 'help ' : ''}${meant}`]);
  if (isHelp) {
    const isTopic = named.length === 1 && !REQUEST.test(named[0] ?? '');
    return isTopic ? doubtful(words, named[0] ?? '', ['aca help']) : { type: 'prompt' };
  }
  return foreignMeaning(words, await known.slashCommands());
}

function doubtful(words: readonly string[], unknown: string, meant: readonly string[]): WordsMeaning {
  const question =
    meant.length === 0 ? '' : `Did you mean ${meant.map((one) => `\`${one}\``).join(' or ')}? `;
  return {
    type: 'doubtful',
    problem: `Unknown command "${unknown}".`,
    hint: `${question}To send it as a prompt: aca -- ${words.map(quoted).join(' ')}`,
  };
}

/** `exec 'fix the test'` and `run hi`. `run the tests` is a prompt. */
function taskMeaning(words: readonly string[]): WordsMeaning {
  const [first = '', ...task] = words;
  if (task.length > 1 && first !== 'exec') return { type: 'prompt' };
  const instead = task.length === 0 ? 'aca -p TASK' : `aca -p ${quoted(task.join(' '))}`;
  return doubtful(words, first, [instead]);
}

/** A command of another assistant, or a slash command without its slash. */
function foreignMeaning(words: readonly string[], slashCommands: readonly string[]): WordsMeaning {
  const [first = '', second] = words;
  const name = first.toLowerCase();
  const isForeign = Object.hasOwn(OTHER_COMMANDS, name);
  const isSlash = slashCommands.includes(name);
  const isAlone = words.length === 1 || (words.length === 2 && INNER_COMMANDS.test(second ?? ''));
  if (!isAlone || !(isForeign || isSlash)) return { type: 'prompt' };
  const ours = OTHER_COMMANDS[name] ?? null;
  const meant = [...(ours === null ? [] : [`aca ${ours}`]), ...(isSlash ? [`/${name}`] : [])];
  return doubtful(words, first, meant.length > 0 ? meant : ['aca help']);
}

function quoted(word: string): string {
  return /^[\w-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The command that words name, apart from typos; null if they are no command. Every word has to be one of its words. */
async function commandMeant(words: readonly string[], load: Known['load']): Promise<string | null> {
  const [first = '', ...inner] = words;
  const name = subcommands.map((one) => one.name).find((one) => isNear(first, one));
  if (name === undefined || (Object.hasOwn(OTHER_COMMANDS, first) && inner.length === 0)) return null;
  if (inner.length === 0) return name;
  let command: Command | undefined = await load(name);
  for (const word of inner)
    command = command?.commands.find((one) => one.name() === word || one.aliases().includes(word));
  return command ? [name, ...inner].join(' ') : null;
}

/** One slip of the keyboard away, or singular instead of plural. Short words are too close to other words. */
function isNear(typed: string, name: string): boolean {
  const word = typed.toLowerCase();
  if ([word, `${word}s`].includes(name)) return true;
  const forms = name.endsWith('s') ? [name, name.slice(0, -1)] : [name];
  return forms.some((form) => form.length > 4 && word[0] === form[0] && isOneSlip(word, form));
}
