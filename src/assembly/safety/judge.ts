import { homedir } from 'node:os';
import type { Controller } from '../../agent/controller.ts';
import type { RouterDeps } from '../../agent/tool-router.ts';
import { setValue } from '../../config/edit.ts';
import { userConfigFile } from '../../config/load.ts';
import type { ModeSwitch, Standing } from '../../contract/command.ts';
import type { Access, Permission } from '../../contract/permission.ts';
import type { SandboxState } from '../../contract/sandbox.ts';
import type { CommandRun } from '../../contract/tool.ts';
import { safeGitEnvironment } from '../../lib/paths/safe-git.ts';
import { placeOf } from '../../permissions/command-place.ts';
import { createGate } from '../../permissions/gate.ts';
import { grantedAlways } from '../../permissions/granted.ts';
import { isMcpTool, parsePattern } from '../../permissions/pattern.ts';
import { type Policy, WITHOUT_SANDBOX } from '../../permissions/policy.ts';
import { tellBroadRules } from '../../permissions/rules/broad-rules.ts';
import { classify } from '../../permissions/shell/classify.ts';
import { loadGrammar } from '../../permissions/shell/grammar.ts';
import type { Guard } from '../../sandbox/guard.ts';
import { lookingEnvironment } from '../../sandbox/shell/inspection-environment.ts';
import { shellName } from '../../sandbox/shell/shell-program.ts';
import { fetchRefusal } from '../../sandbox/web/web.ts';
import type { Parts } from '../parts.ts';
import { commandPlace, commandPrograms } from './judge-command.ts';

type Surroundings = {
  mode: ModeSwitch;
  guard: Guard;
  sandbox(): Promise<SandboxState>;
  warn(text: string): void;
  /** Not there yet when the judge is made. */
  controller(): Pick<Controller, 'remember' | 'forget'>;
};

export type Judge = {
  decide: RouterDeps['decide'];
  isReadOnly: RouterDeps['isReadOnly'];
  /** Does ahead of the first command what would hold it up. */
  prepare(): Promise<void>;
  /** What differs in the environment of a command that only looks. */
  lookingEnvironment(command: string): NonNullable<CommandRun['env']>;
  standing: Standing;
  sandbox(): Promise<SandboxState>;
  /** What broad rules open; for those who look at a screen. */
  hints: readonly string[];
  /** Whether a command outside the sandbox could be allowed. */
  mayLeaveSandbox(): boolean;
  /** The rules that would spare the question about such a call; none where nothing would, or nothing need. */
  offers(tool: string, accesses: readonly Access[]): Promise<string[]>;
  /** As if the user had answered "always". */
  allowAlways(pattern: string): Promise<void>;
};

/** The policy of one conversation: the settings, the mode, the sandbox, and what was answered. */
export function createJudge(parts: Parts, { mode, guard, sandbox, warn, controller }: Surroundings): Judge {
  const { config, cwd, opened } = parts;
  const { session } = opened;
  const rules = config.permissions;
  // A rule nobody can read must be said now, not at the first call it was meant for.
  for (const rule of [...rules.allow, ...rules.ask, ...rules.deny]) parsePattern(rule);

  const folder = guard.realOf(cwd) ?? cwd;
  let always = grantedAlways(config.projects[folder]?.granted ?? {});
  // An answer was given for its folder: gone on with elsewhere, a session brings none along and keeps none.
  const isHome = session.workingDirectory === cwd;
  let state: SandboxState | null = null;
  let toldFallback = false;
  const toldBare = new Set<string>();
  /** The shell's grammar is there; it comes with the first command. */
  let canRead = false;
  const programs = commandPrograms(guard, {
    cwd,
    home: homedir(),
    env: parts.env,
    writablePaths: config.sandbox.writablePaths,
  });
  const place = {
    ...commandPlace(guard, { cwd, home: homedir(), trusted: parts.trusted, programs }),
    shell: shellName(process.platform, parts.env),
  };

  const policy = (): Policy => ({
    ...place,
    mode: mode.get(),
    rules,
    grants: [...always, ...(isHome ? session.permissions : [])],
    requireApprovalForReads: config.requireApprovalForReads,
    requireApprovalForWrites: config.requireApprovalForWrites,
    requireApprovalForCommands: config.requireApprovalForCommands,
    blockedCommands: config.blockedCommands,
    sandbox: state,
    sandboxRequired: config.sandbox.required,
    sandboxAutoApprove: config.sandbox.autoApprove,
    realOf: (file) => guard.realOf(file),
    reach: (file, mode, meant) => guard.reach(file, mode, meant),
    fetchRefusal,
  });
  const gate = createGate({
    policy,
    ...(parts.approver && { approver: parts.approver }),
    onGrant: async (permission) => {
      if (permission.scope === 'always') await keep(permission);
      if (isHome) await controller().remember(permission);
    },
  });

  const settings = userConfigFile(parts.dataRoot);
  const keyOf = (pattern: string) => ['projects', folder, 'granted', pattern];

  /** A file that cannot be written costs the lasting, not the yes. */
  async function keep({ pattern, grantedAt }: Permission): Promise<void> {
    await setValue(settings, keyOf(pattern), grantedAt).catch((error: Error) =>
      warn(`${pattern} holds for this session only: ${settings} cannot be written (${error.message}).`),
    );
  }

  /** Once for each command. */
  function tellBare(operation: string): void {
    if (toldBare.has(operation)) return;
    toldBare.add(operation);
    warn(`${operation} runs without a sandbox: an allow rule names exactly this command.`);
  }

  const placeNow = () => placeOf({ ...policy(), grants: gate.grants() });
  const isHarmless = (line: string) => classify(line, placeNow()).verdict === 'allow';

  async function look(): Promise<SandboxState> {
    const now = await sandbox();
    state = now;
    if (now.fallback !== undefined && !toldFallback) {
      toldFallback = true;
      const { fallbackNotice } = await import('../../sandbox/confine/choose.ts');
      const told = fallbackNotice(now, { asks: parts.approver !== undefined && mode.get() !== 'auto' });
      if (told !== null) warn(told);
    }
    return now;
  }

  return {
    async decide(request, options) {
      if (!isMcpTool(request.tool) && request.accesses.some(({ kind }) => kind === 'execute')) {
        await Promise.all([look(), loadGrammar()]);
        canRead = true;
      }
      const decision = await gate.decide(request, options);
      if (decision.verdict === 'allow' && decision.by.endsWith(WITHOUT_SANDBOX)) tellBare(request.operation);
      return decision;
    },
    isReadOnly: ({ kind, target, looks }) => looks ?? (canRead && kind === 'execute' && isHarmless(target)),
    async prepare() {
      await loadGrammar();
      // The grammar and the rules are compiled when they are first used.
      isHarmless('git status | head -n 3');
    },
    lookingEnvironment(command) {
      // A project's own script needs the programs and settings of the project; it only runs where that is trusted.
      const bare = { ...placeNow(), trusted: false, gitRuns: () => null };
      const runsScript = parts.trusted && classify(command, bare).verdict !== 'allow';
      return runsScript ? safeGitEnvironment() : lookingEnvironment(parts.env, programs);
    },
    standing: {
      rules: () =>
        (['deny', 'ask', 'allow'] as const).flatMap((verdict) =>
          rules[verdict].map((pattern) => ({ verdict, pattern })),
        ),
      grants: () => distinct(gate.grants()),
      denials: () => gate.denials(),
      async forgetGrant(grant) {
        const { pattern, scope } = grant;
        gate.forgetGrant(grant);
        always = always.filter((one) => one.pattern !== pattern);
        await controller().forget(pattern);
        if (scope === 'always') await setValue(settings, keyOf(pattern), undefined);
      },
      forgetDenial: (key) => gate.forgetDenial(key),
    },
    sandbox: look,
    mayLeaveSandbox: () =>
      gate.isPossible({
        tool: 'Bash',
        accesses: [{ kind: 'execute', target: 'true', unconfined: true }],
        input: {},
      }),
    hints: tellBroadRules(rules.allow),
    async offers(tool, accesses) {
      await Promise.all([look(), loadGrammar()]);
      return gate.offers({ tool, accesses, input: {} });
    },
    async allowAlways(pattern) {
      for (const permission of grantedAlways({ [pattern]: new Date().toISOString() })) {
        always = [...always, permission];
        await keep(permission);
        if (isHome) await controller().remember(permission);
      }
    },
  };
}

/** One of each, the lasting one before that of the session. */
function distinct(grants: readonly Permission[]): Permission[] {
  const found = new Map<string, Permission>();
  for (const grant of grants) {
    const key = `${grant.type} ${grant.action} ${grant.pattern}`;
    if (!found.has(key) || grant.scope === 'always') found.set(key, grant);
  }
  return [...found.values()];
}
