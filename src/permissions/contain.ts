import type { PermissionMode } from '../contract/permission.ts';
import type { SandboxState } from '../contract/sandbox.ts';
import { isMcpRule } from './pattern/tool-names.ts';
import { parsePattern } from './pattern.ts';
import type { Policy } from './policy.ts';

/**
 * Why the sandbox makes asking about a command unnecessary, or null. A contained command cannot do anything
 * that the mode, or a rule, would ask about.
 */
export function containedBecause(policy: Policy): string | null {
  const { sandbox, mode } = policy;
  if (sandbox === null || sandbox.kind === 'host' || sandbox.level === 'permissive') return null;
  if (sandbox.network === 'open' || policy.requireApprovalForReads) return null;
  if (!isSealed(sandbox) && !mayWrite(mode, policy.sandboxAutoApprove)) return null;
  return hasUnseenRule(policy, sandbox) ? null : `sandboxed with ${sandbox.kind}: ${wallsOf(sandbox)}`;
}

/** In a sealed sandbox any command is read-only. */
function isSealed({ level, network }: SandboxState): boolean {
  return level === 'strict' && network === 'none';
}

function mayWrite(mode: PermissionMode, autoApprove: boolean): boolean {
  switch (mode) {
    case 'accept-edits':
    case 'auto':
      return true;
    case 'default':
      return autoApprove;
    case 'plan':
    case 'read-only':
      return false;
    default:
      return mode satisfies never;
  }
}

/**
 * Rules for files and addresses apply to tools; they do not apply to what a program opens inside the sandbox.
 */
function hasUnseenRule({ rules }: Policy, { level, network }: SandboxState): boolean {
  return [...rules.deny, ...rules.ask].map(parsePattern).some(({ tool }) => {
    if (WRITING.has(tool)) return level !== 'strict';
    if (tool === 'WebFetch') return network !== 'none';
    return READING.has(tool) || (tool.includes('*') && !isMcpRule(tool));
  });
}

const WRITING: ReadonlySet<string> = new Set([
  'Edit',
  'MultiEdit',
  'Write',
  'Delete',
  'NotebookEdit',
  'RenameSymbol',
]);
const READING: ReadonlySet<string> = new Set([
  'Read',
  'Glob',
  'Grep',
  'Search',
  'List',
  'Diagnostics',
  'Navigate',
]);

function wallsOf({ level, network }: SandboxState): string {
  const net = network === 'none' ? 'no network' : 'allowed hosts only';
  return level === 'strict' ? `cannot write files, ${net}` : `can write only in this folder, ${net}`;
}
