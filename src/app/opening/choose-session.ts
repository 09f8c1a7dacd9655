import { UserError } from '../../contract/errors.ts';
import type { SessionSettings, SessionSummary } from '../../contract/session.ts';
import { compareText } from '../../lib/text/compare.ts';
import { visible } from '../../lib/text/printable.ts';
import { folderIdentity } from '../../sandbox/files/folder-identity.ts';
import type { OpenSession, SessionStore } from '../../session/store.ts';
import type { SessionOptions } from '../options.ts';

type Surroundings = { store: SessionStore; cwd: string; settings: SessionSettings };

/** The session selected by the flags: a new one, an earlier one, or a copy of it. */
export async function openSession(
  options: Partial<SessionOptions>,
  { store, cwd, settings, fence }: Surroundings & { fence?: number | undefined },
): Promise<OpenSession> {
  const id = await selectedSession(options, { store, cwd });
  const { sessionId } = options;
  if (sessionId !== undefined && store.has(sessionId))
    throw new UserError(
      `A session with the id ${sessionId} already exists.`,
      `Choose another id, or resume it with --resume ${sessionId}.`,
    );
  if (id === null)
    return { ...store.create(cwd, settings, sessionId), ...(fence !== undefined && { fence }) };
  return (options.fork ? await store.fork(id) : await store.resume(id, fence)) ?? missing(options.resume);
}

/** The id of the earlier session that the flags select; null if they select none. */
export async function selectedSession(
  { resume, continue: goOn, fork, forceDir }: Partial<SessionOptions>,
  { store, cwd }: Omit<Surroundings, 'settings'>,
): Promise<string | null> {
  if (resume === undefined && !goOn) {
    if (fork) throw new UserError('--fork needs a session to copy.', 'Add --resume ID or --continue.');
    return null;
  }
  if (resume === true)
    throw new UserError('--resume needs a session.', 'Add its ID or title; run `aca sessions` to list them.');
  const id =
    (resume === undefined ? lastConversationIn(store, cwd) : await store.find(resume)) ?? missing(resume);
  const elsewhere = forceDir ? null : otherFolder(store.folderOf(id), cwd);
  if (elsewhere !== null)
    throw new UserError(
      `This session belongs to another folder: ${visible(elsewhere)}.`,
      'Resume it there, or add --force-dir to resume it here.',
    );
  return id;
}

function missing(resume: SessionOptions['resume']): never {
  throw resume === undefined
    ? new UserError('No session to continue in this folder.', 'Start one without --continue.')
    : new UserError(`There is no session "${resume}".`, 'Run `aca sessions` to list all sessions.');
}

/** The session's folder if it is a different or missing one; null if it is this one or unknown. */
export function otherFolder(folder: string | null, cwd: string): string | null {
  if (!folder || folder === cwd) return null;
  const identity = folderIdentity(folder);
  return identity !== null && identity === folderIdentity(cwd) ? null : folder;
}

export function otherFolderQuestion(folder: string, cwd: string): string {
  return `This session belongs to another folder: ${visible(folder)}. Resume it in ${visible(cwd)}?`;
}

type Asking = Pick<Surroundings, 'store' | 'cwd'> & {
  confirm(question: string): Promise<boolean>;
  print(text: string): void;
};

/** Asks before resuming a session of another folder in this one. Null after a no. */
export async function confirmFolder<Options extends Partial<SessionOptions>>(
  options: Options,
  { store, cwd, confirm, print }: Asking,
): Promise<Options | null> {
  const id = typeof options.resume === 'string' ? await store.find(options.resume) : null;
  const elsewhere = id === null ? null : otherFolder(store.folderOf(id), cwd);
  if (elsewhere === null || options.forceDir) return options;
  if (await confirm(otherFolderQuestion(elsewhere, cwd))) return { ...options, forceDir: true };
  print(`The session was not opened. Its folder is ${visible(elsewhere)}.`);
  return null;
}

/** The id of the most recently used session in a folder; it may have no message if a command changed a file in it. */
export function lastSessionIn(store: SessionStore, cwd: string): string | null {
  return sessionsIn(store, cwd)[0]?.id ?? null;
}

/** The same, of those with a conversation. */
function lastConversationIn(store: SessionStore, cwd: string): string | null {
  return sessionsIn(store, cwd).find(({ messageCount }) => messageCount > 0)?.id ?? null;
}

function sessionsIn(store: SessionStore, cwd: string): SessionSummary[] {
  return byLastUsed(store.list()).filter(({ workingDirectory }) => workingDirectory === cwd);
}

export function byLastUsed(sessions: readonly SessionSummary[]): SessionSummary[] {
  return sessions.toSorted((a, b) => compareText(b.updatedAt, a.updatedAt));
}
