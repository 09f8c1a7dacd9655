import path from 'node:path';
import type {
  Access,
  CallLimits,
  HookDecision,
  Judgement,
  Opening,
  Permission,
  PermissionMode,
  PromptRules,
  Reach,
} from '../contract/permission.ts';
import type { SandboxState } from '../contract/sandbox.ts';
import { singleQuoted } from '../lib/text/shell-quote.ts';
import { isMcpTool } from './pattern/tool-names.ts';
import { asWritten } from './pattern.ts';
import type { Provenance } from './provenance/guard.ts';
import type { Place } from './shell/look.ts';

/** What to judge: a tool call and its accesses. */
export type Request = {
  tool: string;
  accesses: readonly Access[];
  input: unknown;
  hook?: HookDecision;
  limits?: CallLimits;
  rules?: readonly PromptRules[];
};

export type Policy = Pick<Place, 'home' | 'mayRead' | 'gitRuns' | 'plantedProgram' | 'disk' | 'shell'> & {
  mode: PermissionMode;
  cwd: string;
  /** The root of the project; the working directory if absent. */
  root?: string;
  rules: {
    allow: readonly string[];
    ask: readonly string[];
    deny: readonly string[];
    trust?: readonly string[];
  };
  grants: readonly Permission[];
  requireApprovalForReads?: boolean;
  requireApprovalForWrites: boolean;
  requireApprovalForCommands: boolean;
  /** What would be asked is refused. */
  neverAsk?: boolean;
  blockedCommands: readonly string[];
  /** The user trusts this folder, so its own scripts may run. */
  trusted: boolean;
  /** The sandbox that commands run in; null before detection. */
  sandbox: SandboxState | null;
  sandboxRequired: boolean;
  /** Contained commands need no approval in default mode either. */
  sandboxAutoApprove: boolean;
  /** Neither do edits in the working directory, as long as commands are contained. */
  editsAutoApprove?: boolean;
  /** The user may trust this folder, and both would then be so. */
  trustable?: boolean;
  /** Whether a path really is in a folder that the user opened. */
  isInside(file: string): boolean;
  /** Where an absolute path, as written, really leads; null if unknown. */
  realOf(file: string): string | null;
  /** What the path guard will say about an absolute path, as written, when it is accessed. */
  reach(file: string, mode: Opening['mode'], meant?: Pick<Access, 'itself'>): Reach;
  /** Whether commands in the sandbox can read a real path outside the folders that are open. */
  isShown?(real: string): boolean;
  /** Why an address is never fetched, or null. */
  fetchRefusal?(url: string): string | null;
  /** What the model has read; absent where nothing is tracked. */
  provenance?: Provenance;
};

/**
 * `by` names what decided: a rule, a mode, a grant or the defaults. `opens`: what the call may access
 * outside, if it runs. `withoutSandbox`: a sandbox was wanted but is unavailable, and the verdict says so.
 * `onlyReads`: a command was allowed because it certainly only reads.
 */
export type Evaluation = Judgement & {
  by: string;
  opens?: Opening[];
  withoutSandbox?: true;
  onlyReads?: true;
};

/** A sandbox was wanted but is unavailable. A sandbox that the user disabled is not a fallback. */
export function isFallback({ sandbox }: Pick<Policy, 'sandbox'>): boolean {
  return sandbox?.kind === 'host' && sandbox.fallback !== undefined;
}

/** An MCP tool may do anything, whatever accesses it declares. */
export function permissionSubjects(
  { tool, accesses }: Pick<Request, 'tool' | 'accesses'>,
  { cwd, home }: Pick<Policy, 'cwd' | 'home'>,
): readonly Access[] {
  if (isMcpTool(tool)) {
    const looks = accesses.length > 0 && accesses.every((access) => access.looks);
    const free = accesses.length > 0 && accesses.every((access) => access.free);
    const unseen = accesses.find((access) => access.unseen !== undefined)?.unseen;
    const server = accesses.some((access) => access.server);
    const said = {
      ...(server && { server }),
      ...(looks && { looks }),
      ...(free && { free }),
      ...(unseen !== undefined && { unseen }),
    };
    return [{ kind: 'execute', target: tool, ...said }];
  }
  return accesses.map((access) => {
    if (access.kind === 'execute') return withFolder(access, accesses, cwd);
    return isFileAccess(access) && home !== undefined ? underHome(access, home) : access;
  });
}

export type FileAccess = Access & { kind: 'read' | 'write' };

export function isFileAccess(access: Access): access is FileAccess {
  return access.kind === 'read' || access.kind === 'write';
}

/** Expands `~/notes` as the file capabilities will. */
function underHome(access: FileAccess, home: string): FileAccess {
  return { ...access, target: access.target.replace(/^~(?=[/\\]|$)/, () => home) };
}

export function reachOf(access: FileAccess, policy: Policy): Reach {
  return policy.reach(asWritten(access.target, policy.cwd), access.kind, access);
}

/** A command that runs in another folder is judged as a line that changes to it first. */
function withFolder(access: Access, accesses: readonly Access[], cwd: string): Access {
  const folder = accesses.find(({ kind }) => kind === 'read')?.target;
  if (folder === undefined || path.resolve(cwd, folder) === path.resolve(cwd)) return access;
  return { ...access, target: `cd ${singleQuoted(folder)} && ${access.target}` };
}

/** Where a path leads, with the real working directory; null if that is the path itself. */
export function realPlace(
  access: Access,
  policy: Policy,
): { target: string; cwd: string; root?: string } | null {
  const named = path.resolve(policy.cwd);
  const written = path.resolve(named, access.target);
  const real = realOf(access, policy);
  const cwd = policy.realOf(named);
  if (real === null || cwd === null) return null;
  if (path.relative(cwd, real) === path.relative(named, written)) return null;
  const root = policy.root === undefined ? null : policy.realOf(policy.root);
  return { target: real, cwd, ...(root !== null && { root }) };
}

function realOf(access: Access, policy: Policy): string | null {
  if (!access.itself || !isFileAccess(access)) return policy.realOf(asWritten(access.target, policy.cwd));
  const reach = reachOf(access, policy);
  return reach.type === 'closed' ? null : reach.real;
}
