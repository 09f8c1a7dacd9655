import path from 'node:path';
import picomatch from 'picomatch';
import { UserError } from '../contract/errors.ts';
import type { Access } from '../contract/permission.ts';
import { isInside } from '../lib/paths/inside.ts';
import { matchesEveryCommand, matchesSomeCommand } from './command-pattern.ts';

/**
 * A rule as users write it: `Tool` or `Tool(specifier)`.
 *
 * - `Read` and `Edit` name the kind of access, whatever the tool: `Edit(src/**)` covers Write and MultiEdit
 *   too, and `Read(src/**)` covers Grep and Glob. Any other name means that tool alone.
 * - A specifier is a command line for Bash, a path pattern for files, an address or `domain:name` for the
 *   web, the name of a subagent for Task.
 * - `mcp:server:tool`, `mcp:server:*` and `mcp:*` name tools of MCP servers.
 */
export type Pattern = { source: string; tool: string; specifier: string | null };

/** An allow pattern must cover everything; a restricting one applies if it matches anything. */
export type Intent = 'allow' | 'restrict';

export type Subject = { tool: string; access: Access; cwd: string; isInside(file: string): boolean };

const SYNTAX = /^([A-Za-z][\w-]*)(?:\(([\s\S]*)\))?$/;
const MCP_SYNTAX = /^mcp:(\*|[^\s():*]+(:(\*|[^\s()*]+))?)$/;
const EXAMPLES =
  'Examples: Bash(git log *), Read(src/**), Edit(docs/*.md), WebFetch(domain:nodejs.org), mcp:github:*.';

export function parsePattern(source: string): Pattern {
  const text = source.trim();
  if (MCP_SYNTAX.test(text)) return { source: text, tool: text, specifier: null };
  const [, tool, specifier] = SYNTAX.exec(text) ?? [];
  if (tool === undefined) throw new UserError(`"${source}" is not a permission rule.`, EXAMPLES);
  if (specifier?.trim() === '') {
    throw new UserError(
      `The rule "${source}" has empty parentheses.`,
      `${EXAMPLES} Use ${tool} alone to match everything.`,
    );
  }
  if (specifier?.startsWith('~') && tool !== 'Bash') {
    throw new UserError(
      `The rule "${source}" starts with a home folder.`,
      'Use an absolute path, or one relative to the project.',
    );
  }
  return { source: text, tool, specifier: specifier ?? null };
}

export function matchesAccess(pattern: Pattern, subject: Subject, intent: Intent): boolean {
  const { tool, access } = subject;
  if (isMcpTool(tool)) return matchesMcp(pattern.tool, tool);
  if (!namesTool(pattern.tool, subject)) return false;
  switch (access.kind) {
    case 'read':
    case 'write':
      return matchesPath(pattern.specifier, subject, intent);
    case 'execute':
      if (pattern.specifier === null) return true;
      return intent === 'allow'
        ? matchesEveryCommand(pattern.specifier, access.target)
        : matchesSomeCommand(pattern.specifier, access.target);
    case 'fetch':
      return pattern.specifier === null || matchesAddress(pattern.specifier, access.target);
    case 'delegate':
      return pattern.specifier === null || pattern.specifier === access.target;
    default:
      access.kind satisfies never;
      return false;
  }
}

/** Absolute, with `..` kept: behind a symlink it resolves elsewhere than by name. */
export function asWritten(target: string, cwd: string): string {
  return path.isAbsolute(target) ? target : `${path.resolve(cwd)}/${target}`;
}

/** MCP tools are called `server:tool`. */
export function isMcpTool(tool: string): boolean {
  return tool.includes(':');
}

/** Escapes wildcards, so that the pattern matches only this text. */
export function escapePath(file: string): string {
  return file.replace(/[\\*?[\]{}()!+@|]/g, '\\$&');
}

function namesTool(name: string, { tool, access }: Subject): boolean {
  if (name === tool) return true;
  return (name === 'Edit' && access.kind === 'write') || (name === 'Read' && access.kind === 'read');
}

function matchesMcp(pattern: string, tool: string): boolean {
  if (!pattern.startsWith('mcp:')) return false;
  const wanted = pattern.slice('mcp:'.length);
  const full = tool.replace(/^mcp:/, '');
  if (wanted === '*') return true;
  if (!wanted.includes(':')) return full.startsWith(`${wanted}:`);
  return wanted.endsWith(':*') ? full.startsWith(wanted.slice(0, -1)) : full === wanted;
}

/** Whether one of these rules names a tool of this MCP server, or all of them. */
export function namesServer(rules: readonly string[], server: string): boolean {
  return rules.some((rule) => {
    const { tool } = parsePattern(rule);
    return tool === 'mcp:*' || tool === `mcp:${server}` || tool.startsWith(`mcp:${server}:`);
  });
}

/** Without a specifier, an allow rule applies only within the opened folders. */
function matchesPath(specifier: string | null, subject: Subject, intent: Intent): boolean {
  const { tool, access, cwd } = subject;
  const absolute = path.resolve(cwd, access.target);
  if (specifier === null) return intent === 'restrict' || subject.isInside(asWritten(access.target, cwd));
  if (pathMatcher(specifier, cwd)(absolute)) return true;
  // Deleting a folder also deletes what the rule is about.
  return intent === 'restrict' && tool === 'Delete' && isInside(absolute, placeOf(specifier, cwd));
}

/** Whether these rules forbid reading a real path, whatever tool reads it. */
export function readingDenier(deny: readonly string[], cwd: string): (real: string) => boolean {
  const matchers = deny
    .map(parsePattern)
    .filter(({ tool }) => tool === 'Read')
    .map(({ specifier }) => (specifier === null ? () => true : pathMatcher(specifier, cwd)));
  return (real) => matchers.some((matches) => matches(real));
}

function pathMatcher(specifier: string, cwd: string): (absolute: string) => boolean {
  const isAbsolute = path.isAbsolute(specifier);
  const from = (absolute: string) => slashed(isAbsolute ? absolute : path.relative(cwd, absolute));
  const wanted = specifier.replace(/^(\.\/)+(?!$)/, '').replace(/(.)\/$/, '$1');
  const exact = wanted.replace(/\\(.)/g, '$1');
  if (escapePath(exact) === wanted || !MAGIC.test(wanted))
    return (absolute) => isUnder(exact, from(absolute));
  const matches = picomatch(wanted, { dot: true, nonegate: true, windows: false });
  return (absolute) => matches(from(absolute));
}

const MAGIC = /[*?[{(!]/;

/** The folder of a pattern: everything before its first wildcard. */
function placeOf(specifier: string, cwd: string): string {
  const segments = specifier.split('/');
  const firstMagic = segments.findIndex((segment) => MAGIC.test(segment));
  const plain = firstMagic === -1 ? segments : segments.slice(0, firstMagic);
  return path.resolve(cwd, path.isAbsolute(specifier) ? `/${plain.join('/')}` : plain.join('/'));
}

/** A name without wildcards means the file, or the folder with all its contents. */
function isUnder(place: string, target: string): boolean {
  if (place === '.') return !/^\.\.(\/|$)/.test(target);
  return target === place || target.startsWith(place.endsWith('/') ? place : `${place}/`);
}

/** `domain:` includes subdomains; anything else is one exact address. */
function matchesAddress(specifier: string, target: string): boolean {
  if (!specifier.startsWith('domain:')) return specifier === target;
  const domain = specifier.slice('domain:'.length).toLowerCase();
  const host = URL.canParse(target) ? new URL(target).hostname.toLowerCase() : '';
  return host === domain || host.endsWith(`.${domain}`);
}

function slashed(file: string): string {
  return path.sep === '\\' ? file.replaceAll('\\', '/') : file;
}
