import { homedir } from 'node:os';
import type { RouterDeps } from '../../agent/router-deps.ts';
import type { Config } from '../../config/schema/schema.ts';
import { projectRoot } from '../../config/trust.ts';
import type { ModeSwitch, PermissionState } from '../../contract/command.ts';
import type { Access, JudgedCall, Permission } from '../../contract/permission.ts';
import type { SandboxState } from '../../contract/sandbox.ts';
import type { CommandRun } from '../../contract/tool.ts';
import { oncePerTurn } from '../../lib/async/once-per-turn.ts';
import { safeGitEnvironment } from '../../lib/paths/safe-git.ts';
import { placeOf } from '../../permissions/command-place.ts';
import { createGate, type Gate } from '../../permissions/gate.ts';
import { isMcpTool } from '../../permissions/pattern/tool-names.ts';
import type { Policy } from '../../permissions/policy.ts';
import { warnAboutBroadRules } from '../../permissions/rules/broad-rules.ts';
import { classify } from '../../permissions/shell/classify.ts';
import { loadGrammar } from '../../permissions/shell/grammar.ts';
import type { Guard } from '../../sandbox/guard.ts';
import { inspectionEnvironment } from '../../sandbox/shell/inspection-environment.ts';
import type { ProgramPath } from '../../sandbox/shell/program-path.ts';
import { shellName } from '../../sandbox/shell/shell-program.ts';
import { fetchRefusal } from '../../sandbox/web/guarded-request.ts';
import type { Parts } from '../parts.ts';
import { createFreeChanges } from './free-changes.ts';
import type { Grants } from './grants.ts';
import { commandPlace, commandPrograms } from './judge-command.ts';
import { createSandboxReport } from './sandbox-report.ts';
import type { SessionRules } from './session-rules.ts';
import type { TextSources } from './text-sources.ts';

export type JudgeDeps = {
  mode: ModeSwitch;
  guard: Guard;
  rules: SessionRules;
  grants: Grants;
  sandbox(): Promise<SandboxState>;
  /** What the model has read. */
  sources: TextSources;
  /** Whether changes by file tools can be undone; by commands, too, unless only those of tools matter. */
  canUndo(by: 'tools' | 'commands', signal: AbortSignal): Promise<boolean>;
  warn(text: string): void;
};

export type Judge = {
  decide: RouterDeps['decide'];
  isReadOnly: RouterDeps['isReadOnly'];
  /** A new prompt of the user: what was declined before may be asked about again. */
  beginRun(): void;
  /** Does work in advance that would delay the first command. */
  prepare(): Promise<void>;
  /** Changes to the environment of a read-only command. */
  readOnlyEnvironment(command: string): NonNullable<CommandRun['env']>;
  standing: Omit<PermissionState, 'promptRules'>;
  sandbox(): Promise<SandboxState>;
  /** Warnings about broad rules; shown in interactive sessions. */
  hints: readonly string[];
  /** What is asked about now, in words for a model. */
  asksAbout(): string;
  /** Whether a command outside the sandbox could be allowed. */
  mayLeaveSandbox(): boolean;
  /**
   * The rules that would make asking about such a call unnecessary; empty if there are none, or if nothing is
   * asked.
   */
  offers(tool: string, accesses: readonly Access[]): Promise<string[]>;
  /** As if the user had answered "always". */
  allowAlways(pattern: string): Promise<void>;
};

/** The policy of one conversation: settings, mode, sandbox and the user's answers. */
export function createJudge(parts: Parts, deps: JudgeDeps): Judge {
  const { mode, guard, rules, grants, sources, warn } = deps;
  const { config, cwd, env, trusted, approver } = parts;

  const sandbox = createSandboxReport({
    find: deps.sandbox,
    mode,
    hasApprover: approver !== undefined,
    warn,
  });
  const home = homedir();
  const root = projectRoot(cwd);
  const programs = commandPrograms(guard, { cwd, home, env, writablePaths: config.sandbox.writablePaths });
  const place = placeIn({ cwd, home, trusted, env }, guard, programs);
  const free = createFreeChanges(parts, { mode, canUndo: deps.canUndo });
  const policy = (): Policy => ({
    ...place,
    mode: mode.get(),
    root,
    rules: rules.current(),
    grants: grants.current(),
    ...settingsFor(config),
    sandbox: sandbox.known(),
    ...free.current(),
    fetchRefusal,
    provenance: sources.current(),
  });
  const gate = createGate({
    policy,
    ...(approver && { approver }),
    onGrant: grants.add,
    onFree: free.free,
  });
  const warnWithoutSandbox = oncePerText((operation) =>
    warn(`${operation} runs without a sandbox: an allow rule names this exact command.`),
  );
  /** Whether the shell grammar is loaded; it is loaded with the first command. */
  let canParse = false;
  const placeNow = () => placeOf({ ...policy(), grants: gate.grants() });
  const inspection = oncePerTurn(() => inspectionEnvironment(env, programs));
  const isHarmless = (line: string) => classify(line, placeNow()).verdict === 'allow';
  const changesByCommand = (request: JudgedCall) =>
    runsCommand(request) &&
    request.accesses.some(({ kind, target }) => kind === 'execute' && !isHarmless(target));

  return {
    asksAbout: () => askedIn(policy()),
    async decide(request, options) {
      const { runs, writes, readsOutside } = kindsOf(request, guard);
      if (runs || options.later.some(runsCommand)) {
        await Promise.all([sandbox.find(), loadGrammar()]);
        canParse = true;
      } else if (readsOutside || (writes && free.dependsOnSandbox())) await sandbox.find();
      if (writes) await free.check('tools', options.signal);
      if (changesByCommand(request)) await free.check('commands', options.signal);
      const decision = await gate.decide(request, options);
      if (decision.verdict === 'allow') sources.allowed(request);
      if (decision.verdict === 'allow' && decision.withoutSandbox) warnWithoutSandbox(request.operation);
      return decision;
    },
    isReadOnly: ({ kind, target, looks }) => looks ?? (canParse && kind === 'execute' && isHarmless(target)),
    beginRun() {
      gate.forgetDenials();
      sources.beginRun();
    },
    async prepare() {
      await loadGrammar();
      // Compiles the grammar and the rules, which happens on first use.
      isHarmless('git status | head -n 3');
    },
    readOnlyEnvironment(command) {
      // A project's own script needs the project's programs and settings; it runs only if the project is
      // trusted.
      const bare = { ...placeNow(), trusted: false, gitRuns: () => null };
      const runsScript = trusted && classify(command, bare).verdict !== 'allow';
      return runsScript ? safeGitEnvironment() : inspection();
    },
    standing: {
      ...standingOf({ settings: config.permissions, rules, gate, grants }),
      trust: free.trust,
    },
    sandbox: sandbox.find,
    mayLeaveSandbox: () => gate.isPossible(OUTSIDE_SANDBOX),
    hints: warnAboutBroadRules(config.permissions.allow),
    async offers(tool, accesses) {
      await Promise.all([sandbox.find(), loadGrammar()]);
      return gate.offers({ tool, accesses, input: {} });
    },
    allowAlways: grants.addAlways,
  };
}

type Folder = { cwd: string; home: string; trusted: boolean; env: NodeJS.ProcessEnv };

/** Lookups that several judgements make at the same moment are made once. */
function placeIn({ cwd, home, trusted, env }: Folder, guard: Guard, { planted }: ProgramPath) {
  const programs = { planted: oncePerTurn(planted) };
  const found = commandPlace(guard, { cwd, home, trusted, env, programs });
  const { filesBelow, holdsKey } = found.disk;
  const disk = { ...found.disk, filesBelow: oncePerTurn(filesBelow), holdsKey: oncePerTurn(holdsKey) };
  const { realOf, reach, isShown } = guard;
  return { ...found, disk, realOf, reach, isShown, shell: shellName(process.platform, env) };
}

/** What the settings say about approvals. */
export function settingsFor(config: Config) {
  const { requireApprovalForReads, requireApprovalForWrites, requireApprovalForCommands } = config;
  const { neverAsk, blockedCommands, sandbox } = config;
  const required = { requireApprovalForReads, requireApprovalForWrites, requireApprovalForCommands };
  return { ...required, neverAsk, blockedCommands, sandboxRequired: sandbox.required };
}

const OUTSIDE_SANDBOX = {
  tool: 'Bash',
  accesses: [{ kind: 'execute' as const, target: 'true', unconfined: true as const }],
  input: {},
};

type Standing = { settings: Config['permissions']; rules: SessionRules; gate: Gate; grants: Grants };

/** The active rules and answers, for the user to list and change. */
function standingOf({ settings, rules, gate, grants }: Standing): Omit<Judge['standing'], 'trust'> {
  return {
    rules: () =>
      (['deny', 'ask', 'allow', 'trust'] as const).flatMap((verdict) =>
        settings[verdict].map((pattern) => ({ verdict, pattern })),
      ),
    addedRules: rules.added,
    async addRule(rule) {
      await rules.add(rule);
      return rule.verdict === 'allow' ? warnAboutBroadRules([rule.pattern]) : [];
    },
    removeRule: rules.remove,
    grants: () => distinct(gate.grants()),
    denials: () => gate.denials(),
    async forgetGrant(grant) {
      gate.forgetGrant(grant);
      await grants.forget(grant);
    },
    forgetDenial: (key) => gate.forgetDenial(key),
  };
}

function runsCommand({ tool, accesses }: { tool: string; accesses: readonly Access[] }): boolean {
  return !isMcpTool(tool) && accesses.some(({ kind }) => kind === 'execute');
}

/** What the verdict on a call depends on. */
function kindsOf(request: JudgedCall, guard: Pick<Guard, 'isInside'>) {
  const { accesses } = request;
  return {
    runs: runsCommand(request),
    writes: accesses.some(({ kind }) => kind === 'write'),
    readsOutside: accesses.some(({ kind, target }) => kind === 'read' && !guard.isInside(target)),
  };
}

function oncePerText(report: (text: string) => void): (text: string) => void {
  const reported = new Set<string>();
  return (text) => {
    if (reported.has(text)) return;
    reported.add(text);
    report(text);
  };
}

/** Without duplicates; the permanent one wins over the session's. */
function distinct(grants: readonly Permission[]): Permission[] {
  const found = new Map<string, Permission>();
  for (const grant of grants) {
    const key = `${grant.type} ${grant.action} ${grant.pattern}`;
    if (!found.has(key) || grant.scope === 'always') found.set(key, grant);
  }
  return [...found.values()];
}

const LEAVING = 'what leaves the sandbox, needs the network or other folders, or cannot be undone';

function askedIn({ mode, sandboxAutoApprove, editsAutoApprove, rules }: Policy): string {
  const allowed = rules.allow.length === 0 ? '' : `, except ${rules.allow.join(', ')}`;
  const edits = editsAutoApprove || mode === 'accept-edits' ? [] : ['changes to files'];
  const commands =
    sandboxAutoApprove || mode === 'accept-edits' ? LEAVING : 'commands that do more than read';
  return `${[...edits, commands].join(', ')}${allowed}`;
}
