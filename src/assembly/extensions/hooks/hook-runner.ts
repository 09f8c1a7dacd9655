import path from 'node:path';
import { type HookEvent, hookEvents } from '../../../contract/hook-event.ts';
import type { PermissionMode } from '../../../contract/permission.ts';
import type { Session } from '../../../contract/session.ts';
import type { Shell } from '../../../contract/tool.ts';
import { type HookOrigin, type HookRows, handlersOf, targetOf } from '../../../plugins/hooks/handlers.ts';
import type { Firing, HookResult, HookRun, Hooks } from '../../../plugins/hooks/hooks.ts';
import type { HookEnding } from '../../../plugins/hooks/outcome.ts';
import type { Transcript } from '../../../session/transcript.ts';
import { otherHookNames } from './call-facts.ts';
import { scriptsIn } from './hook-scripts.ts';

export type HookRunnerDeps = {
  /** The hooks of the settings, and those of plugins. */
  sources: readonly { rows: HookRows; origin?: HookOrigin }[];
  session: Session;
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** A folder that commands in the sandbox can read, for transcripts. */
  folder: string;
  mode(): PermissionMode;
  shell: Pick<Shell, 'run'>;
  fetch: typeof fetch;
  hide<T>(value: T): T;
  notice(text: string): void;
  /** Called with what a hook says to the model. */
  onSaid(command: string, text: string): Promise<void>;
};

/** Runs the hooks of one session. Loads nothing, and writes no transcript, for events without hooks. */
export type HookRunner = {
  has(event: HookEvent): boolean;
  fire(event: HookEvent, firing: Firing): Promise<HookResult>;
  /**
   * For events that hooks cannot change anything about: what they print for the model. Exit code 2 is for
   * the user.
   */
  observe(event: HookEvent, firing: Firing): Promise<string[]>;
  /** Why a hook wants the run to end; null if none does. */
  halted(): string | null;
  proceed(): void;
  /** The file with a conversation so far. */
  transcriptOf(conversation: Session): Promise<string>;
  removeTranscripts(): void;
  list(): { point: string; command: string }[];
};

/** The names of modes in Claude Code, where it has them. */
const MODES: Readonly<Record<PermissionMode, string>> = {
  default: 'default',
  'accept-edits': 'acceptEdits',
  plan: 'plan',
  auto: 'auto',
  'read-only': 'read-only',
};

export function createHookRunner(deps: HookRunnerDeps): HookRunner {
  const { session, cwd, mode, notice } = deps;
  const handlers = handlersOf(deps.sources);
  const transcripts = new Map<string, Transcript>();
  let made: Promise<Hooks> | undefined;
  let halted: string | null = null;

  function hooks(): Promise<Hooks> {
    made ??= import('../../../plugins/hooks/hooks.ts').then(({ createHooks }) =>
      createHooks({
        handlers,
        notice,
        onSaid: deps.onSaid,
        run: (run) => runHook(run, deps),
        otherNames: otherHookNames,
        facts: () => ({ session_id: session.id, cwd, permission_mode: MODES[mode()] }),
      }),
    );
    return made;
  }

  async function transcriptOf(conversation: Session): Promise<string> {
    const { Transcript } = await import('../../../session/transcript.ts');
    const { id } = conversation;
    const file = path.join(deps.folder, `transcript-${id}.jsonl`);
    const transcript =
      transcripts.get(id) ?? new Transcript({ file, session: conversation, hide: deps.hide });
    transcripts.set(id, transcript);
    transcript.write();
    return file;
  }

  async function fire(event: HookEvent, firing: Firing): Promise<HookResult> {
    if (handlers[event].length === 0) return { blocked: null, stopped: null, decision: null, context: [] };
    const facts = deps.hide({ transcript_path: await transcriptOf(session), ...firing.facts });
    const said = await (await hooks()).fire(event, { ...firing, facts });
    if (said.stopped !== null) halted = `a hook stopped the run: ${said.stopped}`;
    return said;
  }

  return {
    has: (event) => handlers[event].length > 0,
    fire,
    async observe(event, firing) {
      const { blocked, context } = await fire(event, firing);
      if (blocked !== null) notice(`${event} hook: ${blocked}`);
      return context;
    },
    halted: () => halted,
    proceed() {
      halted = null;
    },
    transcriptOf,
    removeTranscripts() {
      for (const transcript of transcripts.values()) transcript.remove();
    },
    list: () =>
      hookEvents.flatMap((point) => handlers[point].map((one) => ({ point, command: targetOf(one) }))),
  };
}

async function runHook(
  { handler, input, signal }: HookRun,
  { cwd, env, fetch, shell }: HookRunnerDeps,
): Promise<HookEnding> {
  if (handler.type === 'http') {
    const { postHook } = await import('../../../plugins/hooks/http-hook.ts');
    return postHook(handler, input, { fetch, env, signal });
  }
  const { command, timeoutMs, origin } = handler;
  return shell.run({
    command,
    input,
    timeoutMs,
    signal,
    readable: [...(origin ? [origin.root] : []), ...scriptsIn(command, env.HOME)],
    // For hooks written for other assistants.
    env: { CLAUDE_PROJECT_DIR: cwd, ...(origin && { CLAUDE_PLUGIN_ROOT: origin.root }) },
  });
}
