import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Permission } from '../contract/permission.ts';
import { dataKey } from '../lib/files/data-key.ts';
import { canonicalJson } from '../lib/text/canonical-json.ts';

/** A grant in a journal. Without a valid seal, it was not written by this user's program. */
export type SealedGrant = { permission: Permission; seal?: string };

/**
 * Distinguishes grants written by this program from those inserted by others: a keyed hash over the session
 * and the grant, with a key that is not in any session file.
 */
export class GrantSeal {
  readonly #keyFile: string;
  #key: string | undefined;

  constructor(keyFile: string) {
    this.#keyFile = keyFile;
  }

  seal(session: string, permission: Permission): string {
    this.#key ??= dataKey(this.#keyFile);
    return createHmac('sha256', this.#key)
      .update(canonicalJson([session, permission]))
      .digest('hex');
  }

  /** A denial is always accepted, whoever wrote it. */
  holds(session: string, { permission, seal }: SealedGrant): boolean {
    if (permission.action === 'deny') return true;
    if (typeof seal !== 'string') return false;
    const own = Buffer.from(this.seal(session, permission));
    const given = Buffer.from(seal);
    return own.length === given.length && timingSafeEqual(own, given);
  }
}
