import path from 'node:path';
import { peek } from '../lib/files/peek.ts';
import { listField, parseFrontMatter, textField } from '../lib/text/front-matter.ts';
import type { ProjectContent } from './project-content.ts';
import { extensionsOf } from './project-extensions.ts';

/** A subagent defined by the user in a Markdown file. */
export type AgentDefinition = {
  name: string;
  /** What it is for; the model chooses by it. */
  description: string;
  /** Its instructions, in addition to its task. */
  prompt: string;
  /** Default: the model of the conversation. */
  model?: string;
  /** Names of tools. Default: all. */
  tools?: readonly string[];
};

const MAX_BYTES = 256 * 1024;
const NAME = /^[a-z][\w-]{0,49}$/i;
/** Built-in names, not available to files. */
const TAKEN = new Set(['general', 'task', 'explore', 'review']);

/** From the user's folder and a trusted project's files; if two have the same name, the user's is used. */
export function readAgents(
  dataRoot: string,
  extensions: readonly ProjectContent[],
): { agents: AgentDefinition[]; notices: string[] } {
  const own = path.join(dataRoot, 'agents');
  const names = (peek.folder(own)?.files ?? []).filter((name) => name.endsWith('.md')).sort();
  const files = [
    ...names
      .map((name) => path.join(own, name))
      .filter((file) => (peek.file(file)?.size ?? Infinity) <= MAX_BYTES)
      .map((file) => ({ file, text: peek.text(file) })),
    ...extensionsOf(extensions, 'agent'),
  ];
  const agents = new Map<string, AgentDefinition>();
  const notices: string[] = [];
  for (const { file, text } of files) {
    const agent = parseAgent(text, path.basename(file, '.md'));
    if (typeof agent === 'string') notices.push(`${file}: ${agent}`);
    else if (!agents.has(agent.name.toLowerCase())) agents.set(agent.name.toLowerCase(), agent);
  }
  return { agents: [...agents.values()], notices };
}

/** The definition, or a message saying why it is invalid. `fallback` is its name if the file has none. */
export function parseAgent(text: string, fallback: string): AgentDefinition | string {
  const matter = parseFrontMatter(text);
  const name = textField(matter, 'name') ?? fallback;
  const prompt = matter.body.trim();
  const model = textField(matter, 'model');
  const tools = listField(matter, 'tools');
  if (!NAME.test(name)) return `"${name}" is not a valid subagent name: use letters, digits and dashes.`;
  if (TAKEN.has(name.toLowerCase())) return `${name} is a built-in subagent; choose another name.`;
  const rule = tools?.find((tool) => tool.includes('('));
  if (rule !== undefined) return `${rule} is a permission rule; list tools by name only.`;
  if (prompt === '') return 'this subagent has no prompt: add one below the --- lines.';
  return {
    name,
    description: textField(matter, 'description') ?? '',
    prompt,
    ...(model !== undefined && model.toLowerCase() !== 'inherit' && { model }),
    ...(tools && !tools.includes('*') && { tools }),
  };
}
