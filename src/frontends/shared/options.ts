import type { SessionOptions } from '../../app/options.ts';

/** All command-line options of a conversation: those of the session and those of the frontends. */
export type Options = SessionOptions & {
  print?: boolean;
  /** The folder to work in; the working directory if absent. */
  cd?: string;
  /** Runs in the server, which is started if there is none. */
  background?: boolean;
  outputFormat: 'text' | 'json' | 'stream-json';
  inputFormat: 'text' | 'stream-json';
  jsonSchema?: string;
  /** Whose shapes are written; ours by default. */
  compat?: 'claude';
  includePartialMessages?: boolean;
  replayUserMessages?: boolean;
  /** Who answers permission questions; nobody by default. */
  permissionPromptTool?: 'stdio';
  /** What standard input is, if others wrote it. */
  stdinFrom?: string;
  image?: string[];
  /** Commands that must succeed after the model is done, and how often a failure goes back to it. */
  check?: string[];
  checkRetries?: number;
  repoId?: string;
  filename?: string;
  stdin?: boolean;
  demo?: boolean;
  plain?: boolean;
  screenReader?: boolean;
};
