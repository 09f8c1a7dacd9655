import type { CallLimits, PermissionMode } from '../contract/permission.ts';
import { parsePattern } from './pattern.ts';
import type { Evaluation, Policy } from './policy.ts';

const BY_STRICTNESS: readonly PermissionMode[] = ['read-only', 'plan', 'default', 'accept-edits', 'auto'];

/** The policy for a call with limits of its own: never looser. */
export function limitedPolicy(policy: Policy, { mode = policy.mode, deny = [] }: CallLimits): Policy {
  const isStricter = BY_STRICTNESS.indexOf(mode) < BY_STRICTNESS.indexOf(policy.mode);
  const rules = { ...policy.rules, deny: [...policy.rules.deny, ...deny] };
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
      return { verdict: 'deny', because: `only ${rules.join(', ')} may be used here`, by: 'limits' };
  }
  return null;
}
