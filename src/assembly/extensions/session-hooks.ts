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

  async function fire(point: keyof Config['hooks'], firing: Firing): Promise<HookResult> {
    return hooks[point].length === 0
      ? { blocked: null, context: [] }
      : (await shellHooks()).fire(point, firing);
  }

  return {
    async sessionStart(source, signal) {
      const { blocked, context } = await fire('SessionStart', { facts: () => ({ source }), signal });
      if (blocked !== null) notice(`SessionStart hook: ${blocked}`);
      return context;
    },
    prompt: (prompt, signal) => fire('UserPromptSubmit', { facts: () => ({ prompt }), signal }),
    async before({ name: tool, input }, signal) {
      const facts = (changed: unknown) => ({ tool_name: tool, tool_input: changed ?? input });
      const said = await fire('PreToolUse', { tool, facts, signal });
      if (said.blocked !== null)
        return { type: 'block', by: 'hook PreToolUse', because: `blocked by a hook: ${said.blocked}` };
      for (const text of said.context) notice(text);
      return { type: 'go', input: said.input ?? input };
    },
    async after({ name: tool, input }, result, signal) {
      // As in other assistants: a hook for results does not apply to a failed call.
      if (!result.success) return [];
      const { success, output } = result;
      const facts = () => ({ tool_name: tool, tool_input: input, tool_response: { success, output } });
      const { blocked, context } = await fire('PostToolUse', { tool, facts, signal });
      return [...context, ...(blocked === null ? [] : [blocked])].map((text) => `[From a hook:]\n${text}`);
    },
    async remainingWork(again, signal) {
      const { blocked } = await fire('Stop', { facts: () => ({ stop_hook_active: again > 0 }), signal });
      return blocked === null ? null : `[A hook says the work is not done:]\n${blocked}`;
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
