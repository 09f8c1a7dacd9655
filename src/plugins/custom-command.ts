import type { PromptRules } from '../contract/permission.ts';
import { listField, parseFrontMatter, textField } from '../lib/text/front-matter.ts';
import { argumentsFor } from './arguments.ts';
import { geminiArguments, geminiPieces, parseGemini } from './gemini-command.ts';

/** A prompt that the user starts by name: a command written as a Markdown file, or a skill. */
export type PromptCommand = {
  name: string;
  description: string;
  body: string;
  /** Answers this prompt instead of the current model. */
  model?: string;
  /** The only tools it may use. */
  tools?: readonly string[];
  /** The subagent that does its work. */
  agent?: string;
  /** Placeholders as in another assistant: `$FILE` for `FILE=value` in Codex, `{{args}}` in Gemini CLI. */
  syntax?: 'codex' | 'gemini';
  /** What it allows and forbids while it is in use. */
  rules?: PromptRules;
};

/** `source`: where it comes from. */
export type CustomCommand = PromptCommand & { source: 'user' | 'project' | 'plugin'; file: string };

const DESCRIPTION = 120;

/** `path` is relative to the commands folder; `of` names the assistant it was written for. */
export type CommandFile = { path: string; file: string; text: string; of?: string };

/**
 * `git/fix.md` is the command `git:fix`; prompts of Codex are `prompts:fix`. If it is not valid, a message that says
 * why.
 */
export function parseCommand(file: CommandFile, source: CustomCommand['source']): CustomCommand | string {
  const base = file.path
    .replace(/\.(md|toml)$/i, '')
    .replaceAll('/', ':')
    .replaceAll(/\s+/g, '-')
    .toLowerCase();
  const isCodex = file.of === 'codex';
  const name = isCodex ? `prompts:${base}` : base;
  if (!/^[a-z0-9][\w.-]*(:[\w.-]+)*$/.test(name))
    return 'not a valid command name; use letters, digits and "-".';
  if (file.of === 'gemini') return geminiCommand(name, file, source);
  const parsed = parseFrontMatter(file.text);
  const body = parsed.body.trim();
  const [first = ''] = body.split('\n');
  const words = textField(parsed, 'description') ?? first.replace(/^#+\s*/, '');
  const hint = textField(parsed, 'argument-hint');
  const description = [cut(words), hint, `(${source})`].filter(Boolean).join(' ');
  const model = textField(parsed, 'model');
  const tools = listField(parsed, 'tools');
  return {
    name,
    description,
    source,
    file: file.file,
    body,
    ...(model && model.toLowerCase() !== 'inherit' && { model }),
    ...(tools && { tools }),
    ...agentOf(parsed),
    ...(isCodex && { syntax: 'codex' as const }),
  };
}

function geminiCommand(
  name: string,
  { file, text }: CommandFile,
  source: CustomCommand['source'],
): CustomCommand | string {
  const parsed = parseGemini(text);
  if (!parsed) return 'not a command: it must be TOML with a prompt.';
  const [first = ''] = parsed.prompt.split('\n');
  const description = `${cut(parsed.description || first)} (${source})`;
  return { name, description, source, file, body: parsed.prompt, syntax: 'gemini' };
}

/** The subagent that does the work of a prompt with `context: fork`. */
export function agentOf(matter: Parameters<typeof textField>[0]): { agent?: string } {
  const isFork = textField(matter, 'context')?.toLowerCase() === 'fork';
  return isFork ? { agent: textField(matter, 'agent') ?? 'general' } : {};
}

export type ExpandDeps = {
  /** Judged, and run in the sandbox; returns the output. Throws if it may not run. */
  run(command: string): Promise<string>;
  /** Called with the names of missing arguments; throws. */
  missing(names: readonly string[]): never;
};

/**
 * The prompt of a command. A command in `` !`…` ``, on a line that starts with `!`, or in a code block marked
 * with `!` is replaced by its output. `written` is the part of it in which `@path` names a file.
 */
export async function expandCommand(
  { body, syntax }: Pick<PromptCommand, 'body' | 'syntax'>,
  typed: string,
  deps: ExpandDeps,
): Promise<{ text: string; written: string }> {
  const isGemini = syntax === 'gemini';
  const values = isGemini
    ? geminiArguments(body, typed)
    : argumentsFor(body, typed, syntax === 'codex' ? 'named' : undefined);
  if (values.missing.length > 0) deps.missing(values.missing);
  let text = '';
  let written = '';
  for (const piece of isGemini ? geminiPieces(body) : piecesOf(body)) {
    const filled = piece.type === 'command' ? '' : values.inText(piece.text);
    text += piece.type === 'command' ? await deps.run(values.inCommand(piece.text)) : filled;
    written += piece.type === 'text' ? filled : ' ';
  }
  const added = values.isUsed || typed === '' ? '' : `\n\n${typed}`;
  return { text: (text + added).trim(), written: written + added };
}

type Piece = { type: 'text' | 'code' | 'command'; text: string };

/** Other code blocks are kept unchanged. */
function* piecesOf(body: string): Generator<Piece> {
  const marks =
    /^ {0,3}(`{3,}|~{3,})([^\n]*)\n?([\s\S]*?)(?:^ {0,3}\1[^\n]*$|$(?![\s\S]))|!`([^`\n]+)`|^!(\w[^\n]*)$/gm;
  let at = 0;
  for (const match of body.matchAll(marks)) {
    const [whole, fence, mark = '', block = '', inline, line] = match;
    if (match.index > at) yield { type: 'text', text: body.slice(at, match.index) };
    const isCode = fence !== undefined && mark.trim() !== '!';
    if (isCode) yield { type: 'code', text: whole };
    else yield { type: 'command', text: (inline ?? line ?? block).trim() };
    at = match.index + whole.length;
  }
  if (at < body.length) yield { type: 'text', text: body.slice(at) };
}

function cut(text: string): string {
  return text.length > DESCRIPTION ? `${text.slice(0, DESCRIPTION)}…` : text;
}
