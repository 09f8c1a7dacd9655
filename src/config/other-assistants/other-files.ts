import { existsSync } from 'node:fs';
import path from 'node:path';
import { type AssistantName, assistantNames, type consents } from '../schema/other-assistants.ts';
import { readableNote } from './read.ts';
import { supportTables } from './tables.ts';

type Places = { home: string | null; folders: readonly string[] };

/** Notices about files that restrict another assistant and have no effect here. */
export function unappliedFiles(
  places: Places,
  answers: Readonly<Partial<Record<AssistantName, (typeof consents)[number]>>>,
): string[] {
  return assistantNames
    .filter((assistant) => answers[assistant] !== 'ignore')
    .flatMap((assistant) => {
      const { name, others } = supportTables[assistant];
      return others
        .flatMap(({ rows }) => rows)
        .filter((row) => row.restricts && row.support === 'unsupported' && isThere(row.what, places))
        .map(
          ({ what, note }) =>
            `${what} restricts ${name} but has no effect here. ${readableNote(note)} To hide this, run \`aca import ignore ${assistant}\`.`,
        );
    });
}

/** Whether a path of a table exists; a pattern counts by the folder it starts with. */
export function isThere(what: string, { home, folders }: Places): boolean {
  if (!/^[.~]/.test(what) && !/\.\w+$/.test(what)) return false;
  const parts = what.split('/');
  const end = parts.findIndex((part) => /\*|^[A-Z]+$/.test(part));
  const fixed = end < 0 ? parts : parts.slice(0, end);
  const isPersonal = fixed[0] === '~';
  const bases = isPersonal ? (home === null ? [] : [home]) : folders;
  const relative = isPersonal ? fixed.slice(1) : fixed;
  return relative.length > 0 && bases.some((base) => existsSync(path.join(base, ...relative)));
}
