import { existsSync, rmSync } from 'node:fs';
import { UserError } from '../../../contract/errors.ts';
import { type AccessLog, createAccessLog } from '../../../observability/audit/access-log.ts';
import type { Invitations } from '../http/types.ts';
import type { Identity } from '../identity.ts';
import { named } from '../identity.ts';
import { AccessStore, ownerName } from './access-store.ts';
import { createInvitations, signInLink } from './invitations.ts';
import { ownerToken, tokenFileIn } from './secrets.ts';
import { createSignIns, type SignIns } from './sign-ins.ts';

/** What the owner can do from another process. A running server notices it at once. */
export type OfflineAccess = {
  owner: Identity;
  signInLink(): Promise<string>;
  invitations: Invitations;
  signIns: SignIns;
  /** Ends every access, and replaces the token. */
  revokeAll(): Promise<void>;
};

export async function openAccess(options: {
  folder: string;
  auditFile: string | null;
  onTrouble(message: string): void;
}): Promise<OfflineAccess> {
  const { folder } = options;
  if (!existsSync(tokenFileIn(folder))) throw neverStarted();
  ownerToken(folder);
  const store = new AccessStore(folder);
  const log: AccessLog = createAccessLog({ file: options.auditFile, onTrouble: options.onTrouble });
  const url = await store.url();
  if (url === null) throw neverStarted();
  const owner: Identity = { id: 'owner', name: ownerName(), role: 'owner', sessions: 'all' };
  return {
    owner,
    signInLink: () => signInLink(store, url),
    // The server watches the file.
    invitations: createInvitations({ store, log, url, onRevoked: async () => undefined }),
    signIns: createSignIns({ store, log, onEnded: async () => undefined }),
    async revokeAll() {
      rmSync(tokenFileIn(folder), { force: true });
      ownerToken(folder);
      await store.revokeAll();
      log.write({ event: 'revoked', by: named(owner), detail: 'everything' });
    },
  };
}

function neverStarted(): UserError {
  return new UserError('The server has not been started yet.', 'Start it with `aca serve`.');
}
