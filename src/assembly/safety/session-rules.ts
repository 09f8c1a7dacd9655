import { isDeepStrictEqual } from 'node:util';
import type { SessionWriter } from '../../agent/session-writer.ts';
import type { PermissionRule } from '../../contract/command.ts';
import type { Permission, RuleList } from '../../contract/permission.ts';
import { kindOf } from '../../permissions/granted.ts';
import { parsePattern } from '../../permissions/pattern.ts';
import type { Parts } from '../parts.ts';

type Rules = Readonly<Record<RuleList, readonly string[]>>;

/** The rules in effect: those of the settings, and those that the user added in this session. */
export type SessionRules = {
  /** The identical object while nothing changes. */
  current(): Rules;
  added(): readonly PermissionRule[];
  /** Throws a `UserError` if it is not a rule. */
  add(rule: PermissionRule): Promise<void>;
  remove(rule: PermissionRule): Promise<void>;
};

export function createSessionRules(
  { config, cwd, opened: { session } }: Parts,
  writer: Pick<SessionWriter, 'remember' | 'forget'>,
): SessionRules {
  const settings = config.permissions;
  // As with answers: a session resumed elsewhere neither uses nor saves any.
  const isHome = session.workingDirectory === cwd;
  let elsewhere: readonly PermissionRule[] = [];
  let known: { key: string; rules: Rules } | undefined;

  const added = () => (isHome ? session.permissions.filter(({ rule }) => rule).map(ruleOf) : elsewhere);

  function current(): Rules {
    const own = added();
    const key = JSON.stringify(own);
    if (known?.key !== key) known = { key, rules: withAdded(settings, own) };
    return known.rules;
  }

  return {
    current,
    added,
    async add(rule) {
      const { tool } = parsePattern(rule.pattern);
      if (added().some((one) => isDeepStrictEqual(one, rule))) return;
      if (isHome) await writer.remember(permissionOf(rule, kindOf(tool)));
      else elsewhere = [...elsewhere, rule];
    },
    async remove(rule) {
      elsewhere = elsewhere.filter((one) => !isDeepStrictEqual(one, rule));
      await writer.forget(rule.pattern);
    },
  };
}

function withAdded(settings: Rules, added: readonly PermissionRule[]): Rules {
  const of = (verdict: RuleList) => [
    ...settings[verdict],
    ...added.flatMap((rule) => (rule.verdict === verdict ? [rule.pattern] : [])),
  ];
  return { allow: of('allow'), ask: of('ask'), deny: of('deny'), trust: of('trust') };
}

function permissionOf({ verdict, pattern }: PermissionRule, type: Permission['type']): Permission {
  const action = verdict === 'allow' || verdict === 'trust' ? 'allow' : 'deny';
  const grantedAt = new Date().toISOString();
  return { type, pattern, action, scope: 'session', grantedAt, rule: verdict };
}

/** Only what is sealed as an approval may allow: anybody can write a denial into the session's file. */
function ruleOf({ action, rule, pattern }: Permission): PermissionRule {
  if (action === 'allow') return { verdict: rule === 'allow' || rule === 'trust' ? rule : 'deny', pattern };
  return { verdict: rule === 'ask' ? 'ask' : 'deny', pattern };
}
