import { homedir } from 'node:os';
import path from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/** The user's home folder according to this environment. */
export function homeFolder(env: Env): string {
  return env.HOME || env.USERPROFILE || homedir();
}

/** A leading `~` means the home folder; other relative paths are resolved against `base`. */
export function resolvePath(written: string, base: string, env: Env): string {
  const expanded = /^~(?=$|[\\/])/.test(written) ? homeFolder(env) + written.slice(1) : written;
  return path.resolve(base, expanded);
}

/** The folder for all data of this program: `AI_ASSISTANT_HOME`, or `~/.ai-assistant`. */
export function dataRoot(env: Env): string {
  const home = homeFolder(env);
  return env.AI_ASSISTANT_HOME
    ? resolvePath(env.AI_ASSISTANT_HOME, '.', env)
    : path.join(home, '.ai-assistant');
}

/** The folder for locks on user files: no lock file is created next to those. */
export function locksFolder(root: string): string {
  return path.join(root, 'locks');
}
