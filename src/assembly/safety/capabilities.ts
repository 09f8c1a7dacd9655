import { homedir, totalmem } from 'node:os';
import path from 'node:path';
import type { CallVoice, RouterDeps, Scope } from '../../agent/tool-router.ts';
import type { ModeSwitch } from '../../contract/command.ts';
import type { FileChange } from '../../contract/file-change.ts';
import type { Todo, ToolContext } from '../../contract/tool.ts';
import { locksFolder } from '../../lib/files/data-root.ts';
import { readingDenier } from '../../permissions/pattern.ts';
import { createFileTurns } from '../../sandbox/files/file-lock.ts';
import { createFiles } from '../../sandbox/files/files.ts';
import { realPath } from '../../sandbox/files/real-path.ts';
import { createGuard, type Guard } from '../../sandbox/guard.ts';
import { createSearch } from '../../sandbox/search/search.ts';
import { createShell } from '../../sandbox/shell/shell.ts';
import { createStartupWatch } from '../../sandbox/startup/startup-watch.ts';
import { createWeb } from '../../sandbox/web/web.ts';
import { markOf } from '../../session/leftovers.ts';
import type { UndoStore } from '../../session/undo/undo-store.ts';
import type { Parts } from '../parts.ts';
import { lastTodos } from '../session/history-state.ts';

/** Of the machine's memory: what a command may use unless the settings say otherwise. */
const MEMORY_SHARE = 0.75;

/** What tools of one session may use: guarded, kept for undo, in the sandbox. */
export function makeHands(
  parts: Parts,
  { undo, mode, redact }: { undo: UndoStore; mode: ModeSwitch; redact(text: string): string },
) {
  const { config, env, cwd, keyVariables, dataRoot, opened, choice } = parts;
  const outputFolder = path.join(dataRoot, 'outputs', opened.session.id);
  const skillFolders = [dataRoot, ...config.plugins].map((folder) => path.join(folder, 'skills'));
  const guard = createGuard({
    cwd,
    additionalDirectories: config.additionalDirectories,
    readableDirectories: [outputFolder, ...skillFolders],
    closedDirectories: [dataRoot],
    blockedPaths: config.blockedPaths,
    allowedPaths: config.allowedPaths,
    deniedReads: readingDenier(config.permissions.deny, realPath(cwd)),
    home: homedir(),
  });
  const { kind, level, required, image, allowedDomains, writablePaths } = config.sandbox;
  const shell = createShell({
    cwd,
    env,
    hiddenEnv: keyVariables,
    outputFolder,
    limits: {
      maxProcesses: config.sandbox.maxProcesses,
      maxMemoryMb: config.sandbox.maxMemoryMb ?? Math.round((totalmem() / 1024 ** 2) * MEMORY_SHARE),
    },
    confine: {
      kind,
      // Modes in which nothing may be changed: commands cannot, either.
      level: () => (['plan', 'read-only'].includes(mode.get()) ? 'strict' : level),
      required,
      ...(image !== undefined && { image }),
      allowedDomains,
      writablePaths,
      additionalDirectories: config.additionalDirectories,
      allowedPaths: config.allowedPaths,
      isClosed: (file) => guard.closedBecause(file, 'read') !== null,
      home: homedir(),
      dataRoot,
      readableFolders: skillFolders,
      cacheFile: path.join(dataRoot, 'cache', 'sandbox-probe'),
    },
  });
  const turns = createFileTurns(locksFolder(dataRoot));
  const inTurn: NonNullable<RouterDeps['inTurn']> = (changes, signal, work) => {
    const files = changes.filter(({ kind }) => kind === 'write').map(({ target }) => target);
    return turns.run(
      files.map((file) => guard.realOf(file) ?? path.resolve(cwd, file)),
      signal,
      work,
    );
  };
  const startup = createStartupWatch({
    roots: [cwd, ...config.additionalDirectories],
    folder: path.join(outputFolder, 'set-aside'),
  });
  const onBeforeWrite = async (change: FileChange) => {
    await undo.keep(change);
    const { path: file, after } = change;
    startup.expect(file, after && { type: 'file', bytes: Buffer.from(after) });
  };
  const reaching = (within: Guard) => ({
    files: createFiles({ guard: within, cwd, mark: markOf(opened.session.id), onBeforeWrite }),
    search: createSearch({ guard: within, cwd, redact }),
  });
  let todos = lastTodos(opened.session.messages);
  const hands = {
    cwd,
    ...reaching(guard),
    shell,
    web: createWeb(parts.web),
    ask: parts.ask ?? (async () => null),
    todos: {
      list: () => todos,
      replace: (items: readonly Todo[]) => {
        todos = items;
      },
    },
    accepts: { images: choice.info.abilities.images },
    seen: new Map<string, string>(),
  };
  return {
    guard,
    files: hands.files,
    shell,
    startup,
    onBeforeWrite,
    inTurn,
    outputFolder,
    todos: hands.todos,
    context: (
      signal: AbortSignal,
      { progress }: Pick<CallVoice, 'progress'>,
      { accesses, opens }: Scope,
    ): ToolContext => {
      const writes = accesses.filter(({ kind }) => kind === 'write').map(({ target }) => target);
      const isPlain = opens.length === 0 && writes.length === 0;
      const reached = isPlain ? {} : reaching(guard.forCall({ opens, writes }));
      return { ...hands, ...reached, signal, progress };
    },
  };
}
