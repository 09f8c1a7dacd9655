/** What the app needs to know of the process it runs in. The frontend reads it once and passes it down. */
export type Host = {
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** The script that Node runs. */
  program?: string;
};
