import { InvalidArgumentError, Option } from 'commander';
import { type ClaudeMode, claudeModes } from '../../config/other-assistants/claude-modes.ts';
import type { Options } from '../../frontends/shared/options.ts';
import { ruleList } from './flag-lists.ts';

/** As parsed; `withOurNames` turns them into the options that they stand for. */
type ClaudeOptions = {
  allowedTools?: string[];
  disallowedTools?: string[];
  permissionMode?: ClaudeMode;
  dangerouslySkipPermissions?: boolean;
  allowDangerouslySkipPermissions?: boolean;
  settingSources?: string;
  forkSession?: boolean;
  maxBudgetUsd?: number;
};

/** Flags of Claude Code that have another name here, so that scripts written for it run unchanged. */
export function claudeOptions(): Option[] {
  return [
    new Option(
      '--allowedTools, --allowed-tools <rules>',
      "like --allow, for several rules: 'Bash(git *),Edit', or one after another",
    ).argParser(ruleList),
    new Option('--disallowedTools, --disallowed-tools <rules>', 'like --deny, for several rules').argParser(
      ruleList,
    ),
    new Option('--permission-mode <mode>', "like --mode, with Claude Code's names").choices(
      Object.keys(claudeModes),
    ),
    new Option(
      '--dangerously-skip-permissions',
      'the same as --mode auto: never asks, but deny rules and blocked commands still apply',
    ),
    new Option('--allow-dangerously-skip-permissions', 'accepted for scripts; it changes nothing'),
    new Option(
      '--setting-sources <sources>',
      "accepted for scripts; your settings always apply, and a project's once you trust it",
    ),
    new Option('--fork-session', 'like --fork'),
    new Option('--max-budget-usd <amount>', 'like --budget, in dollars').argParser(dollars),
  ];
}

/** The options by our names. */
export function withOurNames(parsed: Options & ClaudeOptions): Options {
  const {
    allowedTools = [],
    disallowedTools = [],
    permissionMode,
    dangerouslySkipPermissions,
    allowDangerouslySkipPermissions: _switchable,
    settingSources: _always,
    forkSession,
    maxBudgetUsd,
    tools,
    ...options
  } = parsed;
  const named = permissionMode === undefined ? undefined : claudeModes[permissionMode];
  const mode = options.mode ?? named ?? (dangerouslySkipPermissions ? 'auto' : undefined);
  const skipping =
    permissionMode === 'bypassPermissions'
      ? '--permission-mode bypassPermissions'
      : '--dangerously-skip-permissions';
  return {
    ...options,
    allow: [...options.allow, ...allowedTools],
    deny: [...options.deny, ...disallowedTools],
    ...(mode !== undefined && { mode }),
    ...(permissionMode === 'dontAsk' && { neverAsk: true }),
    ...((dangerouslySkipPermissions || permissionMode === 'bypassPermissions') && { skipping }),
    ...((options.fork || forkSession) && { fork: true }),
    // Their word for all of them.
    ...(tools && !tools.includes('default') && { tools }),
    ...(maxBudgetUsd !== undefined && { budget: [...options.budget, `$${maxBudgetUsd}`] }),
  };
}

function dollars(value: string): number {
  const amount = Number(value.replace(/^\$/, ''));
  if (!Number.isFinite(amount) || amount <= 0)
    throw new InvalidArgumentError('Use an amount such as 5 or 0.50.');
  return amount;
}
