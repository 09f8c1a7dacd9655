import type { Message, ToolCallPart, ToolMessage } from '../contract/message.ts';
import { toolCallsOf } from '../contract/message.ts';

/** Tools whose calls can be shortened, because their effect is in a file. */
export const READING = 'Read';
const CHANGING: ReadonlySet<string> = new Set(['Edit', 'MultiEdit', 'Write', 'Delete']);

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

export function filesOf(input: unknown): string[] {
  const { file_path, edits } = tableOf(input);
  if (typeof file_path === 'string') return [file_path];
  return Array.isArray(edits) ? edits.flatMap((edit: unknown) => filesOf(edit)) : [];
}

export function tableOf(value: unknown): Record<string, unknown> {
  // Written by a model: any JSON value.
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
