import type { AccessLog } from '../../../observability/audit/access-log.ts';
import type { Invitations } from '../http/types.ts';
import { named } from '../identity.ts';
import type { AccessStore } from './access-store.ts';

/**
 * The secret is in the fragment, which browsers send to no server: it appears in no log and no Referer. The page removes
 * it from the address bar.
 */
function linkTo(url: string, secret: string): string {
  return `${url}/#code=${secret}`;
}

/** For the owner; works once. */
export async function signInLink(store: AccessStore, url: string): Promise<string> {
  return linkTo(url, await store.createCode());
}

export function createInvitations(options: {
  store: AccessStore;
  log: AccessLog;
  url: string;
  onRevoked(): Promise<void>;
}): Invitations {
  const { store, log, url, onRevoked } = options;
  return {
    async create(wanted, by) {
      const { invitation, secret } = await store.createInvitation(wanted);
      const { id, role, sessions, expiresAt } = invitation;
      const where = sessions === 'all' ? 'all sessions' : sessions.join(', ');
      log.write({ event: 'invited', by: named(by), detail: `${id}: ${role}, ${where}, until ${expiresAt}` });
      return { invitation, link: linkTo(url, secret) };
    },
    list: () => store.listInvitations(),
    async revoke(id, by) {
      const revoked = await store.revokeInvitation(id);
      if (!revoked) return false;
      log.write({ event: 'revoked', by: named(by), detail: revoked.id });
      await onRevoked();
      return true;
    },
  };
}
