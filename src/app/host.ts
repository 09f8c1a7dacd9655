/** What the app needs to know of the process it runs in. The frontend reads it once and passes it down. */
export type Host = {
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** The script that Node runs. */
  program?: string;
  /** `import()`: code that was compiled by an earlier process has none of its own. */
  importFile?(url: string): Promise<unknown>;
  /** Records a start-up milestone, for start-up traces. */
  mark?(what: string): void;
};
