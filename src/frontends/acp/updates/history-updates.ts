import path from 'node:path';
import type { SessionUpdate, ToolCallContent } from '@agentclientprotocol/sdk';
import { pastCall } from '../../../app/conversation/past-calls.ts';
import { type PastPart, pastParts } from '../../../app/conversation/past-parts.ts';
import {
  type Message,
  type ToolCallPart,
  type ToolMessage,
  textOf,
  toolCallsOf,
} from '../../../contract/message.ts';
import type { Access } from '../../../contract/permission.ts';
import type { CallDecision, Session } from '../../../contract/session.ts';
import { isObject } from '../../../lib/text/json.ts';
import { todo } from '../../../tools/todo.ts';
import { contentOf, kindOf, locationsOf, planEntry, textContent } from './tool-calls.ts';

const CHUNKS = {
  text: 'agent_message_chunk',
  thinking: 'agent_thought_chunk',
  end: 'agent_message_chunk',
} as const;

/** What is known of an update besides: who sent the prompt, and how its call was decided. */
export type PastUpdate = {
  update: SessionUpdate;
  by?: string | undefined;
  promptId?: string | undefined;
  decision?: CallDecision | undefined;
};

/** `count` of the messages are told, all if absent; the calls of the subagents are nested in those that started them. */
type Past = Partial<Pick<Session, 'decisions' | 'subagents'>> & {
  messages: readonly Message[];
  count?: number | undefined;
};

/** A saved conversation as the updates that an editor would have received. */
export function historyUpdates({ messages, count, ...past }: Past, cwd: string): PastUpdate[] {
  const told = messages.slice(0, count);
  const callsIn = nestedCalls(messages, past, cwd);
  const updates = toldUpdates(told, past, cwd).flatMap((one) =>
    one.update.sessionUpdate === 'tool_call' ? [one, ...callsIn(one.update.toolCallId)] : [one],
  );
  return [...updates, ...lastPlan(told)];
}

/** The todo list as it was left. */
function lastPlan(messages: readonly Message[]): PastUpdate[] {
  const done = new Set(
    messages.flatMap((message) => (message.role === 'tool' && message.success ? [message.callId] : [])),
  );
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? toolCallsOf(message) : []));
  const last = calls.findLast(({ id, name }) => name === todo.name && done.has(id));
  const list = last && todo.input.safeParse(last.input);
  if (!list?.success) return [];
  const { items } = list.data as { items: Parameters<typeof planEntry>[0][] };
  return [{ update: { sessionUpdate: 'plan', entries: items.map(planEntry) } }];
}

function toldUpdates(
  messages: readonly Message[],
  { decisions = {} }: Omit<Past, 'messages'>,
  cwd: string,
): PastUpdate[] {
  const answers = new Map(
    messages.flatMap((message) => (message.role === 'tool' ? [[message.callId, message] as const] : [])),
  );
  return messages.flatMap((message, index) =>
    pastParts(message).flatMap((part, place): PastUpdate[] => {
      if (part.type === 'call') {
        const { id } = part.call;
        const decision = Object.hasOwn(decisions, id) ? decisions[id] : undefined;
        return [{ update: callUpdate(part.call, answers.get(id), cwd), decision }];
      }
      if (part.type === 'prompt') return promptUpdates(part, `earlier-${index}-${place}`);
      const messageId = part.type === 'end' ? `end-${index}` : `earlier-${index}`;
      const content = { type: 'text' as const, text: part.text };
      return [{ update: { sessionUpdate: CHUNKS[part.type], content, messageId } }];
    }),
  );
}

type Caller = { callId: string; at: string };

/** The calls of the subagents that a call started, and of theirs. */
function nestedCalls(
  messages: readonly Message[],
  { subagents = [], ...past }: Omit<Past, 'messages'>,
  cwd: string,
): (callId: string) => PastUpdate[] {
  const conversations = [messages, ...subagents.map((one) => one.messages)];
  const inside = new Map<string, PastUpdate[]>();
  for (const { id, subagent, messages: own } of subagents) {
    if (!subagent) continue;
    const callers = [{ callId: subagent.callId, at: '' }, ...conversations.flatMap(callersOf(id))];
    for (const message of own) {
      if (message.role !== 'assistant') continue;
      const parent = callers.findLast(({ at }) => at <= message.timestamp)?.callId ?? subagent.callId;
      const answered = [message, ...own.filter(({ role }) => role === 'tool')];
      const calls = toldUpdates(answered, past, cwd).flatMap(({ update, ...about }) =>
        update.sessionUpdate === 'tool_call'
          ? [{ ...about, update: { ...update, _meta: { aca: { parent } } } }]
          : [],
      );
      inside.set(parent, [...(inside.get(parent) ?? []), ...calls]);
    }
  }
  const all = (callId: string): PastUpdate[] => {
    const calls = inside.get(callId) ?? [];
    // Damaged files could name one another.
    inside.delete(callId);
    return calls.flatMap((one) =>
      one.update.sessionUpdate === 'tool_call' ? [one, ...all(one.update.toolCallId)] : [one],
    );
  };
  return all;
}

/** The calls that gave this subagent more to do. */
function callersOf(subagent: string): (messages: readonly Message[]) => Caller[] {
  return (messages) =>
    messages.flatMap((message) =>
      message.role === 'assistant'
        ? toolCallsOf(message)
            .filter(({ input }) => isObject(input) && input.continue === subagent)
            .map(({ id: callId }) => ({ callId, at: message.timestamp }))
        : [],
    );
}

function promptUpdates(
  { text, images, sent }: Extract<PastPart, { type: 'prompt' }>,
  messageId: string,
): PastUpdate[] {
  const parts = [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...images.map(({ mediaType, data }) => ({ type: 'image' as const, mimeType: mediaType, data })),
  ];
  return parts.map((content) => ({
    update: { sessionUpdate: 'user_message_chunk', content, messageId },
    by: sent?.by,
    promptId: sent?.id,
  }));
}

function callUpdate(call: ToolCallPart, answer: ToolMessage | undefined, cwd: string): SessionUpdate {
  const { title, outcome, display, accesses, explores } = pastCall({ call, answer }, (path) => path);
  const text = answer ? textOf(answer) : '';
  const diffs = outcome === 'done' ? pastDiffs(call, accesses, cwd) : [];
  const shown = diffs.length > 0 || !display ? diffs : contentOf(display, cwd);
  return {
    sessionUpdate: 'tool_call',
    toolCallId: call.id,
    title,
    name: call.name,
    kind: kindOf(accesses, explores),
    status: outcome === 'done' ? 'completed' : 'failed',
    locations: locationsOf(accesses, cwd),
    rawInput: call.input,
    content: shown.length > 0 || text === '' ? shown : [textContent(text)],
  };
}

/** What an edit replaced, and what a file was written with. The session does not say where in the file. */
function pastDiffs({ input }: ToolCallPart, accesses: readonly Access[], cwd: string): ToolCallContent[] {
  const written = accesses.filter(({ kind, itself }) => kind === 'write' && !itself);
  const [file, ...others] = written.map(({ target }) => path.resolve(cwd, target));
  if (file === undefined || others.length > 0 || !isObject(input)) return [];
  const changes: unknown[] = Array.isArray(input.edits) ? input.edits : [input];
  return changes.filter(isObject).flatMap((change): ToolCallContent[] => {
    const { old_string: oldText, new_string: newText, content } = change;
    if (typeof oldText === 'string' && typeof newText === 'string')
      return [{ type: 'diff', path: file, oldText, newText }];
    return typeof content === 'string' ? [{ type: 'diff', path: file, oldText: null, newText: content }] : [];
  });
}
