import type { Host } from '../../app/host.ts';

/** What the screen takes over from the early prompt: the keys so far, not yet interpreted, and the painted rows. */
export type Handover = {
  rows: string[];
  caret: { row: number; column: number };
  typed: string;
  /** The terminal's size has changed since the rows were painted. */
  moved: boolean;
};

/** A prompt that takes keys while the program is still loading. */
export type EarlyPrompt = {
  /** The terminal's background, as of the last start. */
  readonly ground: 'dark' | 'light';
  /** Lets keys in that have arrived meanwhile. */
  breathe(): Promise<void>;
  takeOver(): Handover | null;
  dismiss(): void;
};

/** The process as a frontend sees it. */
export type Terminal = Host & {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  /** Told of an error that nobody waited for, before it ends the process or a plugin is blamed for it. */
  onUncaught?(listener: (error: unknown) => void): void;
  /** A prompt that takes keys already. Whoever does not take it over dismisses it before anything is written. */
  early?: EarlyPrompt;
  onSignal(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP', listener: () => void): void;
};
