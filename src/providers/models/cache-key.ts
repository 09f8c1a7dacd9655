import type { Session } from '../../contract/session.ts';
import { sha256 } from '../../lib/sha256.ts';

/**
 * Lets a vendor route requests to the server that has the prompt cached. The same for a session and all its
 * forks, since they share a prefix. Reveals nothing about the content.
 */
export function cacheKeyOf({ id, workingDirectory, messages }: Session): string {
  const [first] = messages;
  return first ? sha256(`${workingDirectory}\n${first.timestamp}`).slice(0, 32) : id;
}
