import path from 'node:path';
import { PermissionDeniedError } from '../contract/errors.ts';
import {
  type Access,
  type HookDecision,
  type Opening,
  obviousReasons,
  type Verdict,
} from '../contract/permission.ts';
import { startupRule } from '../contract/startup-files.ts';
import { isBlocked } from './blocked-commands.ts';
import { limitDeny, limitedPolicy, promptDeny } from './call-limits.ts';
import { openedFolder, outsideReads, placeOf } from './command-place.ts';
import { containedBecause } from './contain.ts';
import { grantFor } from './granted.ts';
import {
  type Case,
  caseOf,
  covering,
  namesCommand,
  namesShownSecret,
  readsClosed,
  touching,
} from './judged-case.ts';
import { grantText, parseGrant, parsePattern, restrictsCall } from './pattern.ts';
import {
  type Evaluation,
  isFallback,
  isFileAccess,
  type Policy,
  permissionSubjects,
  type Request,
} from './policy.ts';
import { guardBecause } from './provenance/guard.ts';
import { irreversibleBecause } from './rules/irreversible.ts';
import { fetchesText, namesAddress, sendsData, usesNetwork } from './rules/network.ts';
import { parseLine } from './shell/parse.ts';
import { reach } from './shell/reach.ts';
import { readsAlike } from './shell/reads-alike.ts';
import { allow, ask, askBare, askBy, deny, denyBy, NO_SANDBOX, pick } from './verdicts.ts';

/** What decided, for the audit log. */
const GUARD = 'guard';

const STRICTNESS: Record<Verdict, number> = { allow: 0, ask: 1, deny: 2 };

/**
 * Judges a call by its accesses; of several the strictest verdict wins. Pure except for the policy's disk
 * lookups. What the path guard will refuse is refused here, before the user is asked.
 */
export function evaluate(request: Request, session: Policy): Evaluation {
  const { limits } = request;
  const policy = limits ? limitedPolicy(session, limits) : session;
  const subjects = permissionSubjects(request, policy);
  const found = subjects.map((access) => judgeAccess(request, access, policy));
  const reads = subjects.every(({ kind }, i) => kind !== 'execute' || found[i]?.onlyReads);
  // A skill is named by its input, whatever its work touches.
  const [first = untouching(request, policy), ...others] =
    request.tool === 'Skill' ? [untouching(request, policy), ...found] : found;
  const {
    opens: _,
    onlyReads,
    ...said
  } = others.reduce((a, b) => (STRICTNESS[b.verdict] > STRICTNESS[a.verdict] ? b : a), first);
  const strictest = onlyReads && reads ? { ...said, onlyReads } : said;
  const opens = strictest.verdict === 'deny' ? [] : found.flatMap((one) => one.opens ?? []);
  const verdict =
    limits?.neverAsks || policy.neverAsk
      ? refusedUnasked(strictest, limits?.neverAsks ? 'subagent' : 'neverAsk')
      : refusedByAuto(strictest, request, policy);
  return opens.length > 0 && verdict.verdict !== 'deny' ? { ...verdict, opens } : verdict;
}

/** For a subagent that may not ask, and for users who never want to be asked. */
function refusedUnasked(strictest: Evaluation, by: 'subagent' | 'neverAsk'): Evaluation {
  if (strictest.verdict !== 'ask') return strictest;
  const why = by === 'subagent' ? 'this subagent may not ask for approval' : 'neverAsk is on';
  return deny(`${why}: ${strictest.because}`, by);
}

/** Auto mode never asks. */
function refusedByAuto(strictest: Evaluation, request: Request, policy: Policy): Evaluation {
  if (policy.mode !== 'auto' || strictest.verdict !== 'ask') return strictest;
  const bare = request.accesses.some(({ kind }) => kind === 'execute') && policy.sandbox?.kind === 'host';
  if (strictest.by === GUARD)
    return deny(`auto mode refuses it: ${strictest.because}`, `mode auto, ${GUARD}`);
  const because = `auto mode refuses anything it cannot sandbox: ${strictest.because}`;
  return deny(bare && !strictest.withoutSandbox ? `${because}; ${NO_SANDBOX}` : because, 'mode auto');
}

/** A call that accesses nothing: only rules that name its tool restrict it. */
function untouching(request: Request, { rules }: Policy): Evaluation {
  const { tool, input, hook, limits, rules: promptRules = [] } = request;
  const named = (list: readonly string[]) =>
    list.map(parsePattern).find((pattern) => restrictsCall(pattern, tool, input));
  const denied = named(rules.deny);
  if (denied) return denyBy(denied);
  const forbidden = promptDeny(promptRules, named);
  if (forbidden) return forbidden;
  const limited = limitDeny(limits, tool, (list) => named(list) !== undefined);
  if (limited) return limited;
  const asked = named(rules.ask);
  return asked ? askBy(asked) : (hookAsk(hook) ?? allow(`${tool} changes nothing`, 'default'));
}

/** Judges an access by the rules, then by what the model has read. */
function judgeAccess(request: Request, access: Access, policy: Policy): Evaluation {
  const one = caseOf(request, access, policy);
  return guarded(byRules(request, one), request.input, one);
}

/** What may carry private data out after foreign text was read is asked about, whatever allows it. */
function guarded(said: Evaluation, input: unknown, one: Case): Evaluation {
  const { tool, access, policy } = one;
  if (said.verdict === 'deny' || !policy.provenance) return said;
  const because = guardBecause(
    {
      tool,
      access,
      input,
      real: one.real()?.access.target ?? access.target,
      place: placeOf(policy),
      sandbox: policy.sandbox,
    },
    policy.provenance,
  );
  if (because === null || covering(policy.rules.trust ?? [], one) !== undefined) return said;
  const { withoutSandbox: _, onlyReads: __, ...rest } = said;
  const isNew =
    said.verdict === 'allow' ||
    because.includes(said.because) ||
    Object.values<string>(obviousReasons).includes(said.because);
  return { ...rest, verdict: 'ask', because: isNew ? because : `${said.because}; ${because}`, by: GUARD };
}

function byRules({ tool, hook, limits }: Request, one: Case): Evaluation {
  const { promptRules } = one;
  const said =
    builtInDeny(one) ??
    userDeny(one) ??
    promptDeny(promptRules, (rules) => touching(rules.map(parsePattern), one)) ??
    limitDeny(limits, tool, (rules) => covering(rules, one) !== undefined) ??
    guardDeny(one) ??
    sandboxDeny(one) ??
    modeDeny(one) ??
    askRule(one) ??
    hookAsk(hook) ??
    grantOrAllowRule(one) ??
    promptAllow(one) ??
    hookAllow(hook, one) ??
    secretAsk(one) ??
    modeAllow(one);
  if (said !== null) return opening(quietly(said, one), one);
  // A command that runs because it is contained sees no more than any contained command.
  return sandboxAllow(one) ?? shownAllow(one) ?? opening(byDefault(one), one);
}

/** In a mode without changes, whoever allows a command: it cannot write. */
function quietly(said: Evaluation, { classified, policy }: Case): Evaluation {
  const isQuiet = policy.mode === 'plan' || policy.mode === 'read-only';
  return isQuiet && said.verdict === 'allow' && classified?.onlyReads ? { ...said, onlyReads: true } : said;
}

/** A verdict with what it opens. */
function opening(said: Evaluation, { access, reach, classified, policy }: Case): Evaluation {
  if (said.verdict === 'deny') return said;
  const opens: Opening[] = [];
  if (reach?.type === 'outside' && isFileAccess(access)) opens.push({ path: reach.real, mode: access.kind });
  else if (classified !== null && !access.unconfined)
    opens.push(...outsideReads(access.target, classified, policy));
  return opens.length > 0 ? { ...said, opens } : said;
}

function builtInDeny({ access, policy, classified }: Case): Evaluation | null {
  if (classified === null) return null;
  if (classified.verdict === 'deny') return pick(classified);
  const entry = policy.blockedCommands.find((blocked) => isBlocked(blocked, access.target));
  return entry === undefined ? null : deny('Command is blocked', `blocked command ${entry}`);
}

function userDeny(one: Case): Evaluation | null {
  const { policy } = one;
  const rule = touching(policy.rules.deny.map(parsePattern), one);
  if (rule) return denyBy(rule);
  const refused = policy.grants.filter(({ action, type }) => action === 'deny' && type === one.access.kind);
  const grant = touching(
    refused.map(({ pattern }) => parseGrant(pattern)),
    one,
  );
  return grant ? deny(`declined earlier: ${grant.source}`, `grant ${grant.source}`) : null;
}

/** What no answer can open is refused without asking. */
function guardDeny({ access, reach, policy }: Case): Evaluation | null {
  if (access.kind === 'fetch') {
    const refusal = policy.fetchRefusal?.(access.target) ?? null;
    return refusal === null ? null : deny(refusal, 'network guard');
  }
  if (reach?.type !== 'closed') return null;
  const target = access.target.replaceAll('\0', '\\0');
  const { message } = new PermissionDeniedError({ operation: `${access.kind} ${target} (${reach.because})` });
  return deny(message, 'path guard');
}

/** If the user requires a sandbox, no rule overrides that. */
function sandboxDeny({ access, policy, classified }: Case): Evaluation | null {
  if (classified === null || !policy.sandboxRequired || policy.sandbox === null) return null;
  const by = 'setting sandbox.required';
  if (access.unconfined) return deny('commands must run in the sandbox', by);
  if (policy.sandbox.kind !== 'host') return null;
  const why = policy.sandbox.fallback ?? 'it is turned off';
  return deny(`commands must run in a sandbox, but none is available: ${why}`, by);
}

function modeDeny({ tool, access, policy, classified }: Case): Evaluation | null {
  if (policy.mode !== 'plan' && policy.mode !== 'read-only') return null;
  const by = `mode ${policy.mode}`;
  if (access.kind === 'write') return deny(`no files can be changed in ${policy.mode} mode`, by);
  if (access.kind !== 'execute') return null;
  if (access.unconfined) return deny(`commands cannot leave the sandbox in ${policy.mode} mode`, by);
  if (classified?.verdict === 'allow' || access.looks) return null;
  if (classified !== null && containedBecause(policy) !== null) return null;
  const because = classified?.because ?? `${tool} may do anything`;
  return deny(`only read-only commands run in ${policy.mode} mode: ${because}`, by);
}

function askRule(one: Case): Evaluation | null {
  const rule = touching(one.policy.rules.ask.map(parsePattern), one);
  if (rule) return askBy(rule);
  const { access, classified } = one;
  if (access.unconfined) return { verdict: 'ask', because: unconfinedBecause(one), by: 'built-in' };
  if (classified?.unchecked) return { verdict: 'ask', because: classified.because, by: 'built-in' };
  if (access.unseen !== undefined) return { verdict: 'ask', because: access.unseen, by: 'built-in' };
  if (access.kind !== 'write') return null;
  const files = [one, one.real()].flatMap((place) =>
    place ? [path.resolve(place.cwd, place.access.target)] : [],
  );
  const startup = files.map(startupRule).find((rule) => rule !== undefined);
  return startup ? { verdict: 'ask', because: startup.because, by: 'built-in start-up files' } : null;
}

/** Why a command would leave the sandbox, as far as its words say. */
function unconfinedBecause({ access, classified, policy }: Case): string {
  const reached = reach(parseLine(access.target), placeOf(policy));
  const isOnline = reached.some(
    ({ command }) =>
      usesNetwork(fetchesText, command) || usesNetwork(sendsData, command) || namesAddress(command),
  );
  if (isOnline) return 'not sandboxed: needs the network';
  return `not sandboxed: ${classified?.verdict === 'ask' ? classified.because : 'runs with your rights'}`;
}

function grantOrAllowRule(one: Case): Evaluation | null {
  const { policy, access, tool } = one;
  const bare = runsBare(one);
  const allowBare = (because: string, by: string): Evaluation =>
    bare ? { ...allow(because, `${by} without a sandbox`), withoutSandbox: true } : allow(because, by);
  const granted = policy.grants.filter(({ action, type }) => action === 'allow' && type === access.kind);
  const exact = granted.length > 0 ? grantFor(tool, access, policy) : null;
  if (exact !== null && granted.some(({ pattern }) => grantText(pattern) === grantText(exact)))
    return allowBare(`allowed earlier: ${exact}`, `grant ${exact}`);
  const folder = isFileAccess(access) ? openedFolder(granted, one.real() ?? one) : undefined;
  if (folder !== undefined) return allow(`allowed earlier: ${folder}`, `grant ${folder}`);
  const rules = rulesFor(policy.rules.allow, one);
  const exactly = bare || readsClosed(one);
  const rule = covering(exactly ? rules.filter((known) => namesCommand(known, access.target)) : rules, one);
  if (rule !== undefined) return allowBare(`allowed by the rule ${rule}`, `rule allow ${rule}`);
  const broad = bare ? covering(rules, one) : undefined;
  return broad === undefined ? null : askBare(`the rule ${broad} does not name this exact command`);
}

function hookAsk(hook: HookDecision | undefined): Evaluation | null {
  if (hook?.verdict !== 'ask') return null;
  return { ...ask(`a hook requires approval: ${hook.because}`), by: 'hook PreToolUse' };
}

function hookAllow(hook: HookDecision | undefined, one: Case): Evaluation | null {
  if (hook?.verdict !== 'allow' || !isForOthersToAllow(one)) return null;
  return allow(`a hook allows it: ${hook.because}`, 'hook PreToolUse');
}

/** The rules of a skill or command add to those of the user. */
function promptAllow(one: Case): Evaluation | null {
  if (!isForOthersToAllow(one)) return null;
  const lists = one.promptRules.filter((rules) => rules.allow.length > 0);
  for (const [i, { by }] of lists.entries()) {
    const added = lists.slice(0, i + 1).flatMap((rules) => rules.allow);
    const rule = covering(rulesFor([...one.policy.rules.allow, ...added], one), one);
    if (rule !== undefined) return allow(`allowed by the ${by}: ${rule}`, `${by} allow ${rule}`);
  }
  return null;
}

/**
 * A yes that is not the user's own counts like an allow rule, except that it gives no command a secret, and lets
 * none run without the sandbox that was wanted.
 */
function isForOthersToAllow(one: Case): boolean {
  return !one.access.holdsSecret && !runsBare(one);
}

/** Whether a command that may change something would run unsandboxed although a sandbox was wanted. */
function runsBare({ classified, access, policy }: Case): boolean {
  if (classified === null || classified.verdict === 'allow' || access.free) return false;
  return isFallback(policy);
}

/**
 * For a line that its shell may read differently: only rules that match it as a whole, or that match any
 * line.
 */
function rulesFor(rules: readonly string[], { tool, access, policy, classified }: Case): readonly string[] {
  if (classified === null || readsAlike(access.target, policy.shell)) return rules;
  const exact = grantFor(tool, access, policy);
  return rules.filter((rule) => rule === exact || parsePattern(rule).specifier === null);
}

/**
 * Its output goes to the model, and redaction does not find a value printed in another form, such as
 * reversed.
 */
function secretAsk({ access }: Case): Evaluation | null {
  if (!access.holdsSecret) return null;
  return { verdict: 'ask', because: 'receives a secret that it could print', by: 'built-in' };
}

function modeAllow({ access, policy, reach }: Case): Evaluation | null {
  const { mode } = policy;
  if (access.kind !== 'write' || reach?.type !== 'open') return null;
  if (mode === 'accept-edits' || mode === 'auto')
    return allow(`edits in this folder need no approval in ${mode} mode`, `mode ${mode}`);
  const isFree = mode === 'default' && policy.editsAutoApprove && containedBecause(policy) !== null;
  return isFree ? allow('edits in a trusted folder need no approval', 'trust') : null;
}

function sandboxAllow(one: Case): Evaluation | null {
  const { classified, policy } = one;
  // Read-only commands are free anyway, and that is the simpler reason.
  if (classified === null || classified.verdict === 'allow') return null;
  const because = containedBecause(policy);
  if (because === null) return null;
  const lasting = lastingBecause(one) ?? namesShownSecret(one);
  return lasting === null ? allow(because, `sandbox ${policy.sandbox?.kind}`) : ask(lasting);
}

/** What a command would print unasked, a tool may read. Containers show nothing of this machine. */
function shownAllow({ access, reach, policy }: Case): Evaluation | null {
  const { sandbox, isShown } = policy;
  if (access.kind !== 'read' || reach?.type !== 'outside' || !isShown?.(reach.real)) return null;
  if (sandbox?.kind === 'docker' || sandbox?.kind === 'podman') return null;
  if (containedBecause(policy) === null) return null;
  const said = allow('commands in the sandbox can read it', `sandbox ${sandbox?.kind}`);
  return { ...said, opens: [{ path: reach.real, mode: 'read', onlyShown: true }] };
}

/** What is asked about in a sandbox, too, where somebody can answer: what cannot be undone, and what sends data. */
function lastingBecause({ access, policy }: Case): string | null {
  const { mode, sandbox } = policy;
  if ((mode !== 'default' && mode !== 'accept-edits') || sandbox?.level === 'strict') return null;
  const reached = reach(parseLine(access.target), placeOf(policy));
  const sends =
    sandbox?.network === 'listed' && reached.some(({ command }) => usesNetwork(sendsData, command));
  return irreversibleBecause(reached) ?? (sends ? 'sends data to a host that commands may reach' : null);
}

function byDefault({ tool, access, policy, classified, reach }: Case): Evaluation {
  const inside = reach?.type === 'open';
  switch (access.kind) {
    case 'read':
      if (!inside) return ask(`${access.target} is outside the working directory`);
      return policy.requireApprovalForReads ? ask(obviousReasons.read) : allow('only reads', 'default');
    case 'write':
      if (!inside) return ask(`${access.target} is outside the working directory`);
      return policy.requireApprovalForWrites
        ? ask(obviousReasons.write)
        : allow('writes need no approval', 'default');
    case 'execute':
      if (access.free) return allow('the plugin says it needs no approval', 'default');
      if (classified === null) return ask(`${tool} comes from an MCP server or a plugin`);
      if (classified.verdict === 'allow' || policy.requireApprovalForCommands) return pick(classified);
      if (isFallback(policy)) return askBare(classified.because);
      // No user is watching in auto mode: only enforced limits count there.
      return policy.mode === 'auto' ? pick(classified) : allow('commands need no approval', 'default');
    case 'fetch':
    case 'search':
      return ask(obviousReasons[access.kind]);
    case 'delegate':
      return allow('each action of the subagent is checked separately', 'default');
    default:
      access.kind satisfies never;
      return ask('could not be parsed');
  }
}
