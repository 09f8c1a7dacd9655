import type { RemainingWork } from '../../../agent/run-until-done.ts';
import { textOf } from '../../../contract/message.ts';
import type { Session } from '../../../contract/session.ts';
import { limited } from '../../../lib/async/abort.ts';
import type { Firing } from '../../../plugins/hooks/hooks.ts';
import { agentFacts, type CallHooks, createCallHooks, fromHook } from './call-hooks.ts';
import { createHookRunner, type HookRunner, type HookRunnerDeps } from './hook-runner.ts';
import { createObserverHooks, type ObserverHooks } from './observer-hooks.ts';

export type SessionHooksDeps = HookRunnerDeps & {
  /** Whether transcripts may stay after the session. */
  keepsHistory: boolean;
  /** Whether a user sees the session. */
  isWatched: boolean;
};

/** A subagent, as its hooks see it. */
export type HookedAgent = { session: Session; type: string };

/** The user's hooks of one session. Costs nothing if none are configured. */
export type SessionHooks = CallHooks &
  Pick<ObserverHooks, 'watch'> &
  Pick<HookRunner, 'halted' | 'list'> & {
    /** Runs at the first prompt of a session. */
    sessionStart(source: 'startup' | 'resume', signal: AbortSignal): Promise<string[]>;
    prompt(text: string, signal: AbortSignal): Promise<{ blocked: string | null; context: string[] }>;
    /** A new prompt: what stopped the run before it no longer counts. */
    proceed(): void;
    remainingWork: RemainingWork;
    /** Texts to add to the task of a subagent. */
    subagentStart(agent: HookedAgent, signal: AbortSignal): Promise<string[]>;
    subagentWork(agent: HookedAgent): RemainingWork;
    /** Whether a hook vetoes compaction. */
    keepsAll(cause: 'routine' | 'asked', focus: string): Promise<boolean>;
    /** Writes the conversation to a file; resolves with its path. */
    transcript(): Promise<string>;
    sessionEnd(): Promise<void>;
    /** Removes transcripts that may not stay. */
    close(): void;
  };

/** The longest time that the end of a session waits for hooks. */
const END_MS = 5_000;

export function createSessionHooks(deps: SessionHooksDeps): SessionHooks {
  const { session, cwd, notice, isWatched } = deps;
  const { signal: forever } = new AbortController();
  const runner = createHookRunner(deps);
  const { fire, observe } = runner;
  let trigger: 'manual' | 'auto' = 'auto';
  const observers = createObserverHooks({ runner, session, isWatched, trigger: () => trigger, notice });

  /** What a hook for the end of the work objects to. */
  async function objection(event: 'Stop' | 'SubagentStop', firing: Firing): Promise<string | null> {
    const { blocked, stopped } = await fire(event, firing);
    if (stopped !== null) notice(`${event} hook: ${stopped}`);
    if (blocked === null || stopped !== null) return null;
    return `\n\n[A hook says the work is not done:]\n${blocked}`;
  }

  return {
    ...createCallHooks(runner, cwd),
    watch: observers.watch,
    halted: runner.halted,
    proceed: runner.proceed,
    list: runner.list,
    sessionStart: (source, signal) =>
      observe('SessionStart', { facts: { source, model: session.settings.model }, signal }),
    prompt: (prompt, signal) => fire('UserPromptSubmit', { facts: { prompt }, signal }),
    remainingWork: (again, signal) => objection('Stop', { facts: endFacts(session, again), signal }),
    async subagentStart(agent, signal) {
      return (await observe('SubagentStart', { facts: aboutAgent(agent), signal })).map(fromHook);
    },
    subagentWork: (agent) => async (again, signal) => {
      if (!runner.has('SubagentStop')) return null;
      const agent_transcript_path = await runner.transcriptOf(agent.session);
      const facts = { ...aboutAgent(agent), ...endFacts(agent.session, again), agent_transcript_path };
      return objection('SubagentStop', { facts, signal });
    },
    async keepsAll(cause, focus) {
      trigger = cause === 'asked' ? 'manual' : 'auto';
      const facts = { trigger, custom_instructions: focus };
      const { blocked } = await fire('PreCompact', { facts, signal: forever });
      if (blocked !== null) notice(`Nothing was compacted; a hook blocked it: ${blocked}`);
      return blocked !== null;
    },
    async sessionEnd() {
      await observers.end(END_MS);
      const reason = isWatched ? 'prompt_input_exit' : 'other';
      await observe('SessionEnd', { facts: { reason }, signal: limited(END_MS) });
    },
    transcript: () => runner.transcriptOf(session),
    close() {
      if (!deps.keepsHistory) runner.removeTranscripts();
    },
  };
}

function aboutAgent({ session, type }: HookedAgent): Record<string, unknown> {
  return agentFacts({ id: session.id, type });
}

function endFacts({ messages }: Session, again: number): Record<string, unknown> {
  const last = messages.findLast(({ role }) => role === 'assistant');
  return { stop_hook_active: again > 0, last_assistant_message: last ? textOf(last) : '' };
}
