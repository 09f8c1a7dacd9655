import type { Session } from '../../contract/session.ts';
import { sha256 } from '../../lib/sha256.ts';

/**
 * By what a vendor finds the server that has a prompt cached. The same for a session and for all that was forked from
 * it: they begin alike. It tells nothing of what is said.
 */
export function cacheKeyOf({ id, workingDirectory, messages }: Session): string {
  const [first] = messages;
  return first ? sha256(`${workingDirectory}\n${first.timestamp}`).slice(0, 32) : id;
}
