import path from 'node:path';
import type { Sent } from '../../context/imports.ts';
import { foldersDown, type Instruction, type PathRule } from '../../context/instructions.ts';
import { folderNote, isForeign, notedPlaces } from '../../context/nested-instructions.ts';
import type { Message } from '../../contract/message.ts';
import type { Access } from '../../contract/permission.ts';
import { fileGlobs } from '../../lib/paths/file-globs.ts';
import { isInside } from '../../lib/paths/inside.ts';
import type { InstructionFiles } from './load-instructions.ts';

export type ProjectInstructions = {
  /** As last read. */
  all(): Promise<readonly Instruction[]>;
  /** As they are now. */
  reload(): Promise<readonly Instruction[]>;
  /**
   * For the result of a call that accessed these paths: instructions in folders below the working directory,
   * and rules for such files, each once.
   */
  notesFor(accesses: readonly Access[]): Promise<string[]>;
};

/** Instructions of the user and the project for the model, in the conversation with these messages. */
export function createProjectInstructions(
  { cwd, all, reload, inFolder }: InstructionFiles,
  messages: () => readonly Message[],
): ProjectInstructions {
  let noted: (ReturnType<typeof notedPlaces> & { sent: Sent }) | undefined;
  /** Of folders that were visited. */
  const nested: PathRule[] = [];
  const nameOf = (file: string) => (isInside(cwd, file) ? path.relative(cwd, file) : file);

  function freshFolders(place: string, known: Set<string>): string[] {
    return foldersDown(cwd, place)
      .slice(1)
      .filter((folder) => {
        const name = path.relative(cwd, folder);
        const isKnown = known.has(name);
        // Added before the first await: calls run concurrently.
        known.add(name);
        return !isKnown;
      });
  }

  async function noteOf(folder: string, sent: Sent): Promise<string[]> {
    const { instructions, rules } = await inFolder(folder, sent);
    nested.push(...rules);
    const name = path.relative(cwd, folder);
    return instructions.map(({ file, text }) => folderNote({ folder: name, file: nameOf(file), text }));
  }

  function rulesFor(
    places: readonly string[],
    rules: readonly PathRule[],
    { files: known, sent }: NonNullable<typeof noted>,
  ): string[] {
    return rules.flatMap(({ file, real, text, base, globs, bare }) => {
      const name = nameOf(file);
      const matches = fileGlobs(globs, bare);
      const isMeant = places.some(
        (place) => isInside(base, place) && matches(path.relative(base, place).replaceAll(path.sep, '/')),
      );
      if (known.has(name) || sent.files.has(real) || !isMeant) return [];
      known.add(name);
      return [folderNote({ folder: globs.join(', '), file: name, text })];
    });
  }

  return {
    all: async () => (await all()).instructions,
    reload: async () => (await reload()).instructions,
    async notesFor(accesses) {
      const { rules, sent } = await all();
      noted ??= {
        ...notedPlaces(messages()),
        sent: { files: new Set(sent.files), texts: new Set(sent.texts) },
      };
      const known = noted;
      const places = accesses
        .filter(({ kind, target }) => (kind === 'read' || kind === 'write') && !isForeign(target))
        .map(({ target }) => path.resolve(cwd, target))
        .filter((place) => isInside(cwd, place));
      const fresh = [...new Set(places.flatMap((place) => freshFolders(place, known.folders)))];
      const notes: string[] = [];
      for (const folder of fresh) notes.push(...(await noteOf(folder, known.sent)));
      return [...notes, ...rulesFor(places, [...rules, ...nested], known)];
    },
  };
}
