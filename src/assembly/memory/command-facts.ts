import type { Memory } from '../../contract/command.ts';
import { newEntry } from '../../memory/entry.ts';
import type { MemoryStore } from '../../memory/store.ts';
import { today } from './note-extraction.ts';

type FactDeps = { store: MemoryStore; sessionId: string; isClean(text: string): boolean };

/** What a shell returns for a program that does not exist or cannot be executed. */
const NO_SUCH_PROGRAM = new Set([126, 127]);

/**
 * Commands that tested or built the project, with the exit code and day of the last time that they passed. A
 * failure says something about the code, not about the command, so that only a missing program removes one.
 */
export function createNoteChecks({ store, sessionId, isClean }: FactDeps): Memory['noteChecks'] {
  return async (checks) => {
    for (const { name, exitCode } of checks) {
      const text = `\`${name}\` passed with exit code 0`;
      const known = store.list().find((note) => note.kind === 'commands' && note.text === text);
      const from = { date: today(), session: sessionId.slice(0, 8) };
      if (exitCode === 0 && known?.date !== from.date && isClean(text)) {
        if (known) await store.replace(known, (entry) => ({ ...entry, ...from }));
        else await store.add([{ kind: 'commands', ...newEntry(text, from) }]);
      }
      if (known && exitCode !== null && NO_SUCH_PROGRAM.has(exitCode)) await store.replace(known, () => null);
    }
  };
}
