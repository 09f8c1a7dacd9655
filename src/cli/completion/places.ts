import type { Argument, Command, Option } from 'commander';
import { modesByStrictness } from '../../config/schema/schema.ts';

/** What `aca __complete` can list. */
export const askable = ['sessions', 'models', 'settings', 'providers', 'servers'] as const;
export type Askable = (typeof askable)[number];

/** What a value can be completed with. */
export type Value =
  | { type: 'free' }
  | { type: 'words'; words: readonly string[] }
  | { type: 'files' }
  | { type: 'folders' }
  | { type: 'asked'; what: Askable };

type Flag = { names: string[]; about: string; value: Value | null };

/** One command of the program, and what may follow it. The program itself has an empty path. */
export type Place = {
  path: readonly string[];
  about: string;
  commands: { name: string; about: string }[];
  flags: Flag[];
  args: { value: Value; endless: boolean }[];
};

const FREE: Value = { type: 'free' };

/** By the placeholder name in the help. */
const valuesByName: Readonly<Record<string, Value>> = {
  session: { type: 'asked', what: 'sessions' },
  id: { type: 'asked', what: 'sessions' },
  model: { type: 'asked', what: 'models' },
  key: { type: 'asked', what: 'settings' },
  provider: { type: 'asked', what: 'providers' },
  mode: { type: 'words', words: modesByStrictness },
  file: { type: 'files' },
  folder: { type: 'folders' },
};

/** The meaning of `name` depends on the command. */
const namesUnder: Readonly<Record<string, Value>> = {
  mcp: { type: 'asked', what: 'servers' },
  models: { type: 'asked', what: 'models' },
};

/** The program and its commands, outer before inner, from the definitions that the help is made of. */
export function placesOf(program: Command, commands: readonly Command[]): Place[] {
  const root = placeOf(program, []);
  const own = commands.map((command) => ({ name: command.name(), about: command.description() }));
  return [{ ...root, commands: own }, ...commands.flatMap((command) => under(command, []))];
}

function under(command: Command, outer: readonly string[]): Place[] {
  const path = [...outer, command.name()];
  return [placeOf(command, path), ...command.commands.flatMap((inner) => under(inner, path))];
}

function placeOf(command: Command, path: readonly string[]): Place {
  return {
    path,
    about: command.description(),
    commands: command.commands.map((inner) => ({ name: inner.name(), about: inner.description() })),
    flags: command
      .createHelp()
      .visibleOptions(command)
      .map((option) => flagOf(option)),
    args: command.registeredArguments.map((argument) => ({
      value: valueOfArgument(argument, path),
      endless: argument.variadic,
    })),
  };
}

function flagOf(option: Option): Flag {
  const names = [option.short, option.long].filter((name) => name !== undefined && name !== null);
  const takesOne = option.required || option.optional;
  const word = /[<[]([\w-]+)/.exec(option.flags)?.[1] ?? '';
  const value = option.argChoices
    ? ({ type: 'words', words: option.argChoices } as const)
    : (valuesByName[word] ?? FREE);
  return { names, about: option.description, value: takesOne ? value : null };
}

function valueOfArgument(argument: Argument, path: readonly string[]): Value {
  if (argument.argChoices) return { type: 'words', words: argument.argChoices };
  const name = argument.name();
  const named = name === 'name' ? namesUnder[path[0] ?? ''] : valuesByName[name];
  return named ?? FREE;
}
