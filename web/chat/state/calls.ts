import type { ToolCall, ToolCallUpdate } from '@agentclientprotocol/sdk';
import type { CallItem, Item } from './view.ts';

/** How much of an output is kept, in characters. */
const MOST_PRINTED = 200_000;

/**
 * Replaces a call, wherever it is nested; false if there is none. Searched from the end: those that change are
 * recent.
 */
export function updateCall(items: Item[], callId: string, change: (call: CallItem) => CallItem): boolean {
  for (let index = items.length - 1; index >= 0; index--) {
    const item = items[index];
    if (item?.type !== 'call') continue;
    const changed = changeWithin(item, callId, change);
    if (changed === null) continue;
    items[index] = changed;
    return true;
  }
  return false;
}

function changeWithin(call: CallItem, callId: string, change: (call: CallItem) => CallItem): CallItem | null {
  if (call.callId === callId) return change(call);
  for (const [index, child] of call.children.entries()) {
    const changed = changeWithin(child, callId, change);
    if (changed) return { ...call, children: call.children.with(index, changed) };
  }
  return null;
}

export function newCall(update: ToolCall, key: number, at: number): CallItem {
  const call: CallItem = {
    type: 'call',
    key,
    callId: update.toolCallId,
    title: '',
    kind: 'other',
    status: 'pending',
    content: [],
    locations: [],
    printed: '',
    startedAt: at,
    children: [],
  };
  return withUpdate(call, update, at);
}

/** What an update leaves out stays as it is. */
export function withUpdate(call: CallItem, update: ToolCallUpdate | ToolCall, at: number): CallItem {
  const status = update.status ?? call.status;
  const isOver = status === 'completed' || status === 'failed';
  // The time in which the user was asked is not the call's.
  const startedAt = call.status === 'pending' && status === 'in_progress' ? at : call.startedAt;
  return {
    ...call,
    title: update.title ?? call.title,
    kind: update.kind ?? call.kind,
    content: update.content ?? call.content,
    locations: update.locations ?? call.locations,
    printed: (call.printed + printedIn(update)).slice(-MOST_PRINTED),
    status,
    startedAt,
    endedAt: isOver ? (call.endedAt ?? at) : undefined,
  };
}

/** Output of a command that the agent runs itself: the next part. */
function printedIn({ _meta }: ToolCallUpdate | ToolCall): string {
  const part = _meta?.terminal_output;
  const data = typeof part === 'object' && part !== null && 'data' in part ? part.data : '';
  return typeof data === 'string' ? data : '';
}
