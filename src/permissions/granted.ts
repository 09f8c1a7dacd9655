import path from 'node:path';
import type { Access, Permission } from '../contract/permission.ts';
import { isInside } from '../lib/paths/inside.ts';
import { absoluteRule, escapePath } from './pattern/path-rule.ts';
import { isMcpTool } from './pattern/tool-names.ts';
import { parsePattern } from './pattern.ts';
import { type Policy, realPlace } from './policy.ts';
import { suggestPattern } from './suggest.ts';

/**
 * What a remembered yes covers: exactly this command, this file by its real path, this address, or searches of
 * this domain, or of any. Null if it
 * cannot be that exact: an MCP tool with some input, a command outside the sandbox.
 */
export function grantFor(tool: string, access: Access, policy: Policy): string | null {
  if (isMcpTool(tool) || access.unconfined || access.holdsSecret || access.target.trim() === '') return null;
  if (access.kind !== 'read' && access.kind !== 'write') return suggestPattern(tool, access, policy.cwd);
  const { target, cwd } = realPlace(access, policy) ?? { target: access.target, cwd: policy.cwd };
  return suggestPattern(tool, { ...access, target }, cwd);
}

/**
 * The folder of a path outside the working directory; null if that would open far more than was asked about.
 */
export function folderGrant(
  { real, isFolder }: { real: string; isFolder: boolean },
  { cwd, home, realOf }: Pick<Policy, 'cwd' | 'home' | 'realOf'>,
): string | null {
  const folder = isFolder ? real : path.dirname(real);
  const holds = (file: string) => isInside(folder, realOf(file) ?? file);
  const isTopmost = path.dirname(path.dirname(folder)) === path.dirname(folder);
  if (isTopmost || holds(cwd) || (home !== undefined && holds(home))) return null;
  const slashed = path.sep === '\\' ? folder.replaceAll('\\', '/') : folder;
  return `Read(${escapePath(absoluteRule(slashed, cwd))}/**)`;
}

/** The "always" answers in the settings as grants. */
export function grantedAlways(granted: Readonly<Record<string, string>>): Permission[] {
  return Object.entries(granted).map(([pattern, grantedAt]) => ({
    type: kindOf(parsePattern(pattern).tool),
    pattern,
    action: 'allow',
    scope: 'always',
    grantedAt,
  }));
}

/**
 * Grants use the format of suggested rules: files under Read and Edit, everything else under the tool's own
 * name.
 */
export function kindOf(tool: string): Access['kind'] {
  if (tool === 'Read') return 'read';
  if (tool === 'Edit') return 'write';
  if (tool === 'Task' || tool === 'Explore') return 'delegate';
  if (tool === 'WebSearch') return 'search';
  return tool === 'WebFetch' ? 'fetch' : 'execute';
}
