import path from 'node:path';
import type {
  Access,
  Judgement,
  Opening,
  Permission,
  PermissionMode,
  Reach,
} from '../contract/permission.ts';
import type { SandboxState } from '../contract/sandbox.ts';
import { asWritten, isMcpTool } from './pattern.ts';
import type { Place } from './shell/look.ts';

/** What is to be judged: a tool call, and what it would touch. */
export type Request = { tool: string; accesses: readonly Access[]; input: unknown };

export type Policy = Pick<Place, 'home' | 'mayRead' | 'gitRuns' | 'plantedProgram' | 'shell'> & {
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
  /** What commands run in; null while nobody has looked. */
  sandbox: SandboxState | null;
  sandboxRequired: boolean;
  /** In default mode, too, what the sandbox contains needs no question. */
  sandboxAutoApprove: boolean;
  /** Whether a path really lies in a folder the user opened. */
  isInside(file: string): boolean;
  /** Where an absolute path, as written, really leads; null where that cannot be told. */
  realOf(file: string): string | null;
  /** What the path guard will say of an absolute path, as written, when it is touched. */
  reach(file: string, mode: Opening['mode'], meant?: Pick<Access, 'itself'>): Reach;
  /** The refusal of an address that is never fetched, or null. */
  fetchRefusal?(url: string): string | null;
};

/** `by` names who spoke: a rule, a mode, a grant or the defaults. `opens`: what the call may touch outside, if it runs. */
export type Evaluation = Judgement & { by: string; opens?: Opening[] };

/** Ends the `by` of a command that was allowed although the sandbox that was wanted is missing. */
export const WITHOUT_SANDBOX = 'without a sandbox';

/** A sandbox was wanted and cannot be made. Whoever switched it off has chosen to go without. */
export function isFallback({ sandbox }: Pick<Policy, 'sandbox'>): boolean {
  return sandbox?.kind === 'host' && sandbox.fallback !== undefined;
}

/** A tool of a server may do anything, whatever it says it touches. */
export function permissionSubjects(
  { tool, accesses }: Pick<Request, 'tool' | 'accesses'>,
  { cwd, home }: Pick<Policy, 'cwd' | 'home'>,
): readonly Access[] {
  if (isMcpTool(tool)) {
    const looks = accesses.length > 0 && accesses.every((access) => access.looks);
    const free = accesses.length > 0 && accesses.every((access) => access.free);
    const unseen = accesses.find((access) => access.unseen !== undefined)?.unseen;
    const said = { ...(looks && { looks }), ...(free && { free }), ...(unseen !== undefined && { unseen }) };
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

/** `~/notes` as the hands will read it. */
function underHome(access: FileAccess, home: string): FileAccess {
  return { ...access, target: access.target.replace(/^~(?=[/\\]|$)/, () => home) };
}

export function reachOf(access: FileAccess, policy: Policy): Reach {
  return policy.reach(asWritten(access.target, policy.cwd), access.kind, access);
}

/** A command that runs in another folder is judged as the line that goes there first. */
function withFolder(access: Access, accesses: readonly Access[], cwd: string): Access {
  const folder = accesses.find(({ kind }) => kind === 'read')?.target;
  if (folder === undefined || path.resolve(cwd, folder) === path.resolve(cwd)) return access;
  return { ...access, target: `cd '${folder.replaceAll("'", "'\\''")}' && ${access.target}` };
}

/** Where a path leads, with the real working directory; null where that is the place it names. */
export function realPlace(access: Access, policy: Policy): { target: string; cwd: string } | null {
  const named = path.resolve(policy.cwd);
  const written = path.resolve(named, access.target);
  const real = realOf(access, policy);
  const cwd = policy.realOf(named);
  if (real === null || cwd === null) return null;
  return path.relative(cwd, real) === path.relative(named, written) ? null : { target: real, cwd };
}

function realOf(access: Access, policy: Policy): string | null {
  if (!access.itself || !isFileAccess(access)) return policy.realOf(asWritten(access.target, policy.cwd));
  const reach = reachOf(access, policy);
  return reach.type === 'closed' ? null : reach.real;
}
