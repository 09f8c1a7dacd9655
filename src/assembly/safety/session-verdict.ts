import type { Config } from '../../config/schema/schema.ts';
import { projectRoot } from '../../config/trust.ts';
import type { SandboxState } from '../../contract/sandbox.ts';
import { placeOf } from '../../permissions/command-place.ts';
import { evaluate } from '../../permissions/evaluate.ts';
import { grantedAlways } from '../../permissions/granted.ts';
import { readingDenier } from '../../permissions/pattern.ts';
import type { Policy } from '../../permissions/policy.ts';
import { classify } from '../../permissions/shell/classify.ts';
import { realPath } from '../../sandbox/files/real-path.ts';
import { createGuard } from '../../sandbox/guard.ts';
import { settingsFor } from './judge.ts';
import { type CommandVerdict, commandPlace, commandPrograms, type JudgeOptions } from './judge-command.ts';

export type SessionJudgeOptions = Required<JudgeOptions> & {
  config: Config;
  dataRoot: string;
  sandbox: SandboxState;
};

/** What a new session in this folder would do with a command: with the settings, rules, mode, trust and sandbox. */
export function sessionJudge(options: SessionJudgeOptions): (line: string) => CommandVerdict {
  const { config, cwd, home, trusted, env, dataRoot, sandbox } = options;
  const root = projectRoot(cwd);
  const place = { cwd: realPath(cwd), root: realPath(root), home: realPath(home) };
  const guard = createGuard({
    cwd,
    home,
    additionalDirectories: config.additionalDirectories,
    closedDirectories: [dataRoot],
    blockedPaths: config.blockedPaths,
    allowedPaths: config.allowedPaths,
    deniedReads: readingDenier(config.permissions.deny, place),
  });
  const programs = commandPrograms(guard, { cwd, home, env, writablePaths: config.sandbox.writablePaths });
  const isFree = config.sandbox.autoApprove ?? trusted;
  const policy: Policy = {
    ...commandPlace(guard, { cwd, home, trusted, env, programs }),
    mode: config.mode,
    root,
    rules: config.permissions,
    grants: grantedAlways(config.projects[place.cwd]?.granted ?? {}),
    ...settingsFor(config),
    sandbox,
    sandboxAutoApprove: isFree,
    editsAutoApprove: isFree,
    realOf: (file) => guard.realOf(file),
    reach: (file, mode, meant) => guard.reach(file, mode, meant),
  };
  return (line) => {
    const accesses = [{ kind: 'execute' as const, target: line }];
    const { verdict, because, by } = evaluate({ tool: 'Bash', accesses, input: {} }, policy);
    return { verdict, reason: because, rule: by, parts: classify(line, placeOf(policy)).parts };
  };
}
