import type { CallReporter, Work } from '../../agent/router-deps.ts';
import type { PromptRules } from '../../contract/permission.ts';
import type { ToolContext } from '../../contract/tool.ts';
import type { Skill } from '../../plugins/skills.ts';

/** The skill whose text this call returns; undefined for any other call. */
export type SkillIn = (work: Pick<Work, 'tool' | 'input'>) => Pick<Skill, 'agent' | 'rules'> | undefined;

/** For one call: starts or resumes a subagent, to which the rules apply. */
export type StartSubagent = (
  reporter: Pick<CallReporter, 'callId' | 'emit'>,
  signal: AbortSignal,
  rules?: readonly PromptRules[],
) => NonNullable<ToolContext['delegate']>;

/** The rules of the skills and commands that one agent uses, until its run ends. */
export class ActiveRules {
  #rules: readonly PromptRules[];

  constructor(rules: readonly PromptRules[] = []) {
    this.#rules = rules;
  }

  current(): readonly PromptRules[] {
    return this.#rules;
  }

  /** What also applies to the subagents it starts: only restrictions. */
  inherited(): readonly PromptRules[] {
    return this.#rules.flatMap((rules) => (rules.deny.length > 0 ? [{ ...rules, allow: [] }] : []));
  }

  /** False if they are in use already. */
  add(rules: PromptRules): boolean {
    if (this.#rules.includes(rules)) return false;
    this.#rules = [...this.#rules, rules];
    return true;
  }

  /** Ends those of the last run. */
  begin(rules: readonly PromptRules[] = []): void {
    this.#rules = rules;
  }
}

/** What the user is told when a skill or command brings rules. */
export function rulesNotice({ by, allow }: PromptRules): string[] {
  return allow.length === 0 ? [] : [`The ${by} allows until this run ends: ${allow.join(', ')}`];
}
