import path from 'node:path';
import { UserError } from '../contract/errors.ts';
import type { PermissionMode } from '../contract/permission.ts';
import { type Effort, effortLevels } from '../contract/request/effort.ts';
import {
  type FrontMatter,
  listField,
  otherKeys,
  parseFrontMatter,
  textField,
} from '../lib/text/front-matter.ts';
import { extensionsOf } from './extension-files.ts';
import { claudeModes } from './other-assistants/claude-modes.ts';
import type { ProjectContent } from './project-content.ts';
import { modesByStrictness } from './schema/schema.ts';

/** A subagent defined by the user in a Markdown file. */
export type AgentDefinition = {
  name: string;
  /** What it is for; the model chooses by it. */
  description: string;
  /** Its instructions, in addition to its task. */
  prompt: string;
  /** Default: the model of the conversation. */
  model?: string;
  /** Names of tools, or rules for calls: `Bash(git *)` allows only those of its tool. Default: all tools. */
  tools?: readonly string[];
  /** Tools it does not have, and rules for calls it may not make. */
  disallowedTools?: readonly string[];
  /** Applies where it is stricter than the mode of the session. `never-asks`: what would be asked is refused. */
  permissionMode?: PermissionMode | 'never-asks';
  /** Default: that of the conversation. */
  effort?: Effort;
  maxTurns?: number;
  /** It works in a copy of the project, and its changes are merged when it has finished. */
  isolation?: 'worktree';
};

/** Names of modes in Claude Code, in lower case. */
const MODES: Readonly<Record<string, AgentDefinition['permissionMode']>> = Object.fromEntries(
  Object.entries({ ...claudeModes, dontAsk: 'never-asks', manual: 'default' } as const).map(
    ([name, mode]) => [name.toLowerCase(), mode],
  ),
);
/** Modes that loosen something; for a subagent they never do. */
const LOOSE: readonly AgentDefinition['permissionMode'][] = ['accept-edits', 'auto'];
/** `color` has no meaning here, and does no harm. */
const KEYS = [
  'name',
  'description',
  'tools',
  'disallowedtools',
  'permissionmode',
  'model',
  'effort',
  'maxturns',
  'isolation',
  'color',
];

const NAME = /^[a-z][\w-]{0,49}$/i;
/** Built-in names, not available to files. */
const TAKEN = new Set(['general', 'task', 'explore', 'review']);

/** A file of a plugin; `prefix` comes before the name of its subagent. */
export type PluginAgent = { file: string; text: string; prefix: string };

/** From the user's files, then a trusted project's and those of plugins; if two have the same name, the first is used. */
export function readAgents(
  content: readonly ProjectContent[],
  problemWith: RuleCheck = () => null,
  ofPlugins: readonly PluginAgent[] = [],
): { agents: AgentDefinition[]; notices: string[] } {
  const files = [...extensionsOf(content, 'agent').map((file) => ({ ...file, prefix: '' })), ...ofPlugins];
  const agents = new Map<string, AgentDefinition>();
  const notices: string[] = [];
  for (const { file, text, prefix } of files) {
    const agent = parseAgent(text, path.basename(file, '.md'), prefix);
    notices.push(...agentNotices(parseFrontMatter(text)).map((said) => `${file}: ${said}`));
    const broken = typeof agent === 'string' ? agent : brokenRule(agent, problemWith);
    if (typeof agent !== 'string' && broken === null)
      notices.push(...(agent.disallowedTools ?? []).flatMap((rule) => problemWith(rule, file)?.text ?? []));
    if (typeof agent === 'string' || broken !== null) notices.push(`${file}: ${broken}`);
    else if (!agents.has(agent.name.toLowerCase())) agents.set(agent.name.toLowerCase(), agent);
  }
  return { agents: [...agents.values()], notices };
}

/** What is wrong with a deny rule at this place, or null. Throws a `UserError` if it is not a rule. */
type RuleCheck = (rule: string, place: string) => { text: string; isMisspelt: boolean } | null;

/** A subagent whose limits cannot be understood is not used. */
function brokenRule(
  { tools = [], disallowedTools = [] }: AgentDefinition,
  problemWith: RuleCheck,
): string | null {
  const lists = { tools: tools.filter((word) => word.includes('(')), disallowedTools };
  for (const [key, rules] of Object.entries(lists)) {
    try {
      for (const rule of rules) {
        const problem = problemWith(rule, key);
        if (problem?.isMisspelt) return `${problem.text} The subagent is not used.`;
      }
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return `${key}: ${error.message} The subagent is not used.`;
    }
  }
  return null;
}

/** The definition, or a message saying why it is invalid. `fallback` is its name if the file has none. */
export function parseAgent(text: string, fallback: string, prefix = ''): AgentDefinition | string {
  const matter = parseFrontMatter(text);
  const given = textField(matter, 'name') ?? fallback;
  // A name with spaces is a title.
  const name = [given, fallback].find((one) => NAME.test(one)) ?? given;
  const prompt = matter.body.trim();
  const model = textField(matter, 'model');
  const tools = listField(matter, 'tools');
  const disallowedTools = listField(matter, 'disallowedtools');
  const permissionMode = modeOf(matter);
  const effort = effortOf(matter);
  const maxTurns = turnsOf(matter);
  if (!NAME.test(name)) return `"${name}" is not a valid subagent name: use letters, digits and dashes.`;
  if (prefix === '' && TAKEN.has(name.toLowerCase()))
    return `${name} is a built-in subagent; choose another name.`;
  if (prompt === '') return 'this subagent has no prompt: add one below the --- lines.';
  return {
    name: prefix + name,
    description: textField(matter, 'description') ?? '',
    prompt,
    ...(model !== undefined && model.toLowerCase() !== 'inherit' && { model }),
    ...(tools && !tools.includes('*') && { tools }),
    ...(disallowedTools && { disallowedTools }),
    ...(permissionMode !== undefined && { permissionMode }),
    ...(effort !== undefined && { effort }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(isIsolated(matter) && { isolation: 'worktree' as const }),
  };
}

/** What of a definition has no effect, or another one than it says. */
function agentNotices(matter: FrontMatter): string[] {
  const unknown = otherKeys(matter, KEYS);
  const written = textField(matter, 'permissionmode');
  const mode = modeOf(matter);
  const isWrongLimit = matter.fields.has('maxturns') && turnsOf(matter) === undefined;
  return [
    ...(unknown.length > 0 ? [`${unknown.join(', ')}: not supported for subagents and ignored.`] : []),
    ...(written !== undefined && mode === undefined
      ? [`unknown permissionMode ${written}; the mode of the session applies.`]
      : []),
    ...(LOOSE.includes(mode)
      ? [`permissionMode ${written} only restricts: a subagent never has more permissions than the session.`]
      : []),
    ...(matter.fields.has('isolation') && !isIsolated(matter)
      ? [`unknown isolation ${textField(matter, 'isolation') ?? ''}; only worktree is known. It is ignored.`]
      : []),
    ...(matter.fields.has('effort') && effortOf(matter) === undefined
      ? [`unknown effort ${textField(matter, 'effort') ?? ''}; it is one of ${effortLevels.join(', ')}.`]
      : []),
    ...(isWrongLimit ? ['maxTurns must be a whole number of at least 1; it is ignored.'] : []),
  ];
}

function modeOf(matter: FrontMatter): AgentDefinition['permissionMode'] {
  const written = textField(matter, 'permissionmode') ?? '';
  const known = modesByStrictness.find((mode) => mode === written);
  const other = written.toLowerCase();
  return known ?? (Object.hasOwn(MODES, other) ? MODES[other] : undefined);
}

function effortOf(matter: FrontMatter): Effort | undefined {
  const written = textField(matter, 'effort')?.toLowerCase();
  return effortLevels.find((level) => level === written);
}

function isIsolated(matter: FrontMatter): boolean {
  return textField(matter, 'isolation')?.toLowerCase() === 'worktree';
}

function turnsOf(matter: FrontMatter): number | undefined {
  const turns = Number(textField(matter, 'maxturns') ?? Number.NaN);
  return Number.isInteger(turns) && turns >= 1 ? turns : undefined;
}
