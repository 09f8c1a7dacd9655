import path from 'node:path';
import type { SessionActions } from '../../contract/command.ts';
import { UserError } from '../../contract/errors.ts';
import { rewindSession, type Session } from '../../contract/session.ts';
import type { OpenSession, SessionStore } from '../../session/store.ts';
import { byLastUsed, otherFolder, otherFolderQuestion } from '../opening/choose-session.ts';
import { exportTo } from './export-file.ts';

export type SessionActionsOptions = {
  opened: OpenSession;
  store: SessionStore;
  /** Whether sessions are saved at all. */
  keeps: boolean;
  cwd: string;
  /** Replaces secrets by placeholders. */
  redact(session: Session): Session;
  confirm(question: string): Promise<boolean>;
  /** Called when the disk cannot be written. */
  warn(text: string): void;
  onRewound?(): void;
  /** Continues the conversation in this session. */
  goOn(next: OpenSession): void | Promise<void>;
  /** Opens another session by its id, where it does not replace this one. */
  open?(id: string): Promise<void>;
};

/** The session operations available to the user. */
export function createSessionActions(
  options: SessionActionsOptions,
): SessionActions & { messageAdded(): Promise<void> } {
  const { opened, store, keeps, cwd, redact, confirm, warn, onRewound, goOn, open } = options;
  const { session, journal, ready } = opened;
  /** A session without messages leaves no trace: its title waits for the first message. */
  let waiting = session.messages.length === 0;

  /** A disk error causes a warning; the conversation continues. */
  const write = async (record: Parameters<typeof journal.append>[0]) => {
    if (!keeps || waiting) return;
    await journal
      .append(record)
      .then(() => journal.sync())
      .catch((error: Error) => warn(`Could not save this (${error.message}); it applies until you quit.`));
  };
  const mustKeep = () => {
    if (!keeps) throw new UserError('Sessions are not saved here.', 'Turn on saveHistory to save them.');
  };
  return {
    session,
    ready,
    list: () => byLastUsed(store.list()),
    async rename(title) {
      session.title = title;
      await write({ type: 'title', title });
    },
    async rewind(keep) {
      await ready;
      rewindSession(session, keep);
      await write({ type: 'rewind', keep });
      onRewound?.();
    },
    async fork(keep) {
      mustKeep();
      await ready;
      const copy = await store.fork(session.id, keep);
      if (!copy) throw new UserError('This session is not saved yet.', 'Continue here.');
      await goOn(copy);
      return copy.session.id;
    },
    begin: async () => goOn(store.create(cwd, session.settings)),
    async goTo(wanted) {
      const id = await store.find(wanted);
      if (id === session.id)
        throw new UserError('You are already in that session.', '/sessions lists the others.');
      if (id !== null && open) return open(id);
      const elsewhere = id === null ? null : otherFolder(store.folderOf(id), cwd);
      if (elsewhere !== null && !(await confirm(otherFolderQuestion(elsewhere, cwd)))) return;
      const next = id === null ? null : await store.resume(id);
      if (!next) throw new UserError(`There is no session "${wanted}".`, '/sessions lists them.');
      await goOn(next);
    },
    async exportTo(file, { withSecrets = false } = {}) {
      await ready;
      const whole = await store.whole(session);
      return exportTo(withSecrets ? whole : redact(whole), path.resolve(cwd, file));
    },
    async messageAdded() {
      if (!waiting) return;
      waiting = false;
      if (session.title !== undefined) await write({ type: 'title', title: session.title });
    },
  };
}
