import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { OAuthDiscoveryState } from '@modelcontextprotocol/sdk/client/auth.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { unlessErrno } from '../../lib/files/errno.ts';
import { updateFile } from '../../lib/files/file-update.ts';
import { readRegularText } from '../../lib/files/regular-file.ts';
import { sha256 } from '../../lib/sha256.ts';
import { parseObject } from '../../lib/text/json.ts';

/** The stored login of one server. `redirectUrl` is the one that the client was registered with. */
type Login = {
  tokens?: OAuthTokens;
  client?: OAuthClientInformationMixed;
  discovery?: OAuthDiscoveryState;
  redirectUrl?: string;
};

/** Stored by address: another server under an old name gets no tokens of the first. */
export type LoginStore = {
  read(): Promise<Login>;
  change(change: (login: Login) => Login): Promise<void>;
  /** False if there was nothing to delete. */
  forget(): Promise<boolean>;
};

export function loginStore(folder: string, url: string): LoginStore {
  const file = path.join(folder, `${sha256(url).slice(0, 32)}.json`);
  // Read every time: another process may have refreshed the tokens.
  return {
    read: async () => readLogin(file),
    change: (change) =>
      updateFile(file, (write) => write(`${JSON.stringify({ url, ...change(readLogin(file)) }, null, 2)}\n`)),
    forget: () =>
      updateFile(file, async () => {
        const before = readLogin(file);
        await rm(file, { force: true });
        return before.tokens !== undefined;
      }),
  };
}

/** An unreadable or invalid file is no login. */
function readLogin(file: string): Login {
  const { url: _, ...login } = parseObject(unlessErrno('any', '', () => readRegularText(file))) ?? {};
  return login as Login;
}
