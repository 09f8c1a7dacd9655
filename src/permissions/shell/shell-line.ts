/**
 * One word as the shell would hand it to a program. `text` has its quotes removed; where the shell expands something,
 * it holds the likely value or else what was written. `literal` means that `text` is what the program receives, file
 * name patterns (`glob`) aside. `variables` are plain expansions such as `$HOME`; `opaque` says that something else is
 * expanded, too. `nested` are the command lines substituted into the word.
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

/** The folders a command may run in, each as the moves that lead there; `sure` means that there are no others. */
export type Folder = { ways: Word[][]; sure: boolean };

/** One program call. Commands with one `pipeline` number hand their output to each other. */
export type SimpleCommand = {
  name: string;
  /** The command as words, its name first. */
  words: Word[];
  assignments: Word[];
  redirects: Redirect[];
  pipeline: number;
  /** What stands between this command and the next. */
  next: Separator | null;
  /** It is left running, or a group around it is. */
  background?: true;
  /** Command lines substituted into this one. */
  nested: ShellLine[];
  folder: Folder;
  /** Variables that a loop around it or a `read` before it has set. */
  set: readonly string[];
  /** As it is written. */
  source: string;
};

/**
 * `doubts` say what is not understood: a line with any is never allowed by itself, its commands are a guess.
 * `commands` are all that the line itself runs, those in groups, loops and functions too.
 */
export type ShellLine = {
  commands: SimpleCommand[];
  doubts: string[];
  functions: ShellFunction[];
  /** What loops run that do not end by themselves. */
  endless: SimpleCommand[][];
};

/** `commands` are those of the line's that stand in its body. */
export type ShellFunction = { name: string; commands: SimpleCommand[]; source: string };

/** What a word is read with. `values` are variables the line itself has set. */
export type WordReader = {
  text: string;
  doubts: Set<string>;
  values: ReadonlyMap<string, string>;
  /** Reads the command line of a substitution. */
  inner(script: string): ShellLine;
};
