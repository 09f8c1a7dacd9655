import type { Env } from '../environment.ts';
import { switchOf } from '../environment.ts';
import { secretServiceProblem } from './dbus-secrets.ts';

const SERVICE = 'ai-code-assistant';
const LIMIT_MS = 1000;

/** The system keychain cannot be used now; the message is the reason. */
export class KeychainUnavailable extends Error {
  override name = 'KeychainUnavailable';
}

/**
 * The system's secret store. Every method settles within about a second, with `KeychainUnavailable` if
 * necessary.
 */
export type OsKeychain = {
  get(account: string): Promise<string | null>;
  set(account: string, secret: string): Promise<void>;
  /** False when there was none. */
  remove(account: string): Promise<boolean>;
};

export function createOsKeychain(env: Env): OsKeychain {
  return {
    get: async (account) => use(env, (entry) => entry.getPassword(), account),
    set: async (account, secret) => use(env, (entry) => entry.setPassword(secret), account),
    remove: async (account) => use(env, (entry) => entry.deletePassword(), account),
  };
}

type Entry = InstanceType<typeof import('@napi-rs/keyring')['AsyncEntry']>;

async function use<Result>(
  env: Env,
  action: (entry: Entry) => Promise<Result>,
  account: string,
): Promise<Result> {
  if (switchOf(env, 'AI_ASSISTANT_KEYCHAIN') === false) {
    throw new KeychainUnavailable('AI_ASSISTANT_KEYCHAIN turns it off');
  }
  if (process.platform === 'linux') {
    const problem = await secretServiceProblem(env, LIMIT_MS);
    if (problem !== null) throw new KeychainUnavailable(problem);
  }
  try {
    // An optional dependency: absent if no binary fits the platform.
    const { AsyncEntry } = await import('@napi-rs/keyring');
    // The library's fallback on Linux, the kernel keyring, loses everything at reboot.
    const entry = new AsyncEntry(SERVICE, account, { linux: { store: 'secret-service' } });
    return await within(action(entry), LIMIT_MS);
  } catch (error) {
    throw new KeychainUnavailable(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

async function within<Result>(promise: Promise<Result>, limitMs: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the system keychain is not responding')), limitMs);
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}
