import path from 'node:path';
import type { RouterDeps } from '../../agent/router-deps.ts';
import type { ModeSwitch } from '../../contract/command.ts';
import type { Access } from '../../contract/permission.ts';
import { isInside } from '../../lib/paths/inside.ts';
import { openOrCreate } from '../../sandbox/worktrees/create.ts';
import type { Worktree } from '../../sandbox/worktrees/worktree.ts';
import type { SessionTools } from '../extensions/session-tools.ts';
import type { Parts } from '../parts.ts';
import { buildSafety, type Safety, type UndoRecorder } from '../safety/build-safety.ts';
import type { SessionCore } from '../session/open-core.ts';
import { createRouter, type SessionRouterDeps } from '../session/session-router.ts';
import type { IsolatedAgent } from './isolation.ts';

export type IsolationDeps = {
  core: SessionCore;
  safety: Safety;
  tools: SessionTools;
  router: Pick<SessionRouterDeps, 'extensions' | 'answers' | 'interrupted' | 'models' | 'instead'>;
};

/** Nothing in the copy can be undone: its changes are when they are merged. */
const NO_UNDO: UndoRecorder = {
  keep: async () => undefined,
  // Nothing reaches the project before the user has seen it.
  canUndo: async () => true,
  commandReads: async () => undefined,
  commandBegins: async () => [],
  commandEnded: async () => [],
  continuesInBackground: async () => undefined,
};
/** Ignored folders that programs need and that can be shared. */
const LINKED = ['node_modules'];

/** Opens the worktree `at`, or creates it from the files as they are now. A text says why that is not possible. */
export async function openIsolated(
  parts: Parts,
  at: string,
  { deps, signal }: { deps: IsolationDeps; signal: AbortSignal },
): Promise<IsolatedAgent | string> {
  const { cwd, env } = parts;
  const branch = `aca/${path.basename(at)}`;
  const worktree = await openOrCreate({
    repository: cwd,
    uncommitted: true,
    at,
    branch,
    links: LINKED,
    env,
    signal,
  });
  if (!worktree) return `The worktree ${at} is in use or damaged. Start a new subagent.`;
  const mode = modeInCopy(deps.core.mode);
  const safety = isolatedSafety(parts, worktree, { deps, mode });
  const { builtin, router: own } = deps.tools;
  const names = new Set(builtin.map(({ name }) => name));
  const find: RouterDeps['find'] = (name) => {
    const tool = own.find(name);
    return tool && names.has(tool.name) ? tool : undefined;
  };
  const router = createRouter({
    ...deps.router,
    cwd: worktree.cwd,
    // Other tools run outside the sandbox, and may write elsewhere.
    tools: { router: { find, toolNames: () => [...names] } },
    safety,
    caches: { router: {} },
    instructions: { notesFor: async () => [] },
    writer: deps.core.writer,
  });
  const inCopy = (access: Access): Access =>
    ['read', 'write'].includes(access.kind)
      ? { ...access, target: path.resolve(worktree.cwd, access.target) }
      : access;
  const original = originalOf(worktree, cwd);
  return {
    worktree,
    router: {
      ...router,
      printed: (callId, accesses, output) => safety.privacy.printed(callId, accesses.map(inCopy), output),
    },
    definitions: () => builtin,
    notes: (of) => (accesses) =>
      of(
        accesses
          .map(inCopy)
          .map((access) => ({ ...access, target: original(access.target) ?? access.target })),
      ),
    mode,
    async close() {
      await safety.capabilities.shell.close();
      await safety.startup.close();
    },
  };
}

function isolatedSafety(
  parts: Parts,
  worktree: Worktree,
  { deps, mode }: { deps: IsolationDeps; mode: ModeSwitch },
): Safety {
  const { config, cwd, buffers: _buffers, reviewPlan: _reviewPlan, trust: _trust, ...rest } = parts;
  const { rules, grants, privacy, sources, guard } = deps.safety;
  const { root, gitDir } = worktree.origin;
  const original = originalOf(worktree, cwd);
  const sandbox = { ...config.sandbox, required: true, writablePaths: [] };
  return buildSafety(
    { ...rest, cwd: worktree.cwd, config: { ...config, additionalDirectories: [], sandbox } },
    {
      ...deps.core,
      undo: NO_UNDO,
      mode,
      shared: {
        rules,
        grants,
        privacy,
        sources,
        limits: {
          readable: [
            root ?? cwd,
            ...config.additionalDirectories,
            ...(gitDir === null ? [] : [path.join(gitDir, 'objects')]),
          ],
          alsoClosed: (file, wanted) => guard.closedBecause(original(file) ?? file, wanted),
        },
      },
    },
  );
}

/** The path in the project of a path in the copy; null for other paths. */
function originalOf({ folder, origin }: Worktree, cwd: string): (file: string) => string | null {
  const root = origin.root ?? cwd;
  return (file) => (isInside(folder, file) ? path.join(root, path.relative(folder, file)) : null);
}

/** Edits in the copy are not asked about: they are when they are merged. */
function modeInCopy(mode: ModeSwitch): ModeSwitch {
  return { ...mode, get: () => (mode.get() === 'default' ? 'accept-edits' : mode.get()) };
}
