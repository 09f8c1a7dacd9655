import path from 'node:path';
import type { Access, Judgement, Permission, PermissionMode, Verdict } from '../contract/permission.ts';
import { isBlocked } from './blocked-commands.ts';
import { coversCommand } from './command-pattern.ts';
import { isMcpTool, matchesAccess, type Pattern, parsePattern, type Subject } from './pattern.ts';
import { startupFiles } from './rules/startup-files.ts';
import { type Classified, classify } from './shell/classify.ts';
import { judgeLook } from './shell/look.ts';
import { parseLine } from './shell/parse.ts';

/** What is to be judged: a tool call, and what it would touch. */
export type Request = { tool: string; accesses: readonly Access[]; input: unknown };

export type Policy = {
  mode: PermissionMode;
  cwd: string;
  rules: { allow: readonly string[]; ask: readonly string[]; deny: readonly string[] };
  grants: readonly Permission[];
  requireApprovalForReads?: boolean;
  requireApprovalForWrites: boolean;
  requireApprovalForCommands: boolean;
  blockedCommands: readonly string[];
  /** The user trusts what the folder holds, so that its own scripts may run. */
  trusted: boolean;
  /** Whether a path really lies in a folder the user opened. */
  isInside(file: string): boolean;
};

/** `by` names who spoke: a rule, a mode, a grant or the defaults. */
export type Evaluation = Judgement & { by: string };

type Case = Subject & { policy: Policy; classified: Classified | null };

const STRICTNESS: Record<Verdict, number> = { allow: 0, ask: 1, deny: 2 };

/**
 * Judges a call by what it would touch; of several accesses the strictest verdict stands. Pure but for
 * `isInside`. Which files are closed whatever is said here is the path guard's to decide.
 */
export function evaluate(request: Request, policy: Policy): Evaluation {
  const found = permissionSubjects(request, policy.cwd).map((access) =>
    judgeAccess(request.tool, access, policy),
  );
  const [first = untouching(request.tool), ...others] = found;
  const strictest = others.reduce((a, b) => (STRICTNESS[b.verdict] > STRICTNESS[a.verdict] ? b : a), first);
  if (policy.mode !== 'auto' || strictest.verdict !== 'ask') return strictest;
  return {
    verdict: 'deny',
    because: `auto mode refuses what it cannot contain: ${strictest.because}`,
    by: 'mode auto',
  };
}

/** A tool of a server may do anything, whatever it says it touches. */
export function permissionSubjects(
  { tool, accesses }: Pick<Request, 'tool' | 'accesses'>,
  cwd: string,
): readonly Access[] {
  if (isMcpTool(tool)) return [{ kind: 'execute', target: tool }];
  return accesses.map((access) => (access.kind === 'execute' ? withFolder(access, accesses, cwd) : access));
}

/** A command that runs in another folder is judged as the line that goes there first. */
function withFolder(access: Access, accesses: readonly Access[], cwd: string): Access {
  const folder = accesses.find(({ kind }) => kind === 'read')?.target;
  if (folder === undefined || path.resolve(cwd, folder) === path.resolve(cwd)) return access;
  return { ...access, target: `cd '${folder.replaceAll("'", "'\\''")}' && ${access.target}` };
}

function untouching(tool: string): Evaluation {
  return { verdict: 'allow', because: `${tool} touches nothing`, by: 'default' };
}

function judgeAccess(tool: string, access: Access, policy: Policy): Evaluation {
  const runsCommand = access.kind === 'execute' && !isMcpTool(tool);
  const { cwd, trusted } = policy;
  const isInside = (file: string) => policy.isInside(file);
  const classified = runsCommand ? classify(access.target, { cwd, trusted, isInside }) : null;
  const one: Case = { tool, access, cwd, isInside, policy, classified };
  return (
    builtInDeny(one) ??
    userDeny(one) ??
    modeDeny(one) ??
    askRule(one) ??
    grantOrAllowRule(one) ??
    modeAllow(one) ??
    byDefault(one)
  );
}

function builtInDeny({ access, policy, classified }: Case): Evaluation | null {
  if (classified === null) return null;
  if (classified.verdict === 'deny') return pick(classified);
  const entry = policy.blockedCommands.find((blocked) => isBlocked(blocked, access.target));
  return entry === undefined ? null : deny('Command is blocked', `blocked command ${entry}`);
}

function userDeny(one: Case): Evaluation | null {
  const { policy } = one;
  const rule = touching(policy.rules.deny, one);
  if (rule) return deny(`the rule ${rule.source} forbids it`, `rule deny ${rule.source}`);
  const refused = policy.grants.filter(({ action, type }) => action === 'deny' && type === one.access.kind);
  const grant = touching(
    refused.map(({ pattern }) => pattern),
    one,
  );
  return grant ? deny(`${grant.source} was refused before`, `grant ${grant.source}`) : null;
}

function modeDeny({ tool, access, policy, classified }: Case): Evaluation | null {
  if (policy.mode !== 'plan' && policy.mode !== 'read-only') return null;
  const by = `mode ${policy.mode}`;
  if (access.kind === 'write') return deny(`nothing is written in ${policy.mode} mode`, by);
  if (access.kind !== 'execute' || classified?.verdict === 'allow') return null;
  const because = classified?.because ?? `${tool} may change something`;
  return deny(`only commands that surely just read run in ${policy.mode} mode: ${because}`, by);
}

function askRule(one: Case): Evaluation | null {
  const rule = touching(one.policy.rules.ask, one);
  if (rule) return { verdict: 'ask', because: `the rule ${rule.source} asks`, by: `rule ask ${rule.source}` };
  const { access, cwd } = one;
  if (access.kind !== 'write') return null;
  const target = path.resolve(cwd, access.target).replaceAll('\\', '/');
  const startup = startupFiles.find(({ match }) => match.test(target));
  return startup
    ? { verdict: startup.verdict, because: startup.because, by: 'built-in start-up files' }
    : null;
}

function grantOrAllowRule(one: Case): Evaluation | null {
  const { policy, access } = one;
  const granted = policy.grants.filter(({ action, type }) => action === 'allow' && type === access.kind);
  const grant = covering(
    granted.map(({ pattern }) => pattern),
    one,
  );
  if (grant) return allow(`allowed before: ${grant}`, `grant ${grant}`);
  const rule = covering(policy.rules.allow, one);
  return rule ? allow(`the rule ${rule} allows it`, `rule allow ${rule}`) : null;
}

function modeAllow({ access, policy, isInside, cwd }: Case): Evaluation | null {
  const edits = policy.mode === 'accept-edits' || policy.mode === 'auto';
  if (!edits || access.kind !== 'write' || !isInside(path.resolve(cwd, access.target))) return null;
  return allow(`edits in the working directory are free in ${policy.mode} mode`, `mode ${policy.mode}`);
}

function byDefault({ tool, access, policy, classified, isInside, cwd }: Case): Evaluation {
  const inside = () => isInside(path.resolve(cwd, access.target));
  switch (access.kind) {
    case 'read':
      if (!inside()) return ask(`${access.target} is outside the working directory`);
      return policy.requireApprovalForReads ? ask('reading needs a yes') : allow('it only reads', 'default');
    case 'write':
      if (!inside()) return ask(`${access.target} is outside the working directory`);
      return policy.requireApprovalForWrites ? ask('it changes a file') : allow('writes are free', 'default');
    case 'execute':
      if (classified === null) return ask(`${tool} runs on another server`);
      if (classified.verdict === 'allow' || policy.requireApprovalForCommands) return pick(classified);
      return allow('commands are free', 'default');
    case 'fetch':
      return ask('it reaches out to the network');
    default:
      access.kind satisfies never;
      return ask('it is not understood');
  }
}

/** The first rule that tightens the case. What an allowed command names is read, so rules for reading bind it. */
function touching(rules: readonly string[], one: Case): Pattern | undefined {
  const reads: Subject[] = (one.classified?.reads ?? []).map((target) => ({
    ...one,
    tool: 'Read',
    access: { kind: 'read', target },
  }));
  return rules
    .map(parsePattern)
    .find((pattern) => [one, ...reads].some((subject) => matchesAccess(pattern, subject, 'restrict')));
}

/** The rule, or the rules together, that cover the whole case. */
function covering(rules: readonly string[], one: Case): string | undefined {
  const patterns = rules.map(parsePattern);
  const single = patterns.find((pattern) => matchesAccess(pattern, one, 'allow'));
  if (single) return single.source;
  return one.classified === null ? undefined : coveringTogether(patterns, one);
}

/** Each command of the line is covered by some rule, or surely only looks. */
function coveringTogether(patterns: Pattern[], { tool, access, policy }: Case): string | undefined {
  const { commands, doubts } = parseLine(access.target);
  if (doubts.length > 0) return undefined;
  // Behind a move nobody knows which files the others look at.
  const moves = commands.some(({ name }) => /^(cd|pushd|popd)$/.test(name));
  const used = new Set<string>();
  const covered = commands.every((command) => {
    const rule = patterns.find(
      (pattern) =>
        pattern.tool === tool && pattern.specifier !== null && coversCommand(pattern.specifier, command),
    );
    if (rule) used.add(rule.source);
    if (rule !== undefined) return true;
    return !moves && command.next !== '&' && judgeLook(command, policy).type === 'only_looks';
  });
  return covered && used.size > 0 ? [...used].join(', ') : undefined;
}

function allow(because: string, by: string): Evaluation {
  return { verdict: 'allow', because, by };
}

function ask(because: string): Evaluation {
  return { verdict: 'ask', because, by: 'default' };
}

function deny(because: string, by: string): Evaluation {
  return { verdict: 'deny', because, by };
}

function pick({ verdict, because, by }: Classified): Evaluation {
  return { verdict, because, by };
}
