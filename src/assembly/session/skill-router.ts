import type { RouterDeps } from '../../agent/router-deps.ts';
import type { PromptRules } from '../../contract/permission.ts';
import { type ActiveRules, rulesNotice, type SkillIn, type StartSubagent } from './active-rules.ts';

/** Calls are also judged by the rules of skills and commands. */
export function withRules(router: RouterDeps, current: () => readonly PromptRules[]): RouterDeps {
  return {
    ...router,
    decide(request, options) {
      const rules = current();
      if (rules.length === 0) return router.decide(request, options);
      const later = options.later.map((call) => ({ ...call, rules }));
      return router.decide({ ...request, rules }, { ...options, later });
    },
  };
}

export type SkillUse = {
  active: ActiveRules;
  skillIn: SkillIn;
  /** Absent if the agent may not start subagents. */
  delegate?: StartSubagent;
};

/**
 * The router of one agent: a skill that it uses adds its rules for the rest of the run. If a subagent does the
 * work of the skill, they are the rules of that subagent.
 */
export function withSkills(router: RouterDeps, { active, skillIn, delegate }: SkillUse): RouterDeps {
  const { perform = (work, context) => work.tool.run(work.input, context) } = router;
  return {
    ...withRules(router, () => active.current()),
    async perform(work, context, reporter) {
      const { agent, rules } = skillIn(work) ?? {};
      if (!rules) return perform(work, context, reporter);
      if (agent !== undefined) {
        const forked = delegate?.(reporter, context.signal, [...active.inherited(), rules]);
        return perform(work, { ...context, ...(forked && { delegate: forked }) }, reporter);
      }
      const result = await perform(work, context, reporter);
      if (result.success && active.add(rules))
        for (const text of rulesNotice(rules)) await reporter.emit({ type: 'notice', level: 'info', text });
      return result;
    },
  };
}
