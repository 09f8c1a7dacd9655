import type { AccessLog } from '../../../observability/audit/access-log.ts';
import { type Identity, named } from '../identity.ts';
import type { SignIn } from '../owner-methods.ts';
import type { AccessStore } from './access-store.ts';

export type SignIns = {
  list(): Promise<SignIn[]>;
  /** Signs one browser out and cuts its connections. False if there is no such sign-in. */
  end(id: string, by: Identity): Promise<boolean>;
};

export function createSignIns(options: {
  store: AccessStore;
  log: AccessLog;
  onEnded(): Promise<void>;
}): SignIns {
  const { store, log, onEnded } = options;
  return {
    list: () => store.listSignIns(),
    async end(id, by) {
      const ended = await store.endSignIn(id);
      if (!ended) return false;
      const { name, browser } = ended;
      log.write({ event: 'revoked', by: named(by), detail: `sign-in ${ended.id}: ${name}, ${browser}` });
      await onEnded();
      return true;
    },
  };
}
