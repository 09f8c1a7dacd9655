import type { EarlyComposer } from '../terminal/early/early-composer.ts';

/** The process as a face sees it; everything else gets plain values. */
export type Terminal = {
  env: NodeJS.ProcessEnv;
  cwd: string;
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  /** `import()`: code that was compiled by an earlier process has none of its own. */
  importFile?(url: string): Promise<unknown>;
  /** Told of an error that nobody waited for, before it ends the process or a plugin is blamed for it. */
  onUncaught?(listener: (error: unknown) => void): void;
  /** A prompt that takes keys already. Whoever does not take it over dismisses it before anything is written. */
  early?: Pick<EarlyComposer, 'ground' | 'breathe' | 'takeOver' | 'dismiss'>;
  /** Told what a start has reached, where somebody wants to know. */
  mark?(what: string): void;
  onSignal(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP', listener: () => void): void;
};
