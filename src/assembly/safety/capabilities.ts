import { homedir } from 'node:os';
import path from 'node:path';
import type { CallReporter, RouterDeps, Scope } from '../../agent/router-deps.ts';
import type { ModeSwitch } from '../../contract/command.ts';
import type { FileChange } from '../../contract/file-change.ts';
import type { ReviewPlan, ToolContext } from '../../contract/tool.ts';
import { locksFolder } from '../../lib/files/data-root.ts';
import { type Manifest, manifestRule } from '../../permissions/provenance/manifests.ts';
import { imageLimitsOf } from '../../providers/image-limits.ts';
import { withBuffers } from '../../sandbox/files/editor-files.ts';
import { createFileLocks } from '../../sandbox/files/file-lock.ts';
import { createFiles } from '../../sandbox/files/files.ts';
import type { Guard } from '../../sandbox/guard.ts';
import { FileSearch } from '../../sandbox/search/search.ts';
import { inspectionEnvironment } from '../../sandbox/shell/inspection-environment.ts';
import { createSyntaxCheck } from '../../sandbox/shell/syntax-check.ts';
import type { Place as StartupPlace } from '../../sandbox/startup/place.ts';
import { createStartupWatch } from '../../sandbox/startup/startup-watch.ts';
import { createWeb } from '../../sandbox/web/web.ts';
import { markOf } from '../../session/leftovers.ts';
import type { UndoStore } from '../../session/undo/undo-store.ts';
import type { Parts } from '../parts.ts';
import { lastTodos, todoList } from '../session/history-state.ts';
import { commandPrograms } from './judge-command.ts';
import type { GuardLimits, SessionFolders } from './session-guard.ts';
import { createSessionShell } from './session-shell.ts';

export type CapabilityDeps = {
  guard: Guard;
  folders: SessionFolders;
  undo: Pick<UndoStore, 'keep'>;
  mode: ModeSwitch;
  limits?: GuardLimits | undefined;
  /** Redacts secrets in search results. */
  redact(text: string): string;
  /** Whether untrusted text was read. */
  hasReadForeign(): boolean;
  warn(text: string): void;
};

/** The capabilities of a session's tools: guarded, undoable, sandboxed. */
export function createCapabilities(parts: Parts, deps: CapabilityDeps) {
  const { config, cwd, env, opened, choice } = parts;
  const { guard, folders, undo, redact } = deps;
  const shell = createSessionShell(parts, deps);
  const startup = createStartupWatch({
    roots: [cwd, ...config.additionalDirectories],
    folder: path.join(folders.output, 'set-aside'),
    home: homedir(),
    judgeOf: (name) => {
      const rule = manifestRule(name);
      return rule && manifestJudge(rule, deps.hasReadForeign);
    },
  });
  const onBeforeWrite = async (change: FileChange) => {
    await undo.keep(change);
    const { path: file, after } = change;
    startup.expect(file, after && { type: 'file', bytes: Buffer.from(after) });
  };
  const filesWithin = (within: Guard) => {
    const files = createFiles({ guard: within, cwd, mark: markOf(opened.session.id), onBeforeWrite });
    return parts.buffers ? withBuffers(files, { cwd, buffers: parts.buffers }) : files;
  };
  const fileAccess = (within: Guard) => ({
    files: filesWithin(within),
    search: new FileSearch({ guard: within, cwd, redact }),
  });
  const home = homedir();
  const programs = commandPrograms(guard, { cwd, home, env, writablePaths: config.sandbox.writablePaths });
  const shared = {
    cwd,
    syntaxFault: createSyntaxCheck({ shell, environment: () => inspectionEnvironment(env, programs) }),
    ...fileAccess(guard),
    shell,
    web: createWeb(parts.web),
    ask: parts.ask ?? (async () => null),
    ...(parts.reviewPlan && { planning: planning(parts.reviewPlan, deps.mode) }),
    todos: todoList(lastTodos(opened.session.messages)),
    accepts: { images: choice.info.abilities.images, imageLimits: imageLimitsOf(choice.preset) },
    seen: new Map<string, string>(),
  };
  return {
    files: shared.files,
    search: shared.search,
    shell,
    startup,
    onBeforeWrite,
    inTurn: fileTurns(guard, parts),
    todos: shared.todos,
    context: (
      signal: AbortSignal,
      { progress }: Pick<CallReporter, 'progress'>,
      { accesses, opens }: Scope,
    ): ToolContext => {
      const writes = accesses.filter(({ kind }) => kind === 'write').map(({ target }) => target);
      const isPlain = opens.length === 0 && writes.length === 0;
      const scoped = isPlain ? {} : fileAccess(guard.forCall({ opens, writes }));
      return { ...shared, ...scoped, signal, progress };
    },
  };
}

/** After foreign text was read, a command may not change what other programs run or install unasked. */
function manifestJudge(
  { changes, because }: Manifest,
  hasReadForeign: () => boolean,
): NonNullable<StartupPlace['judge']> {
  return (before, after) => {
    const text = before?.bytes.toString('utf8') ?? null;
    const isHarmless = !hasReadForeign() || !changes(text, after.bytes.toString('utf8'));
    return isHarmless ? null : { because };
  };
}

/** Plan mode for the model: a plan that the user starts ends it. */
function planning(reviewPlan: ReviewPlan, mode: ModeSwitch): NonNullable<ToolContext['planning']> {
  return {
    isOn: () => mode.get() === 'plan',
    async review(plan, signal) {
      const review = await reviewPlan(plan, signal);
      if (review?.type === 'start') mode.set(review.mode);
      return review;
    },
  };
}

/** Serializes changes per file. */
function fileTurns(guard: Guard, { cwd, dataRoot }: Parts): NonNullable<RouterDeps['inTurn']> {
  const turns = createFileLocks(locksFolder(dataRoot));
  return (changes, signal, work) => {
    const files = changes.filter(({ kind }) => kind === 'write').map(({ target }) => target);
    return turns.run(
      files.map((file) => guard.realOf(file) ?? path.resolve(cwd, file)),
      signal,
      work,
    );
  };
}
