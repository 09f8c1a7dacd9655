import type { Access, PromptRules, Reach } from '../contract/permission.ts';
import { coversCommand, isWholeLine } from './command-pattern.ts';
import { placeOf } from './command-place.ts';
import { isMcpTool } from './pattern/tool-names.ts';
import { matchesAccess, type Pattern, parsePattern, type Subject } from './pattern.ts';
import { isFileAccess, type Policy, type Request, reachOf, realPlace } from './policy.ts';
import { type Classified, classify } from './shell/classify.ts';
import { judgeLook } from './shell/look.ts';
import { namedPaths } from './shell/named-paths.ts';
import { parseLine } from './shell/parse.ts';
import { reach } from './shell/reach.ts';

/** One access of a call, with everything that rules are matched against. */
export type Case = Subject & {
  policy: Policy;
  classified: Classified | null;
  /** For a file: the path guard's verdict. */
  reach: Reach | null;
  /** Of the skills and commands in use. */
  promptRules: readonly PromptRules[];
  /** The same `Subject` by its real path, if that differs. */
  real(): Subject | null;
};

export function caseOf(request: Request, access: Access, policy: Policy): Case {
  const { tool, rules: promptRules = [] } = request;
  const runsCommand = access.kind === 'execute' && !isMcpTool(tool);
  const { cwd, root, home } = policy;
  const place = { cwd, root, home };
  const classified = runsCommand ? classify(access.target, placeOf(policy)) : null;
  const reach = isFileAccess(access) ? reachOf(access, policy) : null;
  const isInside = () => reach?.type === 'open';
  const one: Case = { tool, access, ...place, isInside, policy, classified, reach, promptRules, real };
  function real(): Subject | null {
    if (!isFileAccess(access)) return null;
    const found = realPlace(access, policy);
    if (found === null) return null;
    const { target, ...real } = found;
    return { tool, access: { ...access, target }, ...place, ...real, isInside };
  }
  return one;
}

/**
 * The first rule that tightens the case. Rules for reading apply to a command for every file that it names, and that
 * it would find in the folders it searches.
 */
export function touching(rules: readonly Pattern[], one: Case): Pattern | undefined {
  if (rules.length === 0) return undefined;
  const subjects = [one, one.real()].filter((subject) => subject !== null);
  const matches = (pattern: Pattern, all: readonly Subject[]) =>
    all.some((subject) => matchesAccess(pattern, subject, 'restrict'));
  const direct = rules.find((pattern) => matches(pattern, subjects));
  if (direct !== undefined || one.classified === null) return direct;
  const readRules = rules.filter(({ tool }) => tool === 'Read' || tool.includes('*'));
  if (readRules.length === 0) return undefined;
  const reads = filesOf(one).flatMap((file) => readingsOf(file, one));
  return readRules.find((pattern) => matches(pattern, reads));
}

/** A file as named and where it leads. */
function readingsOf(target: string, { cwd, root, home, isInside, policy }: Case): Subject[] {
  const access: Access = { kind: 'read', target };
  const real = realPlace(access, policy);
  const subject = { tool: 'Read', access, cwd, root, home, isInside };
  if (real === null) return [subject];
  const { target: leadsTo, ...place } = real;
  return [subject, { ...subject, access: { ...access, target: leadsTo }, ...place }];
}

/**
 * The files that a command names, whatever it does with them; where no sandbox hides them, also those that it would
 * search, and that its patterns match.
 */
function filesOf({ access, classified, policy }: Case): string[] {
  const { disk, sandbox } = policy;
  const start = { cwd: policy.cwd, ...(policy.home && { home: policy.home }) };
  const { files, searched, globs } = namedPaths(reach(parseLine(access.target), start), {
    ...start,
    ...disk,
  });
  const named = [...(classified?.reads ?? []), ...files];
  const isHidden = sandbox !== null && sandbox.kind !== 'host' && !access.unconfined;
  if (disk === undefined || isHidden) return [...named, ...globs.map(({ folder }) => folder)];
  const below = searched.flatMap((folder) => disk.filesBelow(folder).files);
  const matched = globs.flatMap(({ folder, match }) =>
    disk.filesBelow(folder).files.filter((file) => match.test(file)),
  );
  return [...new Set([...named, ...below, ...matched])];
}

/** Whether a command names, or would search, a file that the path guard never opens for reading. */
export function readsClosed(one: Case): boolean {
  const { policy, access, classified } = one;
  if (
    classified === null ||
    (policy.sandbox !== null && policy.sandbox.kind !== 'host' && !access.unconfined)
  )
    return false;
  return filesOf(one).some((file) => policy.reach(file, 'read').type === 'closed');
}

/**
 * Why a sandboxed command must not name a file outside the project: the path guard never opens it, and no wall hides it.
 */
export function namesShownSecret(one: Case): string | null {
  const { policy } = one;
  for (const file of filesOf(one)) {
    const reach = policy.reach(file, 'read');
    const real = policy.realOf(file);
    if (reach.type !== 'closed' || real === null || policy.isInside(file)) continue;
    if (policy.isShown?.(real)) return `${file}: ${reach.because}`;
  }
  return null;
}

/** `Bash(make test)` names one command; `Bash(make *)` and `Bash` name many. */
export function namesCommand(rule: string, line: string): boolean {
  const { specifier } = parsePattern(rule);
  return specifier !== null && isWholeLine(specifier, line);
}

/** The rule, or combination of rules, that covers the whole case; for a link, its target. */
export function covering(rules: readonly string[], one: Case): string | undefined {
  if (rules.length === 0) return undefined;
  const patterns = rules.map(parsePattern);
  const touched = one.real() ?? one;
  const single = patterns.find((pattern) => matchesAccess(pattern, touched, 'allow'));
  if (single) return single.source;
  return one.classified === null ? undefined : coveringTogether(patterns, one);
}

/** Each command of the line is covered by some rule, or is certainly read-only. */
function coveringTogether(patterns: Pattern[], { tool, access, policy }: Case): string | undefined {
  const { commands, doubts } = parseLine(access.target);
  if (doubts.length > 0) return undefined;
  // After a directory change it is unknown which files the other commands read.
  const moves = commands.some(({ name }) => /^(cd|pushd|popd)$/.test(name));
  const used = new Set<string>();
  const covered = commands.every((command) => {
    const rule = patterns.find(
      (pattern) =>
        pattern.tool === tool && pattern.specifier !== null && coversCommand(pattern.specifier, command),
    );
    if (rule) used.add(rule.source);
    if (rule !== undefined) return true;
    return !moves && command.next !== '&' && judgeLook(command, placeOf(policy)).type === 'only_looks';
  });
  return covered && used.size > 0 ? [...used].join(', ') : undefined;
}
