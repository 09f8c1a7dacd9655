import { UserError } from '../contract/errors.ts';
import type { SessionSettings, SessionSummary } from '../contract/session.ts';
import { compareText } from '../lib/compare.ts';
import type { OpenSession, SessionStore } from '../session/store.ts';
import type { Options } from './args.ts';

type Surroundings = { store: SessionStore; cwd: string; settings: SessionSettings };

/** The session the flags ask for: a new one, an earlier one, or a copy of that. */
export async function openSession(
  { resume, continue: goOn, fork }: Partial<Options>,
  { store, cwd, settings }: Surroundings,
): Promise<OpenSession> {
  if (resume === undefined && !goOn) {
    if (fork) throw new UserError('--fork copies a session.', 'Say which: --resume ID or --continue.');
    return store.create(cwd, settings);
  }
  if (resume === true)
    throw new UserError('Which session?', 'Give its id or title after --resume; `aca sessions` lists them.');
  const id = resume === undefined ? lastOf(store, cwd) : await store.find(resume);
  const found = id === null ? null : fork ? await store.fork(id) : await store.resume(id);
  if (found) return found;
  throw resume === undefined
    ? new UserError('There is no session of this folder to continue.', 'Start one without --continue.')
    : new UserError(`There is no session "${resume}".`, '`aca sessions` lists them.');
}

/** The id of the session of a folder that was used last. */
export function lastOf(store: SessionStore, cwd: string): string | null {
  const [last] = byLastUse(store.list()).filter(({ workingDirectory }) => workingDirectory === cwd);
  return last?.id ?? null;
}

export function byLastUse(sessions: readonly SessionSummary[]): SessionSummary[] {
  return sessions.toSorted((a, b) => compareText(b.updatedAt, a.updatedAt));
}
