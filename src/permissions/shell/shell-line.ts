import type { TextSpan } from '../../contract/permission.ts';
import type { Doubt } from './doubts.ts';
import type { HereDocument } from './quotes.ts';

/**
 * One word as the shell would pass it to a program. `text` has its quotes removed; expansions are replaced by
 * their likely value or else kept as written. `literal` means that `text` is what the program receives,
 * except for globs (`glob`). `variables` are plain expansions such as `$HOME`; `opaque` means that something
 * else is expanded, too. `nested` are the command lines substituted into the word.
 */
export type Word = {
  text: string;
  raw: string;
  literal: boolean;
  glob: boolean;
  variables: string[];
  opaque: boolean;
  nested: ShellLine[];
};

/** `body` is the text of a here-document. */
export type Redirect = { op: string; fd: string; target: Word; body?: string };

export type Separator = ';' | '&&' | '||' | '|' | '&';

/**
 * The folders that a command may run in, each as the directory changes that lead there; `sure` means that
 * there are no others.
 */
export type Folder = { ways: Word[][]; sure: boolean };

/** One program call. Commands with the same `pipeline` number are piped into each other. */
export type SimpleCommand = {
  name: string;
  /** The command as words, its name first. */
  words: Word[];
  assignments: Word[];
  redirects: Redirect[];
  pipeline: number;
  /** The separator between this command and the next. */
  next: Separator | null;
  /** It, or a group around it, runs in the background. */
  background?: true;
  /** Command lines substituted into this one. */
  nested: ShellLine[];
  folder: Folder;
  /** Variables set by an enclosing loop or an earlier `read`. */
  set: readonly string[];
  /** The values that enclosing loops give their variables, where all are written out. */
  values: ReadonlyMap<string, readonly string[]>;
  /** As written. */
  source: string;
  /** Where it is in the text of the line; absent if it is not written there literally. */
  span?: TextSpan;
};

/**
 * `doubts` say what is not understood: a line with any is never allowed automatically, and its commands are a
 * guess. `commands` are all commands that the line itself runs, including those in groups, loops and
 * functions.
 */
export type ShellLine = {
  commands: SimpleCommand[];
  doubts: Doubt[];
  functions: ShellFunction[];
  /** The bodies of loops that do not end by themselves. */
  endless: SimpleCommand[][];
};

/** `commands` are those of the line that are in its body. */
export type ShellFunction = { name: string; commands: SimpleCommand[]; source: string };

/** Context for parsing a word. `values` are variables that the line itself has set. */
export type WordReader = {
  text: string;
  /** The here-documents that were taken out of the text. */
  documents: readonly HereDocument[];
  doubts: Set<Doubt>;
  values: ReadonlyMap<string, string>;
  /** Parses the command line of a substitution. */
  inner(script: string): ShellLine;
};
