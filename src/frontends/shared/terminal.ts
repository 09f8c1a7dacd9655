import type { Host } from '../../app/host.ts';
import type { Microphone } from '../../voice/record.ts';

/** What the screen takes over from the early prompt: the raw keys so far, and the painted rows. */
export type Handover = {
  rows: string[];
  caret: { row: number; column: number };
  typed: string;
  /** The terminal was resized since the rows were painted. */
  moved: boolean;
};

/** A prompt that accepts keys while the program is still loading. */
export type EarlyPrompt = {
  /** The terminal's background, as of the last start. */
  readonly ground: 'dark' | 'light';
  /** Yields, so that pending keys are read. */
  breathe(): Promise<void>;
  takeOver(): Handover | null;
  dismiss(): void;
};

/** What only the process that owns a terminal can do there. The screen is released meanwhile, unless stated. */
export type RemoteActions = {
  /** Opens the user's editor. Null when nothing was changed. */
  edit(text: string): Promise<string | null>;
  /** Resolves when the process was continued. */
  suspend(): Promise<void>;
  /** Starts to record where the user sits. The screen stays. */
  record(): Promise<Microphone>;
};

/** The process as a frontend sees it. */
export type Terminal = Host & {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  /** Set for the terminal of another process, which neither ends nor suspends this one. */
  remote?: RemoteActions | undefined;
  /** Called on an unhandled error, before it ends the process or is attributed to a plugin. */
  onUncaught?(listener: (error: unknown) => void): void;
  /**
   * A prompt that already accepts keys. Callers that don't take it over must dismiss it before writing
   * anything.
   */
  early?: EarlyPrompt;
  /** Called when standard output cannot be written. Without a listener, that ends the program. */
  onOutputError?(listener: (error: NodeJS.ErrnoException) => void): void;
  onSignal(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP', listener: () => void): void;
};
