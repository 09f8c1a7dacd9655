/** One problem that a language server or a check reports. Lines and columns count from 1. */
export type Finding = {
  /** Absolute. */
  path: string;
  line: number;
  column: number;
  severity: 'error' | 'warning';
  /** The program that reports it, and its code for this kind of problem. */
  source: string;
  code: string;
  message: string;
  /** The line it is in, to recognize it after lines above it changed. */
  lineText: string;
};

/** What is known about the text that a file has now: results for any other text never count. */
export type FileDiagnostics = { path: string } & (
  | { type: 'known'; findings: readonly Finding[] }
  | { type: 'unknown'; because: string }
);

/** A place in a file, with the text of its line. Lines and columns count from 1. */
export type CodeLocation = { path: string; line: number; column: number; text: string };

/** A name on a line of a file. */
export type SymbolPlace = { path: string; line: number; symbol: string };

/** A file whose text a rename changes. */
export type RenamedFile = { path: string; before: string; after: string };

/** What language servers know about the code. An error is a sentence for the model. */
export type CodeIntelligence = {
  diagnostics(path: string, signal: AbortSignal): Promise<FileDiagnostics>;
  definition(place: SymbolPlace, signal: AbortSignal): Promise<CodeLocation[] | { error: string }>;
  references(place: SymbolPlace, signal: AbortSignal): Promise<CodeLocation[] | { error: string }>;
  /** The symbols of a file. */
  outline(path: string, signal: AbortSignal): Promise<CodeLocation[] | { error: string }>;
  /** Symbols in the whole project whose names match. */
  symbols(query: string, signal: AbortSignal): Promise<CodeLocation[] | { error: string }>;
  /** Changes nothing: the caller writes the files. */
  rename(
    place: SymbolPlace,
    newName: string,
    signal: AbortSignal,
  ): Promise<RenamedFile[] | { error: string }>;
};

/** One language server as shown to the user. `trouble` says why it does not run. */
export type LanguageServerState = {
  name: string;
  language: string;
  root: string;
  program: string;
  phase: 'idle' | 'starting' | 'ready' | 'failed';
  trouble: string;
  documents: number;
  restarts: number;
  sandbox: string;
};

/** For `/lsp`. */
export type LanguageServers = {
  /** Why none is used; empty if they may be. */
  off: string;
  /** Servers of the settings whose programs were not found, each as a line. */
  missing: readonly string[];
  list(): LanguageServerState[];
  /** Starts it again, also after it crashed too often; false when there is no such server. */
  restart(name: string): Promise<boolean>;
};
