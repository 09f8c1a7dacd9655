import type { Memory, NotNoted, RememberedNote } from '../../contract/command.ts';
import { newEntry } from '../../memory/entry.ts';
import type { MemoryStore, Note } from '../../memory/store.ts';
import { createNoteChecks } from './command-facts.ts';
import { today } from './note-extraction.ts';

export type MemoryCommandDeps = {
  store: MemoryStore;
  sessionId: string;
  isClean(text: string): boolean;
  learn: Memory['learn'];
  suggestions: Memory['suggestions'];
};

/** What the user can list and change of the notes. */
export function createMemoryCommands({
  store,
  sessionId,
  isClean,
  learn,
  suggestions,
}: MemoryCommandDeps): Memory {
  const noteOf = ({ kind, text }: RememberedNote) =>
    store.list().find((note) => note.kind === kind && note.text === text);
  const changed = async (
    note: RememberedNote,
    change: (found: Note) => Promise<boolean>,
  ): Promise<NotNoted> => {
    const found = noteOf(note);
    return found && (await change(found)) ? null : 'gone';
  };
  return {
    folder: store.folder,
    list: () => store.list(),
    async remember(kind, text) {
      if (!isClean(text)) return 'secret';
      const from = { date: today(), session: sessionId.slice(0, 8) };
      const added = await store.add([{ kind, ...newEntry(text, from) }]);
      return added.length > 0 ? null : 'known';
    },
    learn,
    edit: async (note, text) =>
      isClean(text) ? changed(note, (found) => store.edit(found, text)) : 'secret',
    forget: (note) => changed(note, (found) => store.replace(found, () => null)),
    pin: (note, pinned) => changed(note, (found) => store.replace(found, (entry) => ({ ...entry, pinned }))),
    suggestions,
    noteChecks: createNoteChecks({ store, sessionId, isClean }),
  };
}
