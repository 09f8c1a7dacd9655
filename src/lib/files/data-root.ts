import { homedir, userInfo } from 'node:os';
import path from 'node:path';
import { unlessErrno } from './errno.ts';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The user's home folder according to this environment, or else to the system. Empty and relative ones count
 * as unset: keys and conversations would end up in a project.
 */
export function homeFolder(env: Env): string {
  const named = [env.HOME, env.USERPROFILE].find(isPlace) ?? homeOfAccount();
  if (named === undefined) throw new Error('No home folder found. Set HOME or AI_ASSISTANT_HOME.');
  return named;
}

/** `homedir` returns HOME, even if it is relative, and fails for a user that the system does not know. */
function homeOfAccount(): string | undefined {
  return [homedir, () => userInfo().homedir].map((ask) => unlessErrno('any', undefined, ask)).find(isPlace);
}

function isPlace(folder: string | undefined): folder is string {
  return folder !== undefined && path.isAbsolute(folder);
}

/** A leading `~` means the home folder; other relative paths are resolved against `base`. */
export function resolvePath(written: string, base: string, env: Env): string {
  const expanded = /^~(?=$|[\\/])/.test(written) ? homeFolder(env) + written.slice(1) : written;
  return path.resolve(base, expanded);
}

/** The folder for all data of this program: `AI_ASSISTANT_HOME`, or `~/.ai-assistant`. */
export function dataRoot(env: Env): string {
  return env.AI_ASSISTANT_HOME
    ? resolvePath(env.AI_ASSISTANT_HOME, '.', env)
    : path.join(homeFolder(env), '.ai-assistant');
}

/** The folder for locks on user files: no lock file is created next to those. */
export function locksFolder(root: string): string {
  return path.join(root, 'locks');
}
