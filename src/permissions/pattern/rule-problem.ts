import path from 'node:path';
import type { RuleList } from '../../contract/permission.ts';
import { nearest } from '../../lib/text/nearest.ts';
import { type Pattern, parsePattern } from '../pattern.ts';
import { domainOf, hostOf } from './address-rule.ts';
import { isMachinePath, type RulePlace } from './path-rule.ts';
import { isMcpRule, ruleNames, ruleTools } from './tool-names.ts';

/** A rule with the place it was written at. */
export type PlacedRule = { verdict: RuleList; rule: string; place: string };

type Verdict = PlacedRule['verdict'];

/** A rule that lets something happen has to name it; one that restricts may be vague. */
const permits = (verdict: Verdict): boolean => verdict === 'allow' || verdict === 'trust';

/** Where the rules apply. */
export type RuleWorld = RulePlace & {
  /** The MCP servers that are set up. */
  servers: readonly string[];
  exists(file: string): boolean;
};

/** Tools of Claude Code without a counterpart here, and what to write instead. */
const NOT_HERE: Readonly<Record<string, string>> = {
  EnterPlanMode: 'Use /plan or --mode plan.',
  EnterWorktree: 'Use --worktree.',
  ExitWorktree: 'Use --worktree.',
  ListMcpResourcesTool: 'Name the server instead, as in mcp:github:*.',
  Monitor: 'Remove it.',
  PowerShell: 'Rules for Bash apply to every shell.',
  ReadMcpResourceTool: 'Name the server instead, as in mcp:github:*.',
  SendMessage: 'Remove it.',
  ToolSearch: 'Remove it.',
};
/** Whether a tool has this name, here or in Claude Code. */
export function isToolName(name: string): boolean {
  return ruleNames.includes(name) || Object.hasOwn(NOT_HERE, name);
}

const TAKES_NOTHING: ReadonlySet<string> = new Set([
  'AskUser',
  'BashOutput',
  'KillShell',
  'PresentPlan',
  'Recall',
  'Todo',
]);
const PATHS: ReadonlySet<string> = new Set([
  ...['Read', 'Edit', 'Write', 'MultiEdit', 'Delete', 'NotebookEdit', 'Glob', 'Grep', 'Search', 'List'],
  ...['Diagnostics', 'Navigate', 'RenameSymbol'],
]);
/** Inputs of tools, which Claude Code lets rules name. */
const INPUT =
  /^(command|description|file_path|isolation|model|path|pattern|prompt|run_in_background|subagent_type|timeout|url):\s*(.*)$/s;

/**
 * `restrictsNothing`: the author meant to restrict something, and what they wrote never does. `isMisspelt`: because of a name
 * that is nearly one of a tool or server; other unknown names may exist elsewhere.
 */
export type RuleProblem = { text: string; restrictsNothing: boolean; isMisspelt: boolean };

/** What is wrong with a rule, after its name. An object if it never applies, whatever its list. */
type Fault = string | { text: string; isMisspelt: boolean };

const never = (text: string): Fault => ({ text, isMisspelt: false });
const misspelt = (text: string): Fault => ({ text, isMisspelt: true });

/**
 * What is wrong with a rule that names no tool, or can never match as its author meant it: one sentence, and
 * one that says what to write. Null if nothing is. Throws if it is not a rule at all.
 */
export function ruleProblem({ verdict, rule, place }: PlacedRule, world: RuleWorld): RuleProblem | null {
  const pattern = parsePattern(rule);
  const fault = isMcpRule(pattern.tool)
    ? mcpProblem(pattern, verdict, world)
    : toolProblem(pattern, verdict, world);
  if (fault === null) return null;
  const { text, isMisspelt } = typeof fault === 'string' ? { text: fault, isMisspelt: false } : fault;
  return {
    text: `${place}: the ${verdict} rule ${pattern.source} ${text}`,
    restrictsNothing: typeof fault !== 'string' && !permits(verdict),
    isMisspelt,
  };
}

function mcpProblem(
  { tool: rule, specifier }: Pattern,
  verdict: Verdict,
  { servers }: RuleWorld,
): Fault | null {
  if (specifier !== null) {
    const effect = permits(verdict) ? 'never applies' : `applies to all of ${rule}`;
    return `${effect}: rules for MCP tools take no parentheses. Write ${rule}.`;
  }
  if (permits(verdict) && /^mcp__(?!.+?__)[^*]*\*/.test(rule))
    return 'never applies: it must name the server, as in mcp__github__*. Write mcp:* to allow every server.';
  const server = /^mcp(?::|__)(.+?)(?::|__|$)/.exec(rule)?.[1] ?? '*';
  const meant = server.includes('*') || servers.includes(server) ? null : nearest(server, servers);
  return meant === null
    ? null
    : misspelt(`names no MCP server that is set up. Did you mean ${rule.replace(server, () => meant)}?`);
}

function toolProblem(pattern: Pattern, verdict: Verdict, world: RuleWorld): Fault | null {
  const name = nameIn(pattern);
  if (name.includes('*'))
    return permits(verdict) ? 'never applies: it must name a tool. Write Bash, Edit or mcp:*.' : null;
  if (Object.hasOwn(NOT_HERE, name)) return `has no effect: there is no tool ${name} here. ${NOT_HERE[name]}`;
  if (!isToolName(name)) {
    const meant = nearest(name, ruleNames);
    const rest = pattern.source.slice(name.length);
    const next = meant === null ? `Known tools: ${ruleTools.join(', ')}.` : `Did you mean ${meant}${rest}?`;
    return (meant === null ? never : misspelt)(`names no known tool and ${EFFECT[verdict]}. ${next}`);
  }
  return pattern.specifier === null ? null : specifierProblem(pattern, verdict, world);
}

const EFFECT = {
  allow: 'allows nothing',
  ask: 'asks about nothing',
  deny: 'denies nothing',
  trust: 'trusts nothing',
} as const;

/** The tool as the rule names it. */
function nameIn({ source }: Pattern): string {
  return source.split('(')[0] ?? source;
}

function specifierProblem(pattern: Pattern, verdict: Verdict, world: RuleWorld): Fault | null {
  const { tool } = pattern;
  const specifier = pattern.specifier ?? '';
  const name = nameIn(pattern);
  const isAllow = permits(verdict);
  if (TAKES_NOTHING.has(tool))
    return `${isAllow ? 'never applies' : 'applies to every call'}: ${name} takes no parentheses. Write ${name}.`;
  const [, input, value = ''] = INPUT.exec(specifier) ?? [];
  if (input !== undefined && !(tool === 'Task' && value === '')) {
    const instead = /^(model|isolation|run_in_background|timeout|description|prompt)$/.test(input)
      ? `Write ${name}, or name what it may do.`
      : `Write ${name}(${tool === 'WebFetch' ? `domain:${hostOf(value) ?? value}` : value}).`;
    return never(`never applies: rules cannot name the input ${input}. ${instead}`);
  }
  if (tool === 'Bash') return commandProblem(specifier, isAllow);
  if (tool === 'WebFetch') return addressProblem(specifier, isAllow);
  if (tool === 'WebSearch') return searchProblem(specifier, isAllow);
  return PATHS.has(tool) ? pathProblem(pattern, isAllow, world) : null;
}

function commandProblem(specifier: string, isAllow: boolean): string | null {
  if (/:\*./.test(specifier)) {
    const effect = isAllow ? 'never applies' : 'may not match what you mean';
    return `${effect}: :* works only at the end. Write Bash(${specifier.replaceAll(':*', ' *')}).`;
  }
  if (!isAllow || !specifier.includes('*')) return null;
  if (/[;&|<>$`\n]/.test(specifier))
    return 'never applies: a rule with * covers one command. Write a rule for each command of the line.';
  const [, program] = /^([^\s*:]+)\*/.exec(specifier) ?? [];
  return program === undefined
    ? null
    : `never applies: the name of the program must be complete. Write Bash(${program} *).`;
}

function addressProblem(specifier: string, isAllow: boolean): string | null {
  const domain = domainOf(specifier);
  const host = hostOf(domain ?? specifier);
  if (domain !== null) {
    if (domain === host || domain === '*' || /^[^/*]+:\d+$/.test(domain)) return null;
    if (/^\*\.[^*/:]+$/.test(domain)) return null;
    return host === null || host.includes('*')
      ? 'names no domain. Write WebFetch(domain:example.com) or WebFetch(domain:*.example.com).'
      : `${isAllow ? 'never applies' : 'applies to the whole domain'}: a domain has no path. Write WebFetch(domain:${host}).`;
  }
  if (/^https?:\/\//.test(specifier) && (!specifier.includes('*') || !isAllow)) return null;
  const effect = isAllow ? 'never applies: it is not an address' : 'is read as a domain';
  return host === null || host.includes('*')
    ? `${effect}. Write WebFetch(domain:example.com).`
    : `${effect}. Write WebFetch(domain:${host}).`;
}

/** A search has a query, which rules cannot name, and may have domains. */
function searchProblem(specifier: string, isAllow: boolean): Fault | null {
  const domain = domainOf(specifier);
  const host = hostOf(domain ?? specifier);
  if (domain !== null && (domain === host || domain === '*' || /^\*\.[^*/:]+$/.test(domain))) return null;
  const meant = host !== null && /^[^*\s]+\.[^*\s.]+$/.test(host) ? host : 'example.com';
  const instead = `rules for WebSearch name a domain. Write WebSearch(domain:${meant}), or WebSearch for all searches.`;
  if (isAllow || meant !== host) return never(`never applies: ${instead}`);
  return `is read as a domain: ${instead}`;
}

function pathProblem(pattern: Pattern, isAllow: boolean, world: RuleWorld): Fault | null {
  const specifier = pattern.specifier ?? '';
  const name = nameIn(pattern);
  if (specifier.endsWith(':*')) {
    const effect = isAllow ? 'never applies' : 'is read as a name that starts so';
    return `${effect}: :* is for commands. Write ${name}(${specifier.slice(0, -2)}*).`;
  }
  if (specifier.startsWith('!'))
    return never(
      `${isAllow ? 'never applies' : 'restricts nothing'}: rules cannot exclude paths. Put ${name}(${specifier.slice(1)}) into another list.`,
    );
  const [first] = /^\/[^/*?[{(!]+/.exec(specifier) ?? [];
  if (!isAllow || first === undefined || isMachinePath(specifier, world)) return null;
  if (world.exists(path.join(world.root ?? world.cwd, first)) || !world.exists(first)) return null;
  return `is relative to the project, where there is no ${first}. Write ${name}(/${specifier}) for an absolute path.`;
}
