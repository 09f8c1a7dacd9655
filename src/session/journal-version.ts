import { UserError } from '../contract/errors.ts';
import { parseObject } from '../lib/text/json.ts';

const VERSION = 1;

/** Throws for a journal of a newer version of this program, which may contain what this one cannot understand. */
export function requireKnownVersion(journal: Buffer, id: string): void {
  const end = journal.indexOf(10);
  const header = parseObject(journal.toString('utf8', 0, end === -1 ? journal.length : end));
  const { type, version } = header ?? {};
  if (type !== 'header' || typeof version !== 'number' || version <= VERSION) return;
  throw new UserError(
    `Session ${id.slice(0, 8)} was written by a newer version of aca (journal version ${version}).`,
    'Run `aca update`, then try again.',
  );
}
