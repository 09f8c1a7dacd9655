import type { Message, ToolCallPart, ToolMessage } from '../contract/message.ts';
import { toolCallsOf } from '../contract/message.ts';

/** Tools whose calls can be shortened, because their effect is in a file. */
export const READING = 'Read';
const CHANGING: ReadonlySet<string> = new Set(['Edit', 'MultiEdit', 'ApplyPatch', 'Write', 'Delete']);

export function changesFiles(tool: string): boolean {
  return CHANGING.has(tool);
}

/** A call and its result. */
export type Done = { call: ToolCallPart; answer: ToolMessage };

/** The successful calls, in the order of their results. */
export function doneCalls(messages: readonly Message[]): Done[] {
  const calls = new Map<string, ToolCallPart>();
  const done: Done[] = [];
  for (const message of messages) {
    if (message.role === 'assistant') for (const call of toolCallsOf(message)) calls.set(call.id, call);
    const call = message.role === 'tool' && message.success ? calls.get(message.callId) : undefined;
    if (call && message.role === 'tool') done.push({ call, answer: message });
  }
  return done;
}

/** Files changed by calls, under the names used in the calls; each once, in the order of its last change. */
export function filesChanged(messages: readonly Message[]): string[] {
  const files = new Set<string>();
  for (const { call, answer } of doneCalls(messages)) {
    if (!changesFiles(answer.name)) continue;
    for (const file of filesOf(call.input)) {
      files.delete(file);
      files.add(file);
    }
  }
  return [...files];
}

const PATH_NAMES = ['file_path', 'filePath', 'path', 'filename'] as const;

/** By any name that models give the path, and in patches. */
export function filesOf(input: unknown): string[] {
  const table = tableOf(input);
  const named = PATH_NAMES.map((name) => table[name]).find((value) => typeof value === 'string');
  if (named !== undefined) return [named];
  if (Array.isArray(table.edits)) return table.edits.flatMap((edit: unknown) => filesOf(edit));
  const patch = [table.patch, table.input].find((value) => typeof value === 'string') ?? '';
  return [...patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map(([, file = '']) =>
    file.trim(),
  );
}

export function tableOf(value: unknown): Record<string, unknown> {
  // Written by a model: any JSON value.
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
