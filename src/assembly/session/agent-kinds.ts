import type { AgentDefinition } from '../../config/agents.ts';
import { PermissionDeniedError } from '../../contract/errors.ts';
import type { CallLimits } from '../../contract/permission.ts';
import type { ToolContext } from '../../contract/tool.ts';
import { didYouMean } from '../../lib/text/nearest.ts';
import type { Intent } from '../../permissions/pattern/intent.ts';
import {
  isMcpRule,
  isMcpTool,
  matchesMcp,
  toolIn,
  toolNamed,
  usesOf,
} from '../../permissions/pattern/tool-names.ts';
import { EXPLORE, explore } from '../../tools/explore.ts';
import { presentPlan } from '../../tools/present-plan.ts';
import { createTask, GENERAL } from '../../tools/task.ts';

/** A subagent that can be started. */
export type AgentKind = AgentDefinition & {
  /** Has no tool that changes anything. */
  readOnly?: true;
  /** A cheaper model is good enough. */
  cheap?: true;
};

export const REVIEW = 'review';

/** Tools that only read within the folders the user opened. */
const READ_ONLY_TOOLS = ['Read', 'Glob', 'Grep', 'Search', 'List'];

const ROLE = `You are a subagent: another agent has handed you one task, and it reads your last answer and nothing else of what you write. Do the task with the tools you have, and no more than the task. Then answer with all that agent needs: what you found or did, with path:line, what you checked, and what you did not check or could not do.`;

const BUILT_IN: readonly AgentKind[] = [
  { name: GENERAL, description: 'any task', prompt: '' },
  {
    name: EXPLORE,
    description: 'read-only',
    prompt:
      'You are read-only: you have no tool that changes anything. Search widely first, then read what matters. Name files with line numbers, and quote the few lines that prove what you say.',
    tools: READ_ONLY_TOOLS,
    readOnly: true,
    cheap: true,
  },
  {
    name: REVIEW,
    description: 'reviews changes',
    prompt:
      'You review changes and change nothing yourself. Read what surrounds them before you judge. Report what is wrong and matters: bugs, broken cases, security, data loss, tests that are missing or cannot fail. The most serious comes first; for each say the file and line, what happens, and how to fix it. Leave out praise and matters of taste. If nothing is wrong, say so in one sentence.',
    tools: READ_ONLY_TOOLS,
    readOnly: true,
  },
];

/** The kind of this name, or an error message for the model. */
export function kindNamed(name: string, defined: readonly AgentDefinition[]): AgentKind | string {
  const kinds = [...BUILT_IN, ...defined];
  const found = kinds.find((kind) => kind.name.toLowerCase() === name.toLowerCase());
  if (found) return found;
  const names = kinds.filter((kind) => kind.name !== REVIEW).map((kind) => kind.name);
  return `Unknown subagent ${name}.${didYouMean(name, names)} Available: ${names.join(', ')}.`;
}

/** Its instructions in addition to the task. */
export function roleOf({ prompt }: AgentKind): string {
  return prompt === '' ? ROLE : `${ROLE}\n\n${prompt}`;
}

const STARTS_SUBAGENTS: ReadonlySet<string> = new Set([explore.name, createTask().name]);

/** Whether a tool of this name starts subagents. */
export function startsSubagents(name: string): boolean {
  return STARTS_SUBAGENTS.has(name);
}

/** Whether a subagent of this kind has the tool: all of them, or those in its definition. */
export function hasTool(
  { tools, disallowedTools = [], readOnly }: AgentKind,
  name: string,
  nameOf: (word: string) => string | undefined,
) {
  if (name === presentPlan.name) return false;
  if (readOnly) return READ_ONLY_TOOLS.includes(name);
  const isMeant = (word: string, intent: Intent) => isNamed(word, name, intent) || nameOf(word) === name;
  if (disallowedTools.some((word) => isMeant(word, 'restrict') || doesTheSame(word, name))) return false;
  return tools === undefined || tools.some((word) => isMeant(toolIn(word), 'allow'));
}

/** Tools that do the same as one that is not allowed. */
const SAME: Readonly<Record<string, readonly string[]>> = {
  Bash: ['BashOutput', 'KillShell'],
  Edit: ['MultiEdit', 'Delete', 'RenameSymbol'],
  Write: ['Delete'],
  Task: ['Explore'],
};

function doesTheSame(word: string, name: string): boolean {
  return SAME[toolNamed(word)]?.includes(name) ?? false;
}

/** MCP tools as in permission rules; `mcp:` in front of `server:tool` may be missing. */
function isNamed(word: string, name: string, intent: Intent): boolean {
  if (!isMcpTool(name)) return toolNamed(word) === name || (intent === 'restrict' && word === '*');
  if (isMcpRule(word)) return matchesMcp(word, name, intent);
  return word === '*' || matchesMcp(`mcp:${word}`, name, intent);
}

/** Whether a subagent has limits that subagents of its own would not have. */
export function isLimited(kind: AgentKind): boolean {
  const { disallowedTools, permissionMode, tools = [] } = kind;
  return disallowedTools !== undefined || permissionMode !== undefined || usesOf(tools).length > 0;
}

/** What the calls of a subagent are judged by, beside the policy of the session. */
export function limitsOf({ tools = [], disallowedTools = [], permissionMode }: AgentKind): CallLimits {
  const uses = usesOf(tools);
  return {
    deny: disallowedTools.filter((word) => word.includes('(')),
    ...(uses.length > 0 && { only: [uses] }),
    ...(permissionMode === 'never-asks' && { neverAsks: true }),
    ...(permissionMode !== undefined && permissionMode !== 'never-asks' && { mode: permissionMode }),
  };
}

/** A tool context that cannot change anything, whatever tool uses it. */
export function readOnlyContext(context: ToolContext): ToolContext {
  const closed = async (): Promise<never> => {
    throw new PermissionDeniedError({ operation: 'this subagent is read-only', by: 'subagent' });
  };
  return {
    ...context,
    files: { ...context.files, write: closed, writeAll: closed, remove: closed },
    shell: { ...context.shell, run: closed, start: closed, stop: closed },
    web: { get: closed },
    ask: async () => null,
  };
}
