import type { CallLimits, PermissionMode, PromptRules } from '../contract/permission.ts';
import { type Pattern, parsePattern } from './pattern.ts';
import type { Evaluation, Policy } from './policy.ts';
import { deny } from './verdicts.ts';

const BY_STRICTNESS: readonly PermissionMode[] = ['read-only', 'plan', 'default', 'accept-edits', 'auto'];

/** The policy for a call with limits of its own: never looser. */
export function limitedPolicy(policy: Policy, { mode = policy.mode, deny: added = [] }: CallLimits): Policy {
  const isStricter = BY_STRICTNESS.indexOf(mode) < BY_STRICTNESS.indexOf(policy.mode);
  const rules = { ...policy.rules, deny: [...policy.rules.deny, ...added] };
  return { ...policy, rules, mode: isStricter ? mode : policy.mode };
}

/** A tool that may be used for some calls only. */
export function limitDeny(
  limits: CallLimits | undefined,
  tool: string,
  covers: (rules: readonly string[]) => boolean,
): Evaluation | null {
  for (const list of limits?.only ?? []) {
    const rules = list.filter((rule) => parsePattern(rule).tool === tool);
    if (rules.length > 0 && !covers(rules))
      return deny(`only ${rules.join(', ')} may be used here`, 'limits');
  }
  return null;
}

/** What a skill or command in use forbids; `find` returns the rule that applies. */
export function promptDeny(
  promptRules: readonly PromptRules[],
  find: (rules: readonly string[]) => Pattern | undefined,
): Evaluation | null {
  for (const { by, deny: rules } of promptRules) {
    const rule = find(rules);
    if (rule) return deny(`denied by the ${by}: ${rule.source}`, `${by} deny ${rule.source}`);
  }
  return null;
}
