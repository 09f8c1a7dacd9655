import type { SessionWriter } from '../../agent/session-writer.ts';
import type { ModeSwitch } from '../../contract/command.ts';
import type { UndoStore } from '../../session/undo/undo-store.ts';
import type { Notify } from '../notify.ts';
import type { Parts } from '../parts.ts';
import { createCapabilities } from './capabilities.ts';
import { createJudge } from './judge.ts';
import { createPrivacy } from './privacy.ts';
import { createSessionGuard, sessionFolders } from './session-guard.ts';
import { createSessionRules } from './session-rules.ts';
import { StartupCheck } from './startup-check.ts';
import { TextSources } from './text-sources.ts';
import { undoableShell } from './undoable-shell.ts';

export type SafetyDeps = { writer: SessionWriter; undo: UndoStore; mode: ModeSwitch; notify: Notify };

export type Safety = ReturnType<typeof buildSafety>;

/** Everything that decides what the tools of a session may do, and the capabilities they get. */
export function buildSafety(parts: Parts, { writer, undo, mode, notify }: SafetyDeps) {
  const { cwd } = parts;
  const { warn } = notify;
  const folders = sessionFolders(parts);
  const rules = createSessionRules(parts, writer);
  const guard = createSessionGuard(parts, folders, rules);
  const privacy = createPrivacy(parts, { guard, notice: warn });
  const sources = new TextSources(parts, {
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
    redact: privacy.outgoing,
    isGuarded: () => sources.isGuarded(),
  });
  const judge = createJudge(parts, {
    mode,
    guard,
    rules,
    sources,
    sandbox: () => capabilities.shell.sandbox(),
    writer,
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
  return { folders, rules, guard, privacy, capabilities, judge, sources, startup, shell };
}
