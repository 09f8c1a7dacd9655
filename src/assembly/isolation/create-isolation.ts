import { oneAtATime } from '../../lib/async/one-at-a-time.ts';
import { worktreesFolder } from '../../sandbox/worktrees/folder.ts';
import type { Parts } from '../parts.ts';
import type { IsolationDeps } from './isolated-agent.ts';
import type { Isolation } from './isolation.ts';

/** Loaded on first use: most sessions have no such subagents. */
export function createIsolation(parts: Parts, deps: IsolationDeps): Isolation {
  const { cwd, env } = parts;
  const { safety, core } = deps;
  const inTurn = oneAtATime();
  let tidied: Promise<void> | undefined;

  /** Worktrees that earlier processes left. */
  async function tidy(): Promise<void> {
    const folder = worktreesFolder(cwd);
    const { removeLeftovers } = await import('../../sandbox/worktrees/remove.ts');
    const { kept } = await removeLeftovers(folder, env);
    if (kept.length === 0) return;
    const places = kept.map((one) => one.folder).join(', ');
    core.notify.info(`Changes of earlier subagents that were not merged are in ${places}.`);
  }

  return {
    async open(at, signal) {
      tidied ??= tidy();
      await tidied;
      const { openIsolated } = await import('./isolated-agent.ts');
      return openIsolated(parts, at, { deps, signal });
    },
    async merge(request) {
      const { mergeBack } = await import('./merge-back.ts');
      // Two merges at once would each be planned without the other.
      return inTurn(() => mergeBack(request, { cwd, safety }));
    },
    async keepUnfinished(worktree) {
      const { keepUnfinished } = await import('./merge-back.ts');
      return keepUnfinished(worktree);
    },
  };
}
