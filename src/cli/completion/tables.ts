import type { Place, Value } from './places.ts';

/** `key` is the lookup key of the script; `kind` is one word, for some followed by more words. */
export type Row = { keys: string[]; kind: string };

/** A word to offer, and its description. */
type Word = { name: string; about: string };

/** The data of every script, as plain tables: the shells differ only in syntax. */
export type Tables = {
  /** `place|flag`: the kind of its value; flags without a value are not listed. */
  flags: Row[];
  /** `place#n`: the kind of its nth argument, counted from 0; `place#*` for all further ones. */
  args: Row[];
  /** By place: what may follow, first the commands, then the flags. */
  commands: { place: string; words: Word[] }[];
  options: { place: string; words: Word[] }[];
  /** `place word` for each nested command. */
  paths: string[];
};

export function tablesOf(places: readonly Place[]): Tables {
  return {
    flags: places.flatMap((place) =>
      place.flags.flatMap(({ names, value }) =>
        value === null
          ? []
          : [{ keys: names.map((name) => `${nameOf(place)}|${name}`), kind: kindOf(value) }],
      ),
    ),
    args: places.flatMap((place) =>
      place.args.flatMap(({ value, endless }, i) =>
        value.type === 'free'
          ? []
          : [{ keys: [`${nameOf(place)}#${endless ? '*' : i}`], kind: kindOf(value) }],
      ),
    ),
    commands: places
      .filter(({ commands }) => commands.length > 0)
      .map((place) => ({ place: nameOf(place), words: place.commands })),
    options: places.map((place) => ({
      place: nameOf(place),
      words: place.flags.flatMap(({ names, about }) => names.map((name) => ({ name, about }))),
    })),
    paths: places.flatMap(({ path }) => (path.length > 0 ? [path.join(' ')] : [])),
  };
}

function nameOf({ path }: Place): string {
  return path.join(' ');
}

function kindOf(value: Value): string {
  switch (value.type) {
    case 'free':
    case 'files':
    case 'folders':
      return value.type;
    case 'words':
      return `words ${value.words.join(' ')}`;
    case 'asked':
      return `asked ${value.what}`;
    default:
      return value satisfies never;
  }
}
