import path from 'node:path';
import { assistantFolders } from '../../config/assistant-folders.ts';
import type { AssistantName } from '../../config/schema/other-assistants.ts';
import type { Config } from '../../config/schema/schema.ts';
import type { Owner, ReadFile, Sent } from '../../context/imports.ts';
import { claudeRules } from '../../context/instruction-rules.ts';
import {
  type Found,
  findInstructions,
  folderInstructions,
  type Instruction,
  type PathRule,
  type UserFolder,
} from '../../context/instructions.ts';
import { homeFolder } from '../../lib/files/data-root.ts';
import { peek } from '../../lib/files/peek.ts';
import { readTextIfAny } from '../../lib/files/read-text.ts';
import { isInside } from '../../lib/paths/inside.ts';
import { repositoryRoot } from '../../lib/paths/repository-root.ts';
import { createGuard, type Guard } from '../../sandbox/guard.ts';

export type InstructionDeps = {
  config: Pick<Config, 'blockedPaths' | 'allowedPaths' | 'otherAssistants'>;
  cwd: string;
  dataRoot: string;
  env: Readonly<Record<string, string | undefined>>;
  /** For the working directory. */
  guard: Pick<Guard, 'reach' | 'closedBecause' | 'realOf'>;
  notice(text: string): void;
};

type FoundInstructions = { instructions: readonly Instruction[]; rules: readonly PathRule[]; sent: Sent };

export type InstructionFiles = {
  cwd: string;
  /** As last read. */
  all(): Promise<FoundInstructions>;
  /** Reads them again: they may have been edited since. */
  reload(): Promise<FoundInstructions>;
  /** Those in a folder below the working directory, without what was sent; adds to it. */
  inFolder(folder: string, sent: Sent): Promise<Pick<Found, 'instructions' | 'rules'>>;
};

/** Larger files are not written by hand. */
const MAX_BYTES = 1_000_000;
const MAX_DEPTH = 4;

/** Finds instructions of the user and the project for one session. */
export function createInstructionFiles(deps: InstructionDeps): InstructionFiles {
  const { cwd, dataRoot, guard, env } = deps;
  const home = homeFolder(env);
  const repository = repositoryRoot(cwd);
  const above = repository === cwd ? null : guardAbove(repository, home, deps);
  let found: ReturnType<InstructionFiles['all']> | undefined;

  /** Why a file is not read, or null. */
  function closed(file: string, owner: Owner): string | null {
    // The user's own instructions are in a folder that is otherwise protected.
    if (owner === 'user' && isInside(dataRoot, file))
      return path.extname(file) === '.md' ? null : 'aca stores its settings and sessions there';
    const reach = guard.reach(file, 'read');
    if (reach.type === 'open' || (reach.type === 'outside' && owner === 'user')) return null;
    if (reach.type === 'outside' && above?.(file)) return null;
    if (reach.type === 'closed') return reach.because;
    return `it is outside ${repository}; start with --add-dir ${path.dirname(file)} to use it`;
  }

  async function read(file: string, owner: Owner): Promise<ReadFile> {
    const size = peek.file(file)?.size;
    if (size === undefined)
      return peek.isSpecial(file)
        ? { type: 'refused', because: 'it is a pipe, a socket or a device' }
        : { type: 'missing' };
    const because = closed(file, owner) ?? (size > MAX_BYTES ? 'it is too large for instructions' : null);
    if (because !== null) return { type: 'refused', because };
    const text = await readTextIfAny(file);
    if (text === null) return { type: 'refused', because: 'it cannot be read' };
    if (text.includes('\0')) return { type: 'refused', because: 'it is not a text file' };
    return { type: 'text', text, real: guard.realOf(file) ?? file };
  }

  const disk = { read, list: filesUnder, home };
  const noticed = new Set<string>();

  function reported(one: Found): Found {
    for (const text of one.notices) {
      if (!noticed.has(text)) deps.notice(text);
      noticed.add(text);
    }
    return one;
  }

  async function load() {
    const sent: Sent = { files: new Set(), texts: new Set() };
    const places = { dataRoot, others: userFolders(deps), repository, cwd };
    return { ...reported(await findInstructions(places, { ...disk, sent })), sent };
  }

  return {
    cwd,
    all() {
      found ??= load();
      return found;
    },
    reload() {
      found = load();
      return found;
    },
    inFolder: async (folder, others) => reported(await folderInstructions(folder, { ...disk, sent: others })),
  };
}

/** Where other assistants keep instructions for all projects. */
function userFolders({ env, config }: Pick<InstructionDeps, 'env' | 'config'>): UserFolder[] {
  const folders = assistantFolders(env);
  const all: (UserFolder & { of: AssistantName })[] = [
    { of: 'codex', folder: folders.codex, names: ['AGENTS.override.md', 'AGENTS.md'] },
    { of: 'gemini', folder: folders.gemini, names: ['GEMINI.md'] },
    { of: 'opencode', folder: folders.opencode, names: ['AGENTS.md'] },
    { of: 'claude', folder: folders.claude, names: ['CLAUDE.md'], rules: claudeRules },
  ];
  return all.filter(({ of }) => config.otherAssistants[of] !== 'ignore');
}

function filesUnder(folder: string, depth = 0): string[] {
  const found = depth > MAX_DEPTH ? null : peek.folder(folder);
  return [
    ...(found?.files ?? []),
    ...(found?.folders ?? []).flatMap((name) =>
      filesUnder(path.join(folder, name), depth + 1).map((file) => `${name}/${file}`),
    ),
  ];
}

/** For the rest of the repository: only instructions are read there. */
function guardAbove(
  repository: string,
  home: string,
  { config, dataRoot, guard }: InstructionDeps,
): (file: string) => boolean {
  const outer = createGuard({
    cwd: repository,
    additionalDirectories: [],
    closedDirectories: [dataRoot],
    blockedPaths: config.blockedPaths,
    allowedPaths: config.allowedPaths,
    home,
  });
  return (file) => outer.allows(file, 'read') && guard.closedBecause(path.resolve(file), 'read') === null;
}
