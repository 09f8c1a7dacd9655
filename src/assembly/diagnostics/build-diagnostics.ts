import path from 'node:path';
import type { RouterDeps } from '../../agent/router-deps.ts';
import type { RemainingWork } from '../../agent/run-until-done.ts';
import type { CodeIntelligence, LanguageServers } from '../../contract/code-intelligence.ts';
import type { Access } from '../../contract/permission.ts';
import { createNavigation } from '../../language-servers/navigation.ts';
import { SessionDiagnostics, type Settled } from '../../language-servers/session-diagnostics.ts';
import { counted } from '../../lib/text/counted.ts';
import { visible } from '../../lib/text/printable.ts';
import { findingLines } from '../../tools/diagnostics.ts';
import type { Parts } from '../parts.ts';
import type { Safety } from '../safety/build-safety.ts';
import type { SessionCore } from '../session/open-core.ts';
import { Checks } from './checks.ts';
import { findDependents } from './find-dependents.ts';
import { findServers } from './find-servers.ts';

/** What a session learns about the code it changes. */
export type BuiltDiagnostics = {
  /** For tools; null if no server is installed for the project. */
  code: CodeIntelligence | null;
  desk: LanguageServers;
  router: Pick<RouterDeps, 'settled'>;
  /** Call before a call that would change something is judged: a server may start meanwhile. */
  expect(accesses: readonly Access[]): void;
  /** Await before a call changes something. */
  beforeChange(signal: AbortSignal): Promise<void>;
  /** When the model is done. */
  remainingWork: RemainingWork;
  close(): void;
};

const MOST_SHOWN = 30;

export function buildDiagnostics(
  parts: Parts,
  { core, safety }: { core: Pick<SessionCore, 'changes' | 'notify'>; safety: Safety },
): BuiltDiagnostics {
  const { cwd, config } = parts;
  const { notify, changes } = core;
  const ending = new AbortController();
  const { signal } = ending;
  const found = findServers(parts, safety.guard);
  const pool = found.type === 'found' ? found.pool : null;
  const { shell, search } = safety.capabilities;
  const { limitMs } = config.languageServers;
  const dependents = (file: string) =>
    findDependents(file, {
      ...{ cwd, search, signal },
      isServed: (one) => pool?.serverFor(one) === pool?.serverFor(file),
    });
  const session = pool && new SessionDiagnostics({ pool, limitMs, dependents, signal });
  const checks =
    config.checks.length > 0
      ? new Checks({ checks: config.checks, shell, cwd, signal, warn: notify.warn })
      : null;
  changes.listen((change) => {
    session?.seen(change);
    if (change.byCall) checks?.changed(change.path);
  });

  async function settled(until: AbortSignal, { isLast }: { isLast: boolean }): Promise<string[]> {
    if (!session) return [];
    const news = await session.settle(until, { isLast });
    const { fresh } = news;
    if (fresh.length > 0)
      notify.info(`${counted(fresh.length, 'new error')}: ${visible(findingLines(fresh, cwd, 1)[0] ?? '')}`);
    return noteOf(news, cwd);
  }

  return {
    code: pool &&
      session && { ...createNavigation(pool), diagnostics: (file, until) => session.current(file, until) },
    desk: {
      off: found.type === 'none' ? found.because : '',
      missing: found.type === 'none' ? [] : found.missing,
      list: () => pool?.states() ?? [],
      restart: async (name) => (await pool?.restart(name)) ?? false,
    },
    router: { settled: (_accesses, until) => settled(until, { isLast: false }) },
    expect(accesses) {
      for (const { kind, target } of accesses)
        if (kind === 'write') session?.warmUp(path.resolve(cwd, target));
    },
    beforeChange: async (until) => checks?.beforeChange(until),
    remainingWork: async (again, until) => {
      const late = await settled(until, { isLast: true });
      if (late.some((note) => note.startsWith(NEW))) return late.join('\n\n');
      return (await checks?.remainingWork(again, until)) ?? null;
    },
    close() {
      ending.abort();
      if (found.type === 'found') found.leave();
    },
  };
}

const NEW = 'New errors after this change';

/** For the model. The texts come from programs and files: they are made harmless for screens. */
function noteOf({ fresh, unknown }: Settled, cwd: string): string[] {
  const lines = findingLines(fresh, cwd, MOST_SHOWN).map(visible);
  const names = unknown.map((one) => path.relative(cwd, one.path));
  const reasons = [...new Set(unknown.map(({ because }) => because))].join('; ');
  return [
    ...(fresh.length > 0 ? [[`${NEW}, from a language server:`, ...lines].join('\n')] : []),
    ...(names.length > 0
      ? [`Whether ${visible(names.join(', '))} has errors now is not known: ${visible(reasons)}.`]
      : []),
  ];
}
