import path from 'node:path';
import { unlessErrno } from '../lib/files/errno.ts';
import { updateFile } from '../lib/files/file-update.ts';
import { readRegularText } from '../lib/files/regular-file.ts';
import { duplicateOf } from './duplicates.ts';
import { cleanText, type Entry } from './entry.ts';
import { addNotes, changeNotes, entriesOf, type NoteFile, parseNotes, printNotes } from './note-file.ts';
import { projectKey } from './project-key.ts';

/** The subject of a note; one file each. */
export const noteKinds = ['user', 'context', 'decisions', 'learnings', 'commands', 'corrections'] as const;
export type NoteKind = (typeof noteKinds)[number];

export type Note = Entry & { kind: NoteKind };

const TITLES: Record<NoteKind, string> = {
  user: 'About the user, in every project',
  context: 'About this project',
  decisions: 'Decided in this project',
  learnings: 'Learnt in this project',
  commands: 'Commands that passed in this project',
  corrections: 'What you said about how to work in this project; proposed for AGENTS.md',
};
const DAY_MS = 24 * 60 * 60 * 1000;
const KEPT_DAYS = 90;

/** The notes, as Markdown that the user may edit at any time: files are read on every access. */
export class MemoryStore {
  readonly folder: string;
  readonly #project: string;

  constructor({ folder, project }: { folder: string; project: string }) {
    this.folder = folder;
    this.#project = path.join(folder, 'projects', projectKey(project));
  }

  fileOf(kind: NoteKind): string {
    return kind === 'user' ? path.join(this.folder, 'user.md') : path.join(this.#project, `${kind}.md`);
  }

  /** In the order of the files. */
  list(): Note[] {
    return noteKinds.flatMap((kind) => entriesOf(this.#read(kind)).map((entry) => ({ ...entry, kind })));
  }

  /** Adds unknown notes; resolves with those added. */
  async add(notes: readonly Note[]): Promise<Note[]> {
    const added: Note[] = [];
    await this.#change(() => {
      const known = this.list();
      for (const note of notes) {
        if (note.text === '' || duplicateOf(note.text, [...known, ...added])) continue;
        added.push(note);
      }
      return noteKinds.map((kind) => {
        const fresh = added.filter((note) => note.kind === kind);
        return { kind, file: addNotes(this.#read(kind), fresh, TITLES[kind]) };
      });
    });
    return added;
  }

  /** The note mapped by `change`; null removes it. False if it no longer exists. */
  async replace(note: Note, change: (entry: Entry) => Entry | null): Promise<boolean> {
    let found = false;
    await this.#change(() => {
      const file = changeNotes(this.#read(note.kind), (entry) => {
        if (found || entry.text !== note.text) return entry;
        found = true;
        return change(entry);
      });
      return [{ kind: note.kind, file }];
    });
    return found;
  }

  async edit(note: Note, text: string): Promise<boolean> {
    return this.replace(note, (entry) => ({ ...entry, text: cleanText(text) }));
  }

  /** Marks notes as given to a model today. */
  async touch(notes: readonly Note[], today: string): Promise<void> {
    const used = new Set(notes.map(({ kind, text }) => `${kind} ${text}`));
    await this.#change(() =>
      noteKinds.map((kind) => ({
        kind,
        file: changeNotes(this.#read(kind), (entry) =>
          used.has(`${kind} ${entry.text}`) ? { ...entry, used: today, uses: entry.uses + 1 } : entry,
        ),
      })),
    );
  }

  /** Removes notes not used for 90 days. Keeps pinned ones, and those the user wrote without a date. */
  async prune(now: Date): Promise<Note[]> {
    const isOld = (entry: Entry) =>
      !entry.pinned &&
      entry.date !== null &&
      now.getTime() - Date.parse(entry.used ?? entry.date) > KEPT_DAYS * DAY_MS;
    const old = this.list().filter(isOld);
    if (old.length === 0) return [];
    await this.#change(() =>
      noteKinds.map((kind) => ({
        kind,
        file: changeNotes(this.#read(kind), (entry) => (isOld(entry) ? null : entry)),
      })),
    );
    return old;
  }

  /** Reads, changes and writes under a lock against other processes. */
  async #change(change: () => { kind: NoteKind; file: NoteFile }[]): Promise<void> {
    // One lock for all files.
    await updateFile(this.folder, async (write) => {
      for (const { kind, file } of change()) {
        const text = printNotes(file);
        if (text !== this.#textOf(kind)) await write(text, { to: this.fileOf(kind) });
      }
    });
  }

  #read(kind: NoteKind): NoteFile {
    return parseNotes(this.#textOf(kind));
  }

  #textOf(kind: NoteKind): string {
    return unlessErrno(['ENOENT'], '', () => readRegularText(this.fileOf(kind)));
  }
}
