import path from 'node:path';
import type { Access } from '../contract/permission.ts';
import { parseRule } from '../contract/rule-syntax.ts';
import { isObject } from '../lib/text/json.ts';
import { matchesEveryCommand, matchesSomeCommand } from './command-pattern.ts';
import { matchesAddress, matchesSearch } from './pattern/address-rule.ts';
import type { Intent } from './pattern/intent.ts';
import { holdsPlace, pathMatcher, type RulePlace } from './pattern/path-rule.ts';
import { globOf, isMcpRule, isMcpTool, matchesMcp, toolNamed } from './pattern/tool-names.ts';

/**
 * A rule as users write it: `Tool` or `Tool(specifier)`, in our syntax or that of Claude Code.
 *
 * - `Read` and `Edit` name the kind of access, whatever the tool: `Edit(src/**)` covers Write and MultiEdit
 *   too, and `Read(src/**)` covers Grep and Glob. `Task` means any subagent, `NotebookEdit` writing notebooks.
 *   Any other name means that tool alone.
 * - A specifier is a command line for Bash, a path pattern for files, an address or `domain:name` for
 *   WebFetch, `domain:name` for WebSearch, the name of a subagent for Task, of a skill for Skill.
 * - `mcp:server:tool`, `mcp:server:*` and `mcp:*` name tools of MCP servers, as do `mcp__server__tool`,
 *   `mcp__server` and `mcp__server__*`.
 *
 * `tool` is our name for the tool. Where a rule has two meanings, one that allows has the narrower and one
 * that restricts has both.
 */
export type Pattern = { source: string; tool: string; specifier: string | null };

export type Subject = RulePlace & { tool: string; access: Access; isInside(file: string): boolean };

export function parsePattern(source: string): Pattern {
  const { text, name, specifier } = parseRule(source);
  const isWhole = specifier === null || (name === 'Bash' && specifier === ':*');
  return { source: text, tool: toolNamed(name), specifier: isWhole ? null : specifier };
}

/** A remembered answer: a path with a single slash is absolute. */
export function parseGrant(pattern: string): Pattern {
  return { ...parsePattern(grantText(pattern)), source: pattern };
}

/** The one spelling of a remembered answer. */
export function grantText(pattern: string): string {
  return pattern.replace(/^((?:Read|Edit)\()\/(?=[^/])/, '$1//');
}

export function matchesAccess(pattern: Pattern, subject: Subject, intent: Intent): boolean {
  const { tool, access } = subject;
  if (isMcpTool(tool)) return coversMcp(pattern, tool, intent);
  if (!namesTool(pattern.tool, subject, intent)) return false;
  const { specifier } = pattern;
  if (isMcpRule(pattern.tool)) return false;
  switch (access.kind) {
    case 'read':
    case 'write':
      return matchesPath(specifier, subject, intent);
    case 'execute':
      if (specifier === null) return true;
      return intent === 'allow'
        ? matchesEveryCommand(specifier, access.target)
        : matchesSomeCommand(specifier, access.target);
    case 'fetch':
      return specifier === null || matchesAddress(specifier, access.target, intent);
    case 'search':
      return specifier === null || matchesSearch(specifier, access.domain, intent);
    case 'delegate':
      return specifier === null || agentGlob(specifier).test(access.target.toLowerCase());
    default:
      access.kind satisfies never;
      return false;
  }
}

/** Whether a restricting rule names a call that accesses nothing. */
export function restrictsCall({ tool: name, specifier }: Pattern, tool: string, input: unknown): boolean {
  if (!globOf(name).test(tool)) return false;
  const skill = tool === 'Skill' && isObject(input) ? input.name : undefined;
  if (specifier === null || typeof skill !== 'string') return true;
  const wanted = specifier.replace(/^\//, '').replace(/(:| )\*$/, '');
  return globOf(wanted.toLowerCase()).test(skill.trim().toLowerCase());
}

/** Absolute, with `..` kept: behind a symlink it resolves elsewhere than by name. */
export function asWritten(target: string, cwd: string): string {
  return path.isAbsolute(target) ? target : `${path.resolve(cwd)}/${target}`;
}

function namesTool(name: string, { tool, access }: Subject, intent: Intent): boolean {
  if (name === tool) return true;
  if (name.includes('*')) return intent === 'restrict' && globOf(name).test(tool);
  switch (name) {
    case 'Edit':
      return access.kind === 'write';
    case 'NotebookEdit':
      return access.kind === 'write' && /\.ipynb$/i.test(access.target);
    case 'Read':
      return access.kind === 'read';
    case 'Task':
      return access.kind === 'delegate';
    default:
      return false;
  }
}

/** Parentheses mean nothing for a tool of a server: a rule that allows does not apply then. */
function coversMcp({ tool: rule, specifier }: Pattern, tool: string, intent: Intent): boolean {
  if (intent === 'restrict') return rule === '*' || matchesMcp(rule, tool, intent);
  return specifier === null && matchesMcp(rule, tool, intent);
}

/** The name of a subagent; `general-purpose` is how Claude Code calls `general`. */
function agentGlob(specifier: string): RegExp {
  const name = specifier.trim().toLowerCase();
  return globOf(name === 'general-purpose' ? 'general' : name);
}

/** Without a specifier, an allow rule applies only within the opened folders. */
function matchesPath(specifier: string | null, subject: Subject, intent: Intent): boolean {
  const { tool, access, cwd } = subject;
  const absolute = path.resolve(cwd, access.target);
  if (specifier === null) return intent === 'restrict' || subject.isInside(asWritten(access.target, cwd));
  if (pathMatcher(specifier, subject, intent)(absolute)) return true;
  // Deleting a folder also deletes what the rule is about.
  return intent === 'restrict' && tool === 'Delete' && holdsPlace(absolute, specifier, subject);
}

/** Whether these rules forbid reading a real path, whatever tool reads it. */
export function readingDenier(deny: readonly string[], place: RulePlace): (real: string) => boolean {
  const matchers = deny
    .map(parsePattern)
    .filter(({ tool }) => tool === 'Read' || tool === '*')
    .map(({ specifier }) => (specifier === null ? () => true : pathMatcher(specifier, place, 'restrict')));
  return (real) => matchers.some((matches) => matches(real));
}
