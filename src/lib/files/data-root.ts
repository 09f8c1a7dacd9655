import { homedir } from 'node:os';
import path from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/** The user's home folder as this environment tells it. */
function homeFolder(env: Env): string {
  return env.HOME || env.USERPROFILE || homedir();
}

/** A leading `~` means the home folder; anything else relative is taken from `base`. */
export function resolvePath(written: string, base: string, env: Env): string {
  const expanded = /^~(?=$|[\\/])/.test(written) ? homeFolder(env) + written.slice(1) : written;
  return path.resolve(base, expanded);
}

/** Where everything this program keeps lives: `AI_ASSISTANT_HOME`, else `~/.ai-assistant`. */
export function dataRoot(env: Env): string {
  const home = homeFolder(env);
  return env.AI_ASSISTANT_HOME
    ? resolvePath(env.AI_ASSISTANT_HOME, '.', env)
    : path.join(home, '.ai-assistant');
}

/** Where locks on files of the user lie: beside those files nothing of ours appears. */
export function locksFolder(root: string): string {
  return path.join(root, 'locks');
}
