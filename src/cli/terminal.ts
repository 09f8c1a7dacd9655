/** The process as a face sees it; everything else gets plain values. */
export type Terminal = {
  env: NodeJS.ProcessEnv;
  cwd: string;
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  /** `import()`: code that was compiled by an earlier process has none of its own. */
  importFile?(url: string): Promise<unknown>;
  onSignal(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP', listener: () => void): void;
};
