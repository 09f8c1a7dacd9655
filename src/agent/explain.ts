import type { z } from 'zod';
import { fail, type ToolResult } from '../contract/tool.ts';
import { nearest } from '../lib/text/nearest.ts';

/** Error messages that let a model fix its own call. */

/** MCP servers may provide hundreds. */
const MOST_NAMES = 100;

/** What to do where other assistants have a tool. */
const INSTEAD: Readonly<Record<string, string>> = {
  notebookedit: 'A notebook is a JSON file: change the source of its cells with Edit.',
  jupytercellexecute: 'Run the notebook with Bash and jupyter nbconvert --execute.',
  todoread: 'Your last call of Todo has the whole list.',
  think: 'Think in your answer.',
  attemptcompletion: 'End by answering without a call.',
  finish: 'End by answering without a call.',
  savememory:
    'Write what should be remembered to the instructions file of the project, if the user wants that.',
};

/** `wasOffered`: earlier in this conversation. */
export function explainUnknownTool(
  name: string,
  known: readonly string[],
  { wasOffered = false }: { wasOffered?: boolean } = {},
): string {
  const close = nearest(name, known);
  const instead = INSTEAD[name.toLowerCase().replaceAll(/[^a-z]/g, '')];
  const suggestion = instead ? ` ${instead}` : close ? ` Did you mean ${close}?` : '';
  const listed = known.slice(0, MOST_NAMES).join(', ');
  const more = known.length > MOST_NAMES ? ` and ${known.length - MOST_NAMES} more` : '';
  const fault = wasOffered
    ? `The tool ${name} is no longer available.`
    : `Unknown tool ${name}.${suggestion}`;
  return `${fault} Available tools: ${listed}${more}.`;
}

export function explainCut(tool: string): string {
  return `The output limit was reached while this call of ${tool} was being written, so it did not run. Its JSON is not at fault: the call is too long for one answer. Do it in smaller parts, one call at a time: write a long file's first part, then add the rest with further edits, each well below the length that was cut.`;
}

export function explainMalformed(tool: string, raw: string): string {
  const excerpt = raw.length > 200 ? `${raw.slice(0, 100)} … ${raw.slice(-80)}` : raw;
  return `The arguments of ${tool} were not a JSON object, so it did not run (${faultIn(raw)}). You sent: ${excerpt}\nSend the call again with complete, valid JSON.`;
}

/** Where the JSON is broken. Engine messages differ between versions. */
function faultIn(raw: string): string {
  try {
    const value: unknown = JSON.parse(raw);
    return Array.isArray(value) ? 'they are a list' : `they are a ${typeof value}`;
  } catch (error) {
    const place = /position (\d+)/.exec((error as Error).message)?.[1];
    if (place === undefined || Number(place) >= raw.trimEnd().length) return 'the JSON is incomplete';
    return `invalid JSON at character ${Number(place) + 1}`;
  }
}

export function explainBadInput(tool: string, error: z.ZodError, unknown: readonly string[]): string {
  const problems = error.issues.map((issue) => `- ${issue.path.join('.') || 'arguments'}: ${issue.message}`);
  const others = unknown.map((name) => `- ${name}: there is no such argument`);
  return `${tool} did not run; its arguments are invalid:\n${[...problems, ...others].join('\n')}\nCorrect them and call it again.`;
}

export function explainUnknownArguments(
  tool: string,
  unknown: readonly string[],
  known: readonly string[],
): string {
  const [what, them] = unknown.length === 1 ? ['is no argument', 'it'] : ['are no arguments', 'them'];
  const others = known.length === 0 ? 'It takes none.' : `Its arguments are ${known.join(', ')}.`;
  return `${tool} did not run: ${unknown.join(', ')} ${what} of it. ${others} Call it again without ${them}, or say it another way.`;
}

export function noteOfIgnored(unknown: readonly string[], known: readonly string[]): string {
  return `[ignored: ${unknown.join(', ')}; the arguments are ${known.join(', ')}]`;
}

/** Long texts are shortened: the form counts. */
export function noteOfRepair(tool: string, input: unknown): string {
  const shown = JSON.stringify(input, (_, value: unknown) =>
    typeof value === 'string' && value.length > 80 ? `${value.slice(0, 80)}…` : value,
  );
  return `[Your call was not valid and was repaired. Its correct form: ${tool} with the JSON arguments ${shown}]`;
}

/** Without the brackets: quoted text must not be mistaken for a placeholder in a file. */
export function explainPlaceholders(unknown: readonly string[]): string {
  const words = unknown.map((word) => word.slice(1, -1)).join(', ');
  const what = unknown.length === 1 ? 'is a placeholder for a secret' : 'are placeholders for secrets';
  return `Nothing was changed or run: ${words} ${what} unknown in this session. Read the file again and use the placeholder you see there, or make the change without touching that value.`;
}

/** Marked, so that a model that cannot write a valid call is eventually stopped. */
export function unreadable(words: string, { tool, fault }: { tool: string; fault: string }): ToolResult {
  return fail(words, { metadata: { unreadable: true, fault: `${tool}: ${fault}` } });
}
