import type { Access, Permission } from '../contract/permission.ts';
import { isMcpTool, parsePattern } from './pattern.ts';
import { type Policy, realPlace } from './policy.ts';
import { suggestPattern } from './suggest.ts';

/**
 * The one thing a remembered yes covers: this command to the letter, this very file by its real path, this address.
 * Null for what cannot be told so exactly: the tool of a server with some input, a command outside the sandbox.
 */
export function grantFor(tool: string, access: Access, policy: Policy): string | null {
  if (isMcpTool(tool) || access.unconfined || access.holdsSecret || access.target.trim() === '') return null;
  if (access.kind !== 'read' && access.kind !== 'write') return suggestPattern(tool, access, policy.cwd);
  const { target, cwd } = realPlace(access, policy) ?? { target: access.target, cwd: policy.cwd };
  return suggestPattern(tool, { ...access, target }, cwd);
}

/** What the settings keep of "always" answers, as grants again. */
export function grantedAlways(granted: Readonly<Record<string, string>>): Permission[] {
  return Object.entries(granted).map(([pattern, grantedAt]) => ({
    type: kindOf(parsePattern(pattern).tool),
    pattern,
    action: 'allow',
    scope: 'always',
    grantedAt,
  }));
}

/** Grants are written as rules are suggested: files under Read and Edit, all else under the tool's own name. */
function kindOf(tool: string): Access['kind'] {
  if (tool === 'Read') return 'read';
  if (tool === 'Edit') return 'write';
  if (tool === 'Task' || tool === 'Explore') return 'delegate';
  return tool === 'WebFetch' ? 'fetch' : 'execute';
}
