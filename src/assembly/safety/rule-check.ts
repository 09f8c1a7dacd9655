import { homedir } from 'node:os';
import type { Config } from '../../config/schema/schema.ts';
import { projectRoot } from '../../config/trust.ts';
import { peek } from '../../lib/files/peek.ts';
import {
  type PlacedRule,
  type RuleProblem,
  type RuleWorld,
  ruleProblem,
} from '../../permissions/pattern/rule-problem.ts';

/** What is wrong with a rule, or null. Throws a `UserError` for text that is not a rule. */
export type RuleCheck = (rule: PlacedRule) => RuleProblem | null;

export function ruleCheck({ mcpServers }: Pick<Config, 'mcpServers'>, cwd: string): RuleCheck {
  let world: RuleWorld | undefined;
  return (rule) => {
    world ??= {
      cwd,
      root: projectRoot(cwd),
      home: homedir(),
      servers: Object.keys(mcpServers),
      exists: (place) => peek.file(place) !== null || peek.folder(place) !== null,
    };
    return ruleProblem(rule, world);
  };
}
