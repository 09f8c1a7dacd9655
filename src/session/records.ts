import {
  type AssistantMessage,
  type Message,
  type ToolCallPart,
  type ToolMessage,
  toolCallsOf,
  type UserMessage,
} from '../contract/message.ts';
import type { Permission } from '../contract/permission.ts';
import type { TextSource } from '../contract/provenance.ts';
import {
  type CallDecision,
  rewindSession,
  type Session,
  type SessionChoices,
  type SessionSettings,
  type SubagentOrigin,
} from '../contract/session.ts';
import { changeView, type ViewChange, wholeView } from '../contract/view.ts';
import type { SealedGrant } from './grant-seal.ts';

/** One line of a session file. Unknown types are kept and ignored. */
export type JournalRecord =
  | ({ type: 'header'; version: 1; settings: SessionSettings } & Pick<
      Session,
      'id' | 'workingDirectory' | 'startedAt' | 'parent'
    >)
  /** The conversation of a subagent. */
  | ({ type: 'subagent' } & SubagentOrigin)
  | { type: 'message'; message: Message }
  /** A reply starts; its `delta` records follow until its `message` replaces them. */
  | { type: 'reply'; provider: string; model: string; at: string }
  | { type: 'delta'; kind: 'text' | 'thinking'; text: string }
  /** Reclassifies all deltas of this reply. */
  | { type: 'reclassify'; as: 'text' | 'thinking' }
  | { type: 'call_started'; callId: string }
  | { type: 'call_answered'; message: ToolMessage }
  /** Somebody answered the question about a call. */
  | ({ type: 'decision'; callId: string } & CallDecision)
  /** What the user chose from here on; earlier choices of other things still apply. */
  | { type: 'choices'; choices: SessionChoices }
  | { type: 'cost'; costUsd: number | null }
  /** From here on, a worker with this fencing token writes: those with a lower one have lost the session. */
  | { type: 'fence'; token: number }
  | ({ type: 'grant' } & SealedGrant)
  /** A revoked grant. */
  | { type: 'ungrant'; pattern: string }
  /** Untrusted text, or private data, was read. */
  | { type: 'source'; source: TextSource }
  | { type: 'title'; title: string }
  | { type: 'pin'; pinned: boolean }
  /** The conversation continues from its first `keep` messages. */
  | { type: 'rewind'; keep: number }
  | ViewChange
  /** A run has ended. */
  | { type: 'end' };

/** The result of folding a session's records. */
export type Folded = {
  session: Session;
  /** Calls that were running when the last record was written. */
  unfinished: { started: Set<string>; answered: Map<string, ToolMessage> };
  costUsd: number | null;
  /** The newest fencing token; 0 if no worker of a fleet wrote it. */
  fence: number;
  /** Grants that this program did not write; not included in the session's. */
  foreign: Permission[];
};

/** Whether a grant was written by this program. */
export type IsOwnGrant = (grant: SealedGrant) => boolean;

/** `id` is used if the header is damaged. Null if there is neither a header nor a message. */
export function fold(
  records: Iterable<JournalRecord>,
  id: string,
  isOwnGrant: IsOwnGrant = () => true,
): Folded | null {
  const folding = new Folding(id, isOwnGrant);
  for (const record of records) folding.take(record);
  return folding.finish();
}

const LOST_ANSWER = 'The result of this call was lost, so its outcome is unknown. Check before repeating it.';
const LOST_PROMPT = '[The start of this conversation was lost.]';

/**
 * Produces a history that can be sent, whatever was damaged or duplicated: it starts with a user message, and
 * every call that is followed by something has exactly one answer, right after it.
 */
class Folding {
  readonly #id: string;
  readonly #isOwnGrant: IsOwnGrant;
  readonly #foreign: Permission[] = [];
  #session: Session | undefined;
  readonly #started = new Set<string>();
  readonly #answered = new Map<string, ToolMessage>();
  #costUsd: number | null = 0;
  #fence = 0;
  #reply: AssistantMessage | undefined;
  /** All calls so far, and those without an answer. */
  readonly #calls = new Set<string>();
  readonly #open = new Map<string, ToolCallPart>();
  /** Answers that came before their call. */
  readonly #strays = new Map<string, ToolMessage>();
  /** Records before the header have no session yet. */
  readonly #early: Exclude<JournalRecord, { type: 'header' }>[] = [];

  constructor(id: string, isOwnGrant: IsOwnGrant) {
    this.#id = id;
    this.#isOwnGrant = isOwnGrant;
  }

  take(record: JournalRecord): void {
    if (record.type === 'header') this.#begin(record);
    else if (this.#session) this.#add(record, this.#session);
    else this.#early.push(record);
  }

  finish(): Folded | null {
    const first = this.#early.find((record) => record.type === 'message');
    if (!this.#session && first) this.#begin(this.#headerBefore(first.message));
    if (!this.#session) return null;
    this.#keepPartial(this.#session);
    return {
      session: this.#session,
      unfinished: { started: this.#started, answered: this.#answered },
      costUsd: this.#costUsd,
      fence: this.#fence,
      foreign: this.#foreign,
    };
  }

  /**
   * The folder of the session is unknown: it is not the latest of any folder, and its grants are never valid.
   */
  #headerBefore({ timestamp }: Message): Extract<JournalRecord, { type: 'header' }> {
    const at = { workingDirectory: '', startedAt: timestamp };
    return { type: 'header', version: 1, id: this.#id, ...at, settings: { model: '' } };
  }

  #begin({ id, workingDirectory, startedAt, settings, parent }: Extract<JournalRecord, { type: 'header' }>) {
    if (this.#session) return;
    this.#session = {
      id,
      workingDirectory,
      startedAt,
      messages: [],
      permissions: [],
      settings,
      ...(parent && { parent }),
    };
    for (const record of this.#early.splice(0)) this.#add(record, this.#session);
  }

  #add(record: Exclude<JournalRecord, { type: 'header' }>, session: Session): void {
    switch (record.type) {
      case 'message':
        this.#message(record.message, session);
        break;
      case 'reply': {
        const { provider, model, at } = record;
        const stopReason = 'cut' as const;
        this.#reply = { role: 'assistant', content: [], provider, model, stopReason, timestamp: at };
        break;
      }
      case 'delta':
        this.#delta(record);
        break;
      case 'reclassify':
        this.#reclassify(record.as);
        break;
      case 'call_started':
        this.#started.add(record.callId);
        break;
      case 'call_answered':
        this.#answered.set(record.message.callId, record.message);
        break;
      case 'decision': {
        const { callId, choice, by } = record;
        session.decisions = { ...session.decisions, [callId]: { choice, by } };
        break;
      }
      case 'choices':
        session.choices = { ...session.choices, ...record.choices };
        break;
      case 'cost':
        this.#costUsd =
          this.#costUsd === null || record.costUsd === null ? null : this.#costUsd + record.costUsd;
        break;
      case 'fence':
        this.#fence = Math.max(this.#fence, record.token);
        break;
      case 'grant':
        (this.#isOwnGrant(record) ? session.permissions : this.#foreign).push(record.permission);
        break;
      case 'ungrant':
        session.permissions = session.permissions.filter(({ pattern }) => pattern !== record.pattern);
        break;
      case 'source':
        session.sources = [...(session.sources ?? []), record.source];
        break;
      case 'subagent': {
        const { type: _, ...origin } = record;
        session.subagent = origin;
        break;
      }
      case 'title':
        session.title = record.title;
        break;
      case 'pin':
        if (record.pinned) session.pinned = true;
        else delete session.pinned;
        break;
      case 'rewind':
        this.#keepPartial(session);
        rewindSession(session, record.keep);
        this.#recount(session);
        break;
      case 'compaction':
      case 'uncompact':
      case 'pin_fact':
      case 'unpin_fact':
      case 'estimate':
      case 'epoch':
      case 'mask':
        session.view = changeView(session.view ?? wholeView, record);
        break;
      case 'end':
        // A run that ended normally has saved everything.
        this.#reply = undefined;
        break;
      default:
        // A type of a newer version.
        record satisfies never;
    }
  }

  #message(message: Message, session: Session): void {
    switch (message.role) {
      case 'user':
        this.#keepPartial(session);
        this.#closeCalls(session);
        session.messages.push(message);
        break;
      case 'assistant':
        this.#reply = undefined;
        this.#addReply(message, session);
        break;
      case 'tool':
        this.#started.delete(message.callId);
        this.#answered.delete(message.callId);
        if (this.#open.delete(message.callId)) session.messages.push(message);
        else if (!this.#calls.has(message.callId)) this.#strays.set(message.callId, message);
        break;
      default:
        message satisfies never;
    }
  }

  #addReply(message: AssistantMessage, session: Session): void {
    const fresh = freshCalls(message, this.#calls);
    const duplicates = toolCallsOf(message).length - fresh.length;
    // A duplicate: its text and calls are already recorded.
    if (duplicates > 0 && fresh.length === 0) return;
    this.#closeCalls(session);
    if (session.messages.length === 0) session.messages.push(lostPrompt(message.timestamp));
    const reply = duplicates > 0 ? { ...message, content: fresh } : message;
    session.messages.push(reply);
    for (const call of toolCallsOf(reply)) {
      this.#calls.add(call.id);
      this.#open.set(call.id, call);
      const stray = this.#strays.get(call.id);
      if (stray) this.#answered.set(call.id, stray);
    }
  }

  /** Answers open calls that are followed by another message. */
  #closeCalls(session: Session): void {
    for (const call of this.#open.values()) {
      const timestamp = session.messages.at(-1)?.timestamp ?? '';
      session.messages.push(this.#answered.get(call.id) ?? lostAnswer(call, timestamp));
      this.#started.delete(call.id);
      this.#answered.delete(call.id);
    }
    this.#open.clear();
  }

  #recount({ messages }: Session): void {
    for (const known of [this.#started, this.#answered, this.#calls, this.#open, this.#strays]) known.clear();
    for (const message of messages) {
      if (message.role === 'tool') this.#open.delete(message.callId);
      if (message.role !== 'assistant') continue;
      for (const call of toolCallsOf(message)) {
        this.#calls.add(call.id);
        this.#open.set(call.id, call);
      }
    }
  }

  #delta({ kind, text }: Extract<JournalRecord, { type: 'delta' }>): void {
    if (text === '') return;
    const last = this.#reply?.content.at(-1);
    if (last?.type === kind) last.text += text;
    else this.#reply?.content.push({ type: kind, text });
  }

  #reclassify(type: 'text' | 'thinking'): void {
    if (!this.#reply) return;
    const text = this.#reply.content.map((part) => (part.type === 'tool_call' ? '' : part.text)).join('');
    this.#reply.content = text === '' ? [] : [{ type, text }];
  }

  /** A reply without an end: keeps the part that was on the screen. */
  #keepPartial(session: Session): void {
    const reply = this.#reply;
    this.#reply = undefined;
    if (reply && reply.content.length > 0) this.#addReply(reply, session);
  }
}

/** Calls with ids not used before, not even in the same reply. */
function freshCalls(message: AssistantMessage, known: ReadonlySet<string>): ToolCallPart[] {
  const calls = toolCallsOf(message);
  return calls.filter(({ id }, i) => !known.has(id) && calls.findIndex((call) => call.id === id) === i);
}

function lostAnswer({ id, name }: ToolCallPart, timestamp: string): ToolMessage {
  const content = [{ type: 'text' as const, text: LOST_ANSWER }];
  return { role: 'tool', callId: id, name, success: false, content, timestamp };
}

function lostPrompt(timestamp: string): UserMessage {
  return { role: 'user', content: [{ type: 'text', text: LOST_PROMPT }], timestamp };
}
