import path from 'node:path';
import * as z from 'zod';
import { UserError } from '../../contract/errors.ts';
import { updateFile } from '../../lib/files/file-update.ts';
import { readRegularText } from '../../lib/files/regular-file.ts';
import { parseJson } from '../../lib/text/json.ts';
import type { Env } from '../environment.ts';
import { maskKey } from '../mask.ts';
import { unreadable } from '../unreadable.ts';
import { createOsKeychain, KeychainUnavailable, type OsKeychain } from './os-keychain.ts';

/**
 * The file lists every stored key, and contains those that the system keychain could not store. Because it
 * lists all keys, a start without stored keys never loads or queries the keychain.
 */
const credentialsSchema = () =>
  z.record(
    z.string(),
    z.union([z.strictObject({ keychain: z.literal(true) }), z.strictObject({ key: z.string().min(1) })]),
  );
type Credentials = z.output<ReturnType<typeof credentialsSchema>>;

type StoredKey = { provider: string; masked: string; where: string };

/** `where` is for display; `because` is the reason why the system keychain was not used. */
type StoredAt = { where: string; because?: string };

export type Keychain = {
  find(provider: string): Promise<{ key: string; source: string } | null>;
  store(provider: string, key: string): Promise<StoredAt>;
  /** False when none was stored. */
  remove(provider: string): Promise<boolean>;
  list(): Promise<StoredKey[]>;
  /** Why the last read of the system keychain failed; null if it succeeded, or was never tried. */
  problem(): string | null;
};

/** Display name of the system keychain. */
export const SYSTEM_KEYCHAIN = 'system keychain';

export function createKeychain({ home, env, system = createOsKeychain(env) }: KeychainOptions): Keychain {
  const file = path.join(home, 'credentials.json');
  let problem: string | null = null;

  /** Null both for no key and for no keychain; `problem` distinguishes them. */
  async function fromSystem(provider: string): Promise<string | null> {
    problem = null;
    try {
      return await system.get(provider);
    } catch (error) {
      problem = unavailable(error);
      return null;
    }
  }

  async function read(provider: string, entry: Credentials[string] | undefined): Promise<string | null> {
    if (entry === undefined) return null;
    return 'key' in entry ? entry.key : fromSystem(provider);
  }

  return {
    problem: () => problem,

    async find(provider) {
      const entry = readCredentials(file).get(provider);
      const key = await read(provider, entry);
      return key === null || entry === undefined ? null : { key, source: whereOf(entry, file) };
    },

    async store(provider, key) {
      // Throws on a damaged file before anything is stored elsewhere.
      readCredentials(file);
      const because = await system.set(provider, key).then(() => undefined, unavailable);
      const entry: Credentials[string] = because === undefined ? { keychain: true } : { key };
      await updateFile(file, (write) => write(textOfAll(readCredentials(file).set(provider, entry))));
      return because === undefined ? { where: SYSTEM_KEYCHAIN } : { where: file, because };
    },

    async remove(provider) {
      const entry = readCredentials(file).get(provider);
      if (entry === undefined) return false;
      if ('keychain' in entry) await removeFrom(system, provider);
      await updateFile(file, async (write) => {
        const credentials = readCredentials(file);
        credentials.delete(provider);
        await write(textOfAll(credentials));
      });
      return true;
    },

    async list() {
      const stored: StoredKey[] = [];
      for (const [provider, entry] of readCredentials(file)) {
        const key = await read(provider, entry);
        const masked = key === null ? `not readable: ${problem ?? 'not found'}` : maskKey(key);
        stored.push({ provider, masked, where: whereOf(entry, file) });
      }
      return stored;
    },
  };
}

type KeychainOptions = { home: string; env: Env; system?: OsKeychain };

function whereOf(entry: Credentials[string], file: string): string {
  return 'key' in entry ? file : SYSTEM_KEYCHAIN;
}

/** The reason, if the keychain itself failed; other errors are bugs and are rethrown. */
function unavailable(error: unknown): string {
  if (error instanceof KeychainUnavailable) return error.message;
  throw error;
}

async function removeFrom(system: OsKeychain, provider: string): Promise<void> {
  const problem = await system.remove(provider).then(() => null, unavailable);
  if (problem !== null) {
    throw new UserError(
      `Could not remove the ${provider} key from the system keychain: ${problem}.`,
      'Unlock the keychain and try again.',
    );
  }
}

function textOf(file: string): string {
  try {
    return readRegularText(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '{}';
    throw unreadable(file, error);
  }
}

function readCredentials(file: string): Map<string, Credentials[string]> {
  const text = textOf(file);
  // Show neither the parser's message nor the file's content: both contain keys.
  const parsed = credentialsSchema().safeParse(parseJson(text));
  if (!parsed.success) {
    throw new UserError(`${file} is damaged.`, 'Remove it, then store your keys again with `aca keys set`.');
  }
  return new Map(Object.entries(parsed.data));
}

function textOfAll(credentials: Map<string, Credentials[string]>): string {
  return `${JSON.stringify(Object.fromEntries(credentials), null, 2)}\n`;
}
