import type { Intent } from './intent.ts';

/** Our names for the tools of other assistants, and older names. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  Agent: 'Task',
  AskUserQuestion: 'AskUser',
  ExitPlanMode: 'PresentPlan',
  KillBash: 'KillShell',
  LS: 'List',
  LSP: 'Navigate',
  NotebookRead: 'Read',
  SlashCommand: 'Skill',
  TaskOutput: 'BashOutput',
  TaskStop: 'KillShell',
  TodoRead: 'Todo',
  TodoWrite: 'Todo',
};

/** Tools that a rule can name. `NotebookEdit` means writing notebooks with any tool. */
export const ruleTools: readonly string[] = [
  ...['Read', 'Edit', 'Write', 'MultiEdit', 'ApplyPatch', 'Delete', 'NotebookEdit'],
  ...['Glob', 'Grep', 'Search', 'List'],
  ...[
    'Bash',
    'BashOutput',
    'KillShell',
    'WebFetch',
    'WebSearch',
    'Todo',
    'AskUser',
    'Task',
    'Explore',
    'Recall',
  ],
  ...['Skill', 'PresentPlan', 'Diagnostics', 'Navigate', 'RenameSymbol'],
];

/** Every name that a rule may use for one of these tools. */
export const ruleNames: readonly string[] = [...ruleTools, ...Object.keys(OTHER_NAMES)];

/** Our name for a tool. */
export function toolNamed(name: string): string {
  return Object.hasOwn(OTHER_NAMES, name) ? (OTHER_NAMES[name] ?? name) : name;
}

/** The names of other assistants for a tool of ours. */
export function otherNamesOf(tool: string): string[] {
  return Object.entries(OTHER_NAMES).flatMap(([other, ours]) => (ours === tool ? [other] : []));
}

/** The name in a list of tools, where `Bash(git *)` stands for some uses of a tool. */
export function toolIn(word: string): string {
  return word.replace(/\([\s\S]*$/, '').trim();
}

/** The rules in a list of tools, without those for tools that it also names as a whole. */
export function usesOf(tools: readonly string[]): string[] {
  const whole = new Set(tools.filter((word) => !word.includes('(')).map(toolNamed));
  return tools.filter((word) => word.includes('(') && !whole.has(toolNamed(toolIn(word))));
}

/** MCP tools are called `server:tool`. */
export function isMcpTool(tool: string): boolean {
  return tool.includes(':');
}

/** `mcp:server:tool`, or `mcp__server__tool` as other assistants write it. */
export function isMcpRule(tool: string): boolean {
  return /^mcp(:|__)/.test(tool);
}

/**
 * Whether a rule names this MCP tool. An allow rule has to name the server, unless it is `mcp:*`; a
 * restricting one may have wildcards anywhere.
 */
export function matchesMcp(rule: string, tool: string, intent: Intent): boolean {
  const full = tool.replace(/^mcp:/, '');
  if (!rule.startsWith('mcp__')) return rule.startsWith('mcp:') && matchesColons(rule.slice(4), full);
  const server = `mcp__${wireName(full.slice(0, full.indexOf(':')))}`;
  const name = wireNameOf(full);
  const wanted = rule.replace(/__$/, '');
  if (intent === 'restrict') return globOf(wanted).test(name) || globOf(`${wanted}__*`).test(name);
  return wanted === server || (wanted.startsWith(`${server}__`) && globOf(wanted).test(name));
}

/** Whether a rule names a tool of this MCP server, or all of them. */
export function namesServer(rule: string, server: string): boolean {
  if (rule === 'mcp:*' || rule === `mcp:${server}` || rule.startsWith(`mcp:${server}:`)) return true;
  const wire = `mcp__${wireName(server)}`;
  return rule === wire || rule.startsWith(`${wire}__`);
}

/** `*` matches any characters. */
export function globOf(text: string): RegExp {
  const parts = text.split('*').map((part) => part.replace(/[\\^$.+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('[\\s\\S]*')}$`);
}

function matchesColons(wanted: string, full: string): boolean {
  if (wanted === '*') return true;
  if (!wanted.includes(':')) return full.startsWith(`${wanted}:`);
  return wanted.endsWith(':*') ? full.startsWith(wanted.slice(0, -1)) : full === wanted;
}

/** The name that other assistants use for the tool `server:tool`. */
export function wireNameOf(tool: string): string {
  const at = tool.indexOf(':');
  return `mcp__${wireName(tool.slice(0, at))}__${wireName(tool.slice(at + 1))}`;
}

/** Names as other assistants send them to the model. */
function wireName(name: string): string {
  return name.replace(/[^\w-]/g, '_');
}
