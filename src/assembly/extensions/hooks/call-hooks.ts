import type { CallAgent, RouterDeps } from '../../../agent/router-deps.ts';
import { type CallAbout, callFacts, callMeets } from './call-facts.ts';
import type { HookRunner } from './hook-runner.ts';

export type CallHooks = {
  [Name in 'before' | 'beforeQuestion' | 'after']: NonNullable<RouterDeps[Name]>;
};

/** Text of a hook, for the model. */
export function fromHook(text: string): string {
  return `[From a hook:]\n${text}`;
}

/** What hooks are told about the subagent they run for. */
export function agentFacts(agent: CallAgent | undefined): Record<string, unknown> {
  return agent ? { agent_id: agent.id, agent_type: agent.type } : {};
}

/** The hooks around a tool call. */
export function createCallHooks(
  { fire, halted }: Pick<HookRunner, 'fire' | 'halted'>,
  cwd: string,
): CallHooks {
  const firing = (call: CallAbout['call'], { accesses, agent }: Parameters<CallHooks['before']>[2]) => ({
    facts: { ...agentFacts(agent), ...callFacts(call) },
    meets: (rule: string) => callMeets(rule, { call, accesses, cwd }),
  });
  return {
    async before(call, signal, about) {
      const earlier = halted();
      if (earlier !== null) return { type: 'block', by: 'hook', because: earlier };
      const said = await fire('PreToolUse', { ...firing(call, about), signal });
      const { decision, context } = said;
      const because = said.blocked === null ? halted() : `blocked by a hook: ${said.blocked}`;
      if (because !== null) return { type: 'block', by: 'hook PreToolUse', because };
      return {
        type: 'go',
        input: said.input ?? call.input,
        notes: context.map(fromHook),
        ...(decision && { hook: decision }),
      };
    },
    async beforeQuestion(call, signal, about) {
      const { blocked, decision } = await fire('PermissionRequest', { ...firing(call, about), signal });
      if (blocked !== null) return { verdict: 'deny', because: `denied by a hook: ${blocked}` };
      return decision?.verdict === 'allow' ? { verdict: 'allow', because: decision.because } : null;
    },
    async after(call, result, signal, about) {
      const { facts, meets } = firing(call, about);
      const outcome = result.success
        ? { tool_response: { success: true, output: result.output } }
        : { error: result.error, is_interrupt: signal.aborted };
      const event = result.success ? 'PostToolUse' : 'PostToolUseFailure';
      const { blocked, context } = await fire(event, { facts: { ...facts, ...outcome }, meets, signal });
      return [...context, ...(blocked === null ? [] : [blocked])].map(fromHook);
    },
  };
}
