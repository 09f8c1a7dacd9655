import { readdirSync } from 'node:fs';
import path from 'node:path';
import { closeCall, openCallsOf } from '../../agent/history.ts';
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
import { compareText } from '../../lib/text/compare.ts';
import { counted } from '../../lib/text/counted.ts';
import { requireKnownVersion } from '../../session/journal-version.ts';
import { lostRecords } from '../../session/lost-records.ts';
import { parseJournal } from '../../session/parse.ts';
import { fold, type JournalRecord } from '../../session/records.ts';
import type { SessionPlace } from '../../session/session-place.ts';

/** What happened in a conversation, in order, including what was rewound later. */
type ScriptItem = { type: 'message'; message: Message } | { type: 'rewind'; keep: number } | { type: 'end' };

/** Why a call is not run again that was running when the program ended. */
export const CUT_OFF = 'the program ended while it ran';

/** Why a call is not run again that was never run. */
export const NOT_RUN = 'it was not run in the session either';

/** A call as the journal knows it. */
export type KnownCall = {
  /** The tool as the model named it; the result has the name of the one that ran. */
  name: string;
  result: ToolMessage;
  /** Why it is not run again, if that follows from the journal alone. */
  unrepeatable: string | null;
  /** It was answered without having run: by a rule, the mode, the guard, a hook or the user. */
  isRefused: boolean;
};

export type Script = {
  session: Session;
  /** What was copied from another session: it happened there. */
  inherited: Message[];
  items: ScriptItem[];
  /** By the id of the subagent; several if an id was used again after a rewind, oldest first. */
  subagents: Map<string, Session[]>;
  calls: Map<string, KnownCall[]>;
  /** How often the conversation was compacted. */
  compactions: number;
  notes: string[];
};

export function readScript(place: SessionPlace): Script {
  const journal = readJournal(place.journal, place.id);
  const { records, session, notes } = journal;
  const calls = new Map<string, KnownCall[]>();
  learnCalls(journal, calls);
  const subagents = readSubagents(place, (other) => learnCalls(other, calls));
  const recorded = records.flatMap((record): ScriptItem[] => {
    if (record.type === 'message' || record.type === 'rewind') return [record];
    return record.type === 'end' ? [{ type: 'end' }] : [];
  });
  const all = [...recorded, ...journal.closing.map((message) => ({ type: 'message' as const, message }))];
  const items = all.slice(session.parent?.messages ?? 0);
  const inherited = all
    .slice(0, all.length - items.length)
    .flatMap((item) => (item.type === 'message' ? [item.message] : []));
  if (inherited.length > 0)
    notes.push(
      `${counted(inherited.length, 'message')} came from another session: they are taken as they are, and the rest is replayed.`,
    );
  const compactions = records.filter(({ type }) => type === 'compaction').length;
  return { session, inherited, items, subagents, calls, compactions, notes };
}

/** The conversations of subagents by id, oldest first. */
export function readSubagents(
  { subagents: folder }: Pick<SessionPlace, 'subagents'>,
  learn: (journal: Journal) => void = () => undefined,
): Script['subagents'] {
  const found: Script['subagents'] = new Map();
  for (const name of unlessErrno(['ENOENT'], [], () => readdirSync(folder)).sort()) {
    const id = /^([0-9a-f]+)(-\d+)?\.jsonl$/.exec(name)?.[1];
    if (id === undefined) continue;
    const journal = readJournal(path.join(folder, name), name);
    learn(journal);
    const { session, closing } = journal;
    const all = [...(found.get(id) ?? []), { ...session, messages: [...session.messages, ...closing] }];
    found.set(
      id,
      all.sort((a, b) => compareText(a.startedAt, b.startedAt)),
    );
  }
  return found;
}

type Journal = {
  records: readonly JournalRecord[];
  session: Session;
  /** The answers to the calls that were open when the program ended, as resuming it would give them. */
  closing: ToolMessage[];
  notes: string[];
};

function readJournal(file: string, id: string): Journal {
  const bytes = readRegularFile(file);
  requireKnownVersion(bytes, id);
  const { records, damaged } = parseJournal(bytes);
  const folded = fold(records, id);
  const session = folded?.session;
  if (!folded || !session?.workingDirectory)
    throw new UserError(
      `The file of session ${id.slice(0, 8)} is damaged: its start is lost, so it cannot be replayed.`,
      'Replay another session.',
    );
  const notes =
    damaged.length === 0
      ? []
      : [`The session's file is damaged. Lost: ${lostRecords(damaged).join(', ')}. The rest is replayed.`];
  const { unfinished } = folded;
  const at = session.messages.at(-1)?.timestamp ?? session.startedAt;
  const closing = openCallsOf(session.messages).map((call) => closeCall(call, unfinished, at));
  return { records, session, closing, notes };
}

function learnCalls({ records, closing }: Journal, calls: Map<string, KnownCall[]>): void {
  const answered = new Set(
    records.flatMap((one) => (one.type === 'call_answered' ? [one.message.callId] : [])),
  );
  const started = new Set(records.flatMap((one) => (one.type === 'call_started' ? [one.callId] : [])));
  const made = new Map(
    records
      .flatMap((one) =>
        one.type === 'message' && one.message.role === 'assistant' ? toolCallsOf(one.message) : [],
      )
      .map((call) => [call.id, call]),
  );
  const messages = records.flatMap((record) => (record.type === 'message' ? [record.message] : []));
  for (const result of [...messages, ...closing]) {
    if (result.role !== 'tool') continue;
    const { callId, metadata } = result;
    const unrepeatable =
      metadata?.interrupted === true
        ? 'it was interrupted'
        : made.get(callId)?.repeats !== undefined
          ? 'it repeated an earlier call'
          : answered.has(callId)
            ? null
            : started.has(callId)
              ? CUT_OFF
              : 'it did not run in this session';
    const name = made.get(callId)?.name ?? result.name;
    const isRefused = unrepeatable === null && !started.has(callId) && !result.success;
    calls.set(callId, [...(calls.get(callId) ?? []), { name, result, unrepeatable, isRefused }]);
  }
}

/** The replies of a subagent, in order. */
export function repliesOf({ messages }: Pick<Session, 'messages'>): AssistantMessage[] {
  return messages.flatMap((message) => (message.role === 'assistant' ? [message] : []));
}
