import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { closeCall, openCallsOf } from '../../../src/agent/history.ts';
import type { AgentEvent } from '../../../src/contract/event.ts';
import { type Message, type ToolMessage, textOf } from '../../../src/contract/message.ts';
import type { JournalRecord } from '../../../src/session/records.ts';
import { type OpenSession, SessionStore } from '../../../src/session/store.ts';
import { undoPlace } from '../../../src/session/undo/undo-place.ts';
import { UndoStore } from '../../../src/session/undo/undo-store.ts';
import type { Workspace } from '../workspace.ts';
import { dataRootOf, journalOf, type Ran, sessionsIn } from './program.ts';
import { counter } from './scenario.ts';

/** Everything that must hold after a kill. Returns the session's id, or null if it had not started. */
export async function verifyKilled(space: Workspace, ran: Ran): Promise<string | null> {
  const printed = printedBy(ran.stdout);
  const [id, ...others] = sessionsIn(space);
  expect(others).toEqual([]);
  if (id === undefined) {
    expect(printed.filter(({ type }) => type !== 'run_start')).toEqual([]);
    expect(countedIn(space)).toEqual([]);
    return null;
  }
  const records = recordsIn(journalOf(space, id));
  const store = new SessionStore(path.join(dataRootOf(space), 'sessions'));
  const open = await store.resume(id);
  if (!open) {
    // The very first line was incomplete, and nothing had happened yet.
    expect(records).toEqual([]);
    expect(countedIn(space)).toEqual([]);
    return null;
  }
  await open.ready;
  expect(open.damaged).toEqual([]);
  expect(open.session.messages).toEqual(messagesOf(records));
  verifyPrinted(printed, open);
  verifyHistory(closedHistory(open));
  verifyRanOnce(space, records);
  await open.close();
  expect(leftoversIn(space.root).concat(leftoversIn(path.join(dataRootOf(space), 'sessions')))).toEqual([]);
  return id;
}

/** Undoes everything, as another process would. */
export async function undoAll(space: Workspace, id: string): Promise<void> {
  const undo = new UndoStore({
    ...undoPlace(dataRootOf(space), { sessionId: id, cwd: space.root }),
    roots: [space.root],
  });
  const preview = await undo.previewUndo(0);
  // For a command without a known end, the user must name the files.
  const uncertain = preview?.uncertain.map(({ path: file }) => file) ?? [];
  expect(preview?.conflicts.filter(({ path: file }) => !uncertain.includes(file)) ?? []).toEqual([]);
  const report = await preview?.apply(uncertain);
  expect(report?.kept ?? []).toEqual([]);
  await undo.close();
}

/** How often each command ran. A shell killed between opening the file and writing to it leaves no mark. */
export function countedIn(space: Workspace): string[] {
  try {
    const text = readFileSync(path.join(space.root, counter), 'utf8').trimEnd();
    return text === '' ? [] : text.split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Every call has exactly one result, right after the reply that made it. */
export function verifyHistory(history: readonly Message[]): void {
  const waiting = new Set<string>();
  const seen = new Set<string>();
  for (const [i, message] of history.entries()) {
    if (i === 0) expect(message.role).toBe('user');
    if (message.role === 'tool') {
      expect(waiting.delete(message.callId), `answer to ${message.callId} at ${i}`).toBe(true);
      continue;
    }
    expect([...waiting], `calls without an answer before ${i}`).toEqual([]);
    if (message.role !== 'assistant') continue;
    for (const part of message.content) {
      if (part.type !== 'tool_call') continue;
      expect(seen.has(part.id), `${part.id} is used twice`).toBe(false);
      seen.add(part.id);
      waiting.add(part.id);
    }
  }
  expect([...waiting], 'calls without an answer at the end').toEqual([]);
}

/** The history as the next run would send it. */
export function closedHistory({
  session,
  unfinished,
}: Pick<OpenSession, 'session' | 'unfinished'>): Message[] {
  const closing = openCallsOf(session.messages).map((call) => closeCall(call, unfinished, 'now'));
  return [...session.messages, ...closing];
}

function verifyPrinted(printed: readonly AgentEvent[], open: OpenSession): void {
  const { messages } = open.session;
  for (const type of ['text', 'thinking'] as const) {
    const shown = printed.flatMap((event) => (event.type === type ? [event.text] : [])).join('');
    const kept = messages.map((message) => partsOf(message, type)).join('');
    expect(kept.slice(0, shown.length), `${type} that was on the screen`).toBe(shown);
  }
  for (const event of printed) {
    if (event.type === 'message') expect(messages).toContainEqual(event.message);
    if (event.type !== 'tool_end') continue;
    const answer = answerIn(open, event.callId);
    expect(answer?.success, `the answer to ${event.callId}`).toBe(event.success);
  }
}

function answerIn({ session, unfinished }: OpenSession, callId: string): ToolMessage | undefined {
  const given = session.messages.find((message) => message.role === 'tool' && message.callId === callId);
  return given?.role === 'tool' ? given : unfinished.answered.get(callId);
}

function partsOf(message: Message, type: 'text' | 'thinking'): string {
  if (message.role !== 'assistant') return '';
  if (type === 'text') return textOf(message);
  return message.content.map((part) => (part.type === 'thinking' ? part.text : '')).join('');
}

/** A command that left its mark was journaled before, and left it once. */
function verifyRanOnce(space: Workspace, records: readonly JournalRecord[]): void {
  const counted = countedIn(space);
  expect(counted).toEqual(['one', 'two'].slice(0, counted.length));
  const started = records.flatMap((record) => (record.type === 'call_started' ? [record.callId] : []));
  expect(new Set(started).size).toBe(started.length);
  const commands = messagesOf(records).flatMap((message) =>
    message.role === 'assistant'
      ? message.content.flatMap((part) =>
          part.type === 'tool_call' && part.name === 'Bash' ? [part.id] : [],
        )
      : [],
  );
  expect(commands.filter((id) => started.includes(id)).length).toBeGreaterThanOrEqual(counted.length);
}

function printedBy(stdout: string): AgentEvent[] {
  const whole = stdout.slice(0, stdout.lastIndexOf('\n') + 1).split('\n');
  return whole.flatMap((line) => (line === '' ? [] : [JSON.parse(line) as AgentEvent]));
}

/** A simple parser for the complete lines. */
function recordsIn(file: string): JournalRecord[] {
  const text = readFileSync(file, 'utf8');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  return whole.flatMap((line) => (line === '' ? [] : [JSON.parse(line) as JournalRecord]));
}

/** The messages, and the partial content of a reply without a final message. */
function messagesOf(records: readonly JournalRecord[]): Message[] {
  const messages = records.flatMap((record) => (record.type === 'message' ? [record.message] : []));
  const begun = records.findLastIndex(({ type }) => type === 'reply');
  const since = begun === -1 ? [] : records.slice(begun);
  const [reply] = since;
  if (reply?.type !== 'reply' || since.some(({ type }) => type === 'message')) return messages;
  const content: { type: 'text' | 'thinking'; text: string }[] = [];
  for (const record of since) {
    if (record.type !== 'delta') continue;
    const last = content.at(-1);
    if (last?.type === record.kind) last.text += record.text;
    else content.push({ type: record.kind, text: record.text });
  }
  if (content.length === 0) return messages;
  const { provider, model, at } = reply;
  return [...messages, { role: 'assistant', content, provider, model, stopReason: 'cut', timestamp: at }];
}

function leftoversIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.tmp|\.aca-|\.old$/.test(name),
  );
}
