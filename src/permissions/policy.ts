import path from 'node:path';
import type { Access, Judgement, Permission, PermissionMode } from '../contract/permission.ts';
import type { SandboxState } from '../contract/sandbox.ts';
import { asWritten, isMcpTool } from './pattern.ts';
import type { Place } from './shell/look.ts';

/** What is to be judged: a tool call, and what it would touch. */
export type Request = { tool: string; accesses: readonly Access[]; input: unknown };

export type Policy = Pick<Place, 'home' | 'mayRead' | 'gitRuns' | 'shell'> & {
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
};

/** `by` names who spoke: a rule, a mode, a grant or the defaults. */
export type Evaluation = Judgement & { by: string };

/** Ends the `by` of a command that was allowed although the sandbox that was wanted is missing. */
export const WITHOUT_SANDBOX = 'without a sandbox';

/** A sandbox was wanted and cannot be made. Whoever switched it off has chosen to go without. */
export function isFallback({ sandbox }: Pick<Policy, 'sandbox'>): boolean {
  return sandbox?.kind === 'host' && sandbox.fallback !== undefined;
}

/**
 * For the judge of commands. Where nothing may be changed, or nothing stands around a command, a project's own scripts
 * are not trusted to only look.
 */
export function placeOf(policy: Policy): Place {
  const quiet = policy.mode === 'plan' || policy.mode === 'read-only';
  return { ...policy, trusted: policy.trusted && !quiet && !isFallback(policy) };
}

/** A tool of a server may do anything, whatever it says it touches. */
export function permissionSubjects(
  { tool, accesses }: Pick<Request, 'tool' | 'accesses'>,
  cwd: string,
): readonly Access[] {
  if (isMcpTool(tool)) {
    const looks = accesses.length > 0 && accesses.every((access) => access.looks);
    const free = accesses.length > 0 && accesses.every((access) => access.free);
    const unseen = accesses.find((access) => access.unseen !== undefined)?.unseen;
    const said = { ...(looks && { looks }), ...(free && { free }), ...(unseen !== undefined && { unseen }) };
    return [{ kind: 'execute', target: tool, ...said }];
  }
  return accesses.map((access) => (access.kind === 'execute' ? withFolder(access, accesses, cwd) : access));
}

/** A command that runs in another folder is judged as the line that goes there first. */
function withFolder(access: Access, accesses: readonly Access[], cwd: string): Access {
  const folder = accesses.find(({ kind }) => kind === 'read')?.target;
  if (folder === undefined || path.resolve(cwd, folder) === path.resolve(cwd)) return access;
  return { ...access, target: `cd '${folder.replaceAll("'", "'\\''")}' && ${access.target}` };
}

/** Where a path leads, with the real working directory; null where that is the place it names. */
export function realPlace({ target }: Access, policy: Policy): { target: string; cwd: string } | null {
  const named = path.resolve(policy.cwd);
  const written = path.resolve(named, target);
  const real = policy.realOf(asWritten(target, named));
  const cwd = policy.realOf(named);
  if (real === null || cwd === null) return null;
  return path.relative(cwd, real) === path.relative(named, written) ? null : { target: real, cwd };
}
