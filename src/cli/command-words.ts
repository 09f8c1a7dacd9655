import type { Command } from 'commander';
import { UserError } from '../contract/errors.ts';
import { isOneSlip } from '../lib/text/nearest.ts';
import { subcommands } from './args.ts';

/** Our commands for those of other programs. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  login: 'keys set',
  logout: 'keys remove',
  upgrade: 'update',
};

type Load = (name: string) => Promise<Command>;

/**
 * `aca help [command]` as flags. Throws if the words are a mistyped command: they would be sent to a
 * model, which costs money. Everything else is a prompt, and is returned as it is.
 */
export async function commandWords(args: string[], load: Load): Promise<string[]> {
  const [first = '', ...rest] = args;
  if (args.length === 1 && first === 'help') return ['--help'];
  const named = first === 'help' ? rest : args;
  const meant = await commandMeant(named, load);
  if (meant === null) return args;
  if (first === 'help' && meant === named.join(' ')) return [...named, '--help'];
  const whole = first === 'help' ? `help ${meant}` : meant;
  throw new UserError(
    `Unknown command "${named[0]}".`,
    `Did you mean \`aca ${whole}\`? To send it as a prompt: aca -- ${args.join(' ')}`,
  );
}

/** The command that words name, apart from typos; null if they are no command. Every word has to be one of its words. */
async function commandMeant(words: readonly string[], load: Load): Promise<string | null> {
  const [first = '', ...inner] = words;
  const other = Object.hasOwn(OTHER_NAMES, first) ? OTHER_NAMES[first] : undefined;
  if (other !== undefined) return inner.length === 0 ? other : null;
  const name = subcommands.map((one) => one.name).find((one) => isNear(first, one));
  if (name === undefined) return null;
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
