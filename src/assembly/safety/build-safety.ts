import type { SessionWriter } from '../../agent/session-writer.ts';
import type { ModeSwitch } from '../../contract/command.ts';
import { commandView } from '../../sandbox/confine/command-view.ts';
import { commandEnvironment } from '../../sandbox/shell/shell-program.ts';
import type { UndoStore } from '../../session/undo/undo-store.ts';
import type { Notify } from '../notify.ts';
import type { Parts } from '../parts.ts';
import { createCapabilities } from './capabilities.ts';
import { createGrants, type Grants } from './grants.ts';
import { createJudge } from './judge.ts';
import { createPrivacy, type Privacy } from './privacy.ts';
import { createSessionGuard, type GuardLimits, sessionFolders } from './session-guard.ts';
import { createSessionRules, type SessionRules } from './session-rules.ts';
import { sessionWalls } from './session-shell.ts';
import { StartupCheck } from './startup-check.ts';
import { TextSources } from './text-sources.ts';
import { undoableShell } from './undoable-shell.ts';

/** What records the changes of tools and commands. */
export type UndoRecorder = Pick<
  UndoStore,
  'keep' | 'canUndo' | 'commandReads' | 'commandBegins' | 'commandEnded' | 'continuesInBackground'
>;

/** For an agent in a copy of the project: what it has in common with its session, and its limits. */
type SharedSafety = {
  rules: SessionRules;
  grants: Grants;
  privacy: Privacy;
  sources: TextSources;
  limits: GuardLimits;
};

export type SafetyDeps = {
  writer: SessionWriter;
  undo: UndoRecorder;
  mode: ModeSwitch;
  notify: Notify;
  shared?: SharedSafety;
};

export type Safety = ReturnType<typeof buildSafety>;

/** Everything that decides what the tools of a session may do, and the capabilities they get. */
export function buildSafety(parts: Parts, { writer, undo, mode, notify, shared }: SafetyDeps) {
  const { cwd } = parts;
  const { warn } = notify;
  const limits = shared?.limits;
  const folders = sessionFolders(parts);
  const rules = shared?.rules ?? createSessionRules(parts, writer);
  const env = commandEnvironment(parts.env, parts.hiddenVariables);
  const guard = createSessionGuard(parts, {
    folders,
    rules,
    commandView: () => commandView({ ...sessionWalls(parts, { folders, limits }), env }),
    ...(limits && { limits }),
  });
  const grants = shared?.grants ?? createGrants(parts, { guard, writer, warn });
  const privacy = shared?.privacy ?? createPrivacy(parts, { guard, notice: warn });
  const sources =
    shared?.sources ??
    new TextSources(parts, {
      guard,
      folders,
      writer,
      hasSecret: (text) => privacy.outgoing(text) !== text,
    });
  const capabilities = createCapabilities(parts, {
    guard,
    folders,
    undo,
    mode,
    limits,
    redact: privacy.outgoing,
    hasReadForeign: () => sources.hasReadForeign(),
    warn,
  });
  const judge = createJudge(parts, {
    mode,
    guard,
    rules,
    sources,
    grants,
    sandbox: () => capabilities.shell.sandbox(),
    canUndo: (by, signal) => undo.canUndo(by, signal),
    warn,
  });
  const startup = new StartupCheck({
    cwd,
    shell: capabilities.shell,
    watch: capabilities.startup,
    decide: judge.decide,
    isClosed: (file) => !guard.allows(file, 'write'),
    onBeforeWrite: capabilities.onBeforeWrite,
    warn,
  });
  const shell = undoableShell(capabilities.shell, {
    undo,
    changing: startup.shell,
    cwd,
    isHarmless: (target) => judge.isReadOnly({ kind: 'execute', target }),
    environmentOf: judge.readOnlyEnvironment,
    onNotice: notify.info,
  });
  return { folders, rules, guard, grants, privacy, capabilities, judge, sources, startup, shell };
}
