/** What the app needs to know about its process. The frontend reads it once and passes it down. */
export type Host = {
  env: NodeJS.ProcessEnv;
  cwd: string;
  /** The script that Node runs. */
  program?: string;
};
