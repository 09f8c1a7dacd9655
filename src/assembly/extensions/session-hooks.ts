import type { RemainingWork } from '../../agent/run-until-done.ts';
import type { RouterDeps } from '../../agent/tool-router.ts';
import { hookPoints } from '../../config/schema/hook-settings.ts';
import type { Config } from '../../config/schema/schema.ts';
import type { Session } from '../../contract/session.ts';
import type { Shell } from '../../contract/tool.ts';
import { limited } from '../../lib/async/abort.ts';
import type { Firing, HookResult, ShellHooks } from '../../plugins/shell-hooks.ts';

export type SessionHooksDeps = {
  hooks: Config['hooks'];
  session: Session;
  cwd: string;
  mode(): string;
  shell: Pick<Shell, 'run'>;
  notice(text: string): void;
};

/** The user's hook commands of one session. Costs nothing if none are configured. */
export type SessionHooks = {
  /** Runs at the first prompt of a session. */
  sessionStart(source: 'startup' | 'resume', signal: AbortSignal): Promise<string[]>;
  prompt(text: string, signal: AbortSignal): Promise<{ blocked: string | null; context: string[] }>;
  /** Why a hook wants the run to end; null if none does. */
  halted(): string | null;
  /** A new prompt: what stopped the run before it no longer counts. */
  proceed(): void;
  before: NonNullable<RouterDeps['before']>;
  after: NonNullable<RouterDeps['after']>;
  remainingWork: RemainingWork;
  /** Whether a hook vetoes compaction. */
  keepsAll(cause: 'routine' | 'asked', focus: string): Promise<boolean>;
  sessionEnd(): Promise<void>;
  list(): { point: string; command: string }[];
};

/** The longest time that the end of a session waits for hooks. */
const END_MS = 5_000;

/** Text of a hook, for the model. */
function fromHook(text: string): string {
  return `[From a hook:]\n${text}`;
}

export function createSessionHooks(deps: SessionHooksDeps): SessionHooks {
  const { hooks, session, cwd, mode, notice } = deps;
  const { signal: forever } = new AbortController();
  let made: Promise<ShellHooks> | undefined;

  /** Loaded when the first hook runs. */
  function shellHooks(): Promise<ShellHooks> {
    made ??= import('../../plugins/shell-hooks.ts').then(({ createShellHooks }) =>
      createShellHooks({
        hooks,
        notice,
        facts: () => ({ session_id: session.id, cwd, permission_mode: mode() }),
        run: ({ command, input, timeoutMs, signal }) =>
          deps.shell.run({
            command,
            input,
            timeoutMs,
            signal,
            // For hooks written for other assistants.
            env: { CLAUDE_PROJECT_DIR: cwd },
          }),
      }),
    );
    return made;
  }

  let halted: string | null = null;

  async function fire(point: keyof Config['hooks'], firing: Firing): Promise<HookResult> {
    if (hooks[point].length === 0) return { blocked: null, stopped: null, decision: null, context: [] };
    const said = await (await shellHooks()).fire(point, firing);
    if (said.stopped !== null) halted = `a hook stopped the run: ${said.stopped}`;
    return said;
  }

  return {
    async sessionStart(source, signal) {
      const { blocked, context } = await fire('SessionStart', { facts: () => ({ source }), signal });
      if (blocked !== null) notice(`SessionStart hook: ${blocked}`);
      return context;
    },
    prompt: (prompt, signal) => fire('UserPromptSubmit', { facts: () => ({ prompt }), signal }),
    halted: () => halted,
    proceed() {
      halted = null;
    },
    async before({ name: tool, input }, signal) {
      if (halted !== null) return { type: 'block', by: 'hook', because: halted };
      const facts = (changed: unknown) => ({ tool_name: tool, tool_input: changed ?? input });
      const said = await fire('PreToolUse', { tool, facts, signal });
      const { decision, context } = said;
      const because = said.blocked === null ? halted : `blocked by a hook: ${said.blocked}`;
      if (because !== null) return { type: 'block', by: 'hook PreToolUse', because };
      return {
        type: 'go',
        input: said.input ?? input,
        notes: context.map(fromHook),
        ...(decision && { hook: decision }),
      };
    },
    async after({ name: tool, input }, result, signal) {
      // As in other assistants: a hook for results does not apply to a failed call.
      if (!result.success) return [];
      const { success, output } = result;
      const facts = () => ({ tool_name: tool, tool_input: input, tool_response: { success, output } });
      const { blocked, context } = await fire('PostToolUse', { tool, facts, signal });
      return [...context, ...(blocked === null ? [] : [blocked])].map(fromHook);
    },
    async remainingWork(again, signal) {
      const facts = () => ({ stop_hook_active: again > 0 });
      const { blocked, stopped } = await fire('Stop', { facts, signal });
      if (stopped !== null) notice(`Stop hook: ${stopped}`);
      if (blocked === null || stopped !== null) return null;
      return `[A hook says the work is not done:]\n${blocked}`;
    },
    async keepsAll(cause, focus) {
      const trigger = cause === 'asked' ? 'manual' : 'auto';
      const facts = () => ({ trigger, custom_instructions: focus });
      const { blocked } = await fire('PreCompact', { facts, signal: forever });
      if (blocked !== null) notice(`Nothing was compacted; a hook blocked it: ${blocked}`);
      return blocked !== null;
    },
    async sessionEnd() {
      await fire('SessionEnd', { facts: () => ({ reason: 'exit' }), signal: limited(END_MS) });
    },
    list: () =>
      hookPoints.flatMap((point) =>
        hooks[point].flatMap(({ command, hooks: several = [] }) =>
          [...(command === undefined ? [] : [{ command }]), ...several].map((one) => ({
            point,
            command: one.command,
          })),
        ),
      ),
  };
}
