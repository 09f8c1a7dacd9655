import path from 'node:path';
import type { Access } from '../contract/permission.ts';
import { escapeCommand } from './command-pattern.ts';
import { absoluteRule, escapePath } from './pattern/path-rule.ts';
import { isMcpTool } from './pattern/tool-names.ts';

/** The narrowest rule that covers what the user was just shown: this command, this file, this address. */
export function suggestPattern(tool: string, access: Access, cwd: string): string {
  if (isMcpTool(tool)) return `mcp:${tool.replace(/^mcp:/, '')}`;
  switch (access.kind) {
    case 'execute':
      return `${tool}(${escapeCommand(access.target)})`;
    case 'read':
    case 'write':
      return `${access.kind === 'read' ? 'Read' : 'Edit'}(${escapePath(shortest(access.target, cwd))})`;
    case 'search':
      return access.domain === undefined ? tool : `${tool}(domain:${access.domain})`;
    case 'fetch':
    case 'delegate':
      return `${tool}(${access.target})`;
    default:
      access.kind satisfies never;
      return tool;
  }
}

/**
 * Relative to the working directory if inside it; with a leading `./` for names that a rule cannot start
 * with.
 */
function shortest(file: string, cwd: string): string {
  const absolute = path.resolve(cwd, file);
  const relative = path.relative(cwd, absolute);
  const isOutside = /^\.\.([/\\]|$)/.test(relative) || path.isAbsolute(relative);
  const chosen = isOutside ? absolute : relative || '.';
  const slashed = path.sep === '\\' ? chosen.replaceAll('\\', '/') : chosen;
  if (isOutside) return absoluteRule(slashed, cwd);
  return slashed.startsWith('~') || slashed.trim() === '' ? `./${slashed}` : slashed;
}
