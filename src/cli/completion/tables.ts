import type { Place, Value } from './places.ts';

/** `key` is what the script is asked with; `kind` is one word and, for some, more words after it. */
export type Row = { keys: string[]; kind: string };

/** A word to offer, and what it is. */
type Word = { name: string; about: string };

/** What every script knows, as plain tables: each shell only has another way to write them down. */
export type Tables = {
  /** `place|flag`: what its value is; a flag without one is not listed. */
  flags: Row[];
  /** `place#n`: what its nth argument is, counted from 0; `place#*` for all that follow. */
  args: Row[];
  /** By place: what may follow it, first the commands, then the flags. */
  commands: { place: string; words: Word[] }[];
  options: { place: string; words: Word[] }[];
  /** `place word`, for each command inside another. */
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
