import { readdirSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import {
  type AssistantMessage,
  type Message,
  type ToolMessage,
  toolCallsOf,
} from '../../contract/message.ts';
import type { Session } from '../../contract/session.ts';
import { unlessErrno } from '../../lib/files/errno.ts';
import { readRegularFile } from '../../lib/files/regular-file.ts';
import { requireKnownVersion } from '../../session/journal-version.ts';
import { lostRecords } from '../../session/lost-records.ts';
import { parseJournal } from '../../session/parse.ts';
import { fold, type JournalRecord } from '../../session/records.ts';
import type { SessionPlace } from '../../session/session-place.ts';

/** What happened in a conversation, in order, including what was rewound later. */
type ScriptItem = { type: 'message'; message: Message } | { type: 'rewind'; keep: number } | { type: 'end' };

/** A call as the journal knows it. */
export type KnownCall = {
  result: ToolMessage;
  /** Why it is not run again, if that follows from the journal alone. */
  unrepeatable: string | null;
};

export type Script = {
  session: Session;
  items: ScriptItem[];
  /** By the id of the subagent; several if an id was used again after a rewind, oldest first. */
  subagents: Map<string, Session[]>;
  calls: Map<string, KnownCall[]>;
  /** How often the conversation was compacted. */
  compactions: number;
  notes: string[];
};

export function readScript(place: SessionPlace): Script {
  const { records, session, notes } = readJournal(place.journal, place.id);
  const calls = new Map<string, KnownCall[]>();
  learnCalls(records, calls);
  const subagents = new Map<string, Session[]>();
  for (const name of unlessErrno(['ENOENT'], [], () => readdirSync(place.subagents)).sort()) {
    const id = /^([0-9a-f]+)(-\d+)?\.jsonl$/.exec(name)?.[1];
    if (id === undefined) continue;
    const one = readJournal(path.join(place.subagents, name), name);
    learnCalls(one.records, calls);
    subagents.set(
      id,
      [...(subagents.get(id) ?? []), one.session].sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1)),
    );
  }
  const items = records.flatMap((record): ScriptItem[] => {
    if (record.type === 'message' || record.type === 'rewind') return [record];
    return record.type === 'end' ? [{ type: 'end' }] : [];
  });
  const compactions = records.filter(({ type }) => type === 'compaction').length;
  return { session, items, subagents, calls, compactions, notes };
}

function readJournal(file: string, id: string) {
  const bytes = readRegularFile(file);
  requireKnownVersion(bytes, id);
  const { records, damaged } = parseJournal(bytes);
  const session = fold(records, id)?.session;
  if (!session?.workingDirectory)
    throw new UserError(
      `The file of session ${id.slice(0, 8)} is damaged: its start is lost, so it cannot be replayed.`,
      'Replay another session.',
    );
  const notes =
    damaged.length === 0
      ? []
      : [`The session's file is damaged. Lost: ${lostRecords(damaged).join(', ')}. The rest is replayed.`];
  return { records, session, notes };
}

function learnCalls(records: readonly JournalRecord[], calls: Map<string, KnownCall[]>): void {
  const answered = new Set(
    records.flatMap((one) => (one.type === 'call_answered' ? [one.message.callId] : [])),
  );
  const repeated = new Set(
    records
      .flatMap((one) =>
        one.type === 'message' && one.message.role === 'assistant' ? toolCallsOf(one.message) : [],
      )
      .flatMap(({ id, repeats }) => (repeats === undefined ? [] : [id])),
  );
  for (const record of records) {
    if (record.type !== 'message' || record.message.role !== 'tool') continue;
    const { message: result } = record;
    const { callId, metadata } = result;
    const unrepeatable =
      metadata?.interrupted === true
        ? 'it was interrupted'
        : repeated.has(callId)
          ? 'it repeated an earlier call'
          : answered.has(callId)
            ? null
            : 'the program ended while it ran';
    calls.set(callId, [...(calls.get(callId) ?? []), { result, unrepeatable }]);
  }
}

/** The replies of a subagent, in order. */
export function repliesOf({ messages }: Pick<Session, 'messages'>): AssistantMessage[] {
  return messages.flatMap((message) => (message.role === 'assistant' ? [message] : []));
}
