import { homedir } from 'node:os';
import path from 'node:path';
import type { Config } from '../../config/schema/schema.ts';
import {
  findInstructions,
  folderInstructions,
  foldersDown,
  type Instruction,
  type ReadText,
} from '../../context/instructions.ts';
import { folderNote, isForeign, notedFolders } from '../../context/nested-instructions.ts';
import type { Message } from '../../contract/message.ts';
import type { Access } from '../../contract/permission.ts';
import { peek } from '../../lib/files/peek.ts';
import { readTextIfAny } from '../../lib/files/read-text.ts';
import { isInside } from '../../lib/paths/inside.ts';
import { repositoryRoot } from '../../lib/paths/repository-root.ts';
import { createGuard, type Guard } from '../../sandbox/guard.ts';

export type InstructionDeps = {
  config: Pick<Config, 'blockedPaths' | 'allowedPaths'>;
  cwd: string;
  dataRoot: string;
  /** For the working directory. */
  guard: Pick<Guard, 'allows' | 'closedBecause'>;
  /** The conversation so far. */
  messages(): readonly Message[];
  notice(text: string): void;
};

export type ProjectInstructions = {
  /** Read once: the system prompt must not change within a session, or the vendor's prompt cache is lost. */
  all(): Promise<readonly Instruction[]>;
  /**
   * For the result of a call that accessed these paths: instructions in folders below the working directory,
   * each once.
   */
  notesFor(accesses: readonly Access[]): Promise<string[]>;
};

/** Larger files are not written by hand. */
const MAX_BYTES = 1_000_000;

/** Instructions of the user and the project for the model. */
export function createProjectInstructions(deps: InstructionDeps): ProjectInstructions {
  const { cwd, dataRoot, guard } = deps;
  let found: Promise<readonly Instruction[]> | undefined;
  let noted: Set<string> | undefined;

  const read: ReadText = async (file) => {
    // The user's own instructions are in a folder that is otherwise protected.
    if (isInside(dataRoot, file)) return path.extname(file) === '.md' ? readSmall(file) : null;
    return isInside(cwd, file) ? readInside(file, guard) : null;
  };

  async function readInside(file: string, within: Pick<Guard, 'allows'>): Promise<string | null> {
    return within.allows(file, 'read') ? readSmall(file) : null;
  }

  async function readSmall(file: string): Promise<string | null> {
    const size = peek.file(file)?.size;
    if (size === undefined) {
      if (peek.isSpecial(file)) deps.notice(`Skipped ${file}: it is a pipe, a socket or a device.`);
      return null;
    }
    if (size <= MAX_BYTES) return readTextIfAny(file);
    deps.notice(`Skipped ${file}: it is too large for instructions.`);
    return null;
  }

  async function load(): Promise<readonly Instruction[]> {
    const repository = repositoryRoot(cwd);
    const above = repository === cwd ? null : guardAbove(repository, deps);
    const readAll: ReadText = async (file) =>
      (await read(file)) ?? (above && !isInside(cwd, file) ? readInside(file, above) : null);
    const { instructions, notices } = await findInstructions({ dataRoot, repository, cwd }, readAll);
    for (const text of notices) deps.notice(text);
    return instructions;
  }

  async function noteOf(folder: string): Promise<string[]> {
    const name = path.relative(cwd, folder);
    const { instructions, notices } = await folderInstructions(folder, read);
    for (const text of notices) deps.notice(text);
    return instructions.map(({ file, text }) =>
      folderNote({ folder: name, file: path.relative(cwd, file), text }),
    );
  }

  return {
    all() {
      found ??= load();
      return found;
    },
    async notesFor(accesses) {
      noted ??= notedFolders(deps.messages());
      const known = noted;
      const fresh = new Set<string>();
      for (const { kind, target } of accesses) {
        const place = path.resolve(cwd, target);
        if ((kind !== 'read' && kind !== 'write') || !isInside(cwd, place) || isForeign(target)) continue;
        for (const folder of foldersDown(cwd, place).slice(1)) {
          const name = path.relative(cwd, folder);
          if (!known.has(name)) fresh.add(folder);
          // Added before the first await: calls run concurrently.
          known.add(name);
        }
      }
      return (await Promise.all([...fresh].map(noteOf))).flat();
    },
  };
}

/**
 * For the folders between the repository root and the working directory: only instructions are read there.
 */
function guardAbove(repository: string, { config, dataRoot, guard }: InstructionDeps): Pick<Guard, 'allows'> {
  const outer = createGuard({
    cwd: repository,
    additionalDirectories: [],
    closedDirectories: [dataRoot],
    blockedPaths: config.blockedPaths,
    allowedPaths: config.allowedPaths,
    home: homedir(),
  });
  return {
    allows: (file, mode) =>
      outer.allows(file, mode) && guard.closedBecause(path.resolve(file), mode) === null,
  };
}
