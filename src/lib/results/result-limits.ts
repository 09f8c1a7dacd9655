/**
 * The longest tool results, in characters. A token is about four characters, so that a window of W tokens holds
 * 4 W characters: a page of W / 2 characters fills an eighth of it.
 */
export type ResultLimits = {
  /** A page of a file; twice as much if the call asks for a number of lines. */
  read: number;
  readAsked: number;
  /** Output of commands, MCP servers, web pages and everything not listed here. */
  output: number;
  /** Lines found by a search. */
  search: number;
  /** Names of files and folders. */
  names: number;
  /** All results of one reply together. */
  reply: number;
};

/** Which of the limits applies to a tool. */
export type ResultKind = Exclude<keyof ResultLimits, 'readAsked' | 'reply'>;

/** Characters at most, and characters per token of the window. */
const TABLE: Readonly<Record<keyof ResultLimits, { most: number; perToken: number }>> = {
  read: { most: 50_000, perToken: 1 / 2 },
  readAsked: { most: 100_000, perToken: 1 / 2 },
  output: { most: 40_000, perToken: 1 / 3 },
  search: { most: 20_000, perToken: 1 / 4 },
  names: { most: 9_500, perToken: 1 / 4 },
  reply: { most: 100_000, perToken: 1 / 2 },
};

/** Enough for an error message in the smallest window. */
const LEAST = 1_000;

export function resultLimits(windowTokens: number): ResultLimits {
  const limit = (kind: keyof ResultLimits) => {
    const { most, perToken } = TABLE[kind];
    return Math.max(LEAST, Math.min(most, Math.floor(windowTokens * perToken)));
  };
  return {
    read: limit('read'),
    readAsked: limit('readAsked'),
    output: limit('output'),
    search: limit('search'),
    names: limit('names'),
    reply: limit('reply'),
  };
}

/** The limits of a large window. */
export const fullLimits: ResultLimits = resultLimits(Number.MAX_SAFE_INTEGER);

/** No result is longer than `most`. */
export function limitsWithin(limits: ResultLimits, most: number): ResultLimits {
  const within = (limit: number) => Math.min(limit, most);
  const { read, readAsked, output, search, names, reply } = limits;
  return {
    read: within(read),
    readAsked: within(readAsked),
    output: within(output),
    search: within(search),
    names: within(names),
    reply,
  };
}
