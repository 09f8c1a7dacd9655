import type { ClientCapabilities, SessionUpdate, ToolCallUpdate } from '@agentclientprotocol/sdk';
import type { Answer } from '../../../contract/permission.ts';
import type { UserQuestion } from '../../../contract/tool.ts';
import { following, onAbort, unlessAborted } from '../../../lib/async/abort.ts';
import { atMostEvery } from '../../../lib/async/at-most-every.ts';
import { sha256 } from '../../../lib/sha256.ts';
import type { AboutQuestion, Approval, Client } from '../../acp/client.ts';
import type { ClientExtensions } from '../../acp/extension-methods.ts';
import type {
  ParticipantInfo,
  PermissionMeta,
  QuestionMeta,
  SessionTurnEvent,
  Typing,
} from '../server-methods.ts';
import type { EventLog } from './event-log.ts';

/** How often everyone is told who is there. */
const TOLD_MS = 100;

/** How one participant is asked. Undefined is no answer: the question stays open for everyone else. */
export type Answers = {
  approve(approval: Approval, about: PermissionMeta, signal: AbortSignal): Promise<Answer | undefined>;
  ask(question: UserQuestion, about: QuestionMeta, signal: AbortSignal): Promise<string | null | undefined>;
  confirm(question: YesOrNo, about: PermissionMeta, signal: AbortSignal): Promise<boolean | undefined>;
};

/** A question for a yes or no, and what it is about. */
export type YesOrNo = { question: string; details: NonNullable<ToolCallUpdate['content']> };

export type Participant = {
  info: ParticipantInfo;
  /** Null for those who only watch. */
  answers: Answers | null;
  /** The list of the session's changes may differ now. */
  onChanges?(): void;
  onParticipants?(participants: ParticipantInfo[]): void;
  onTyping?(typing: Omit<Typing, 'sessionId'>): void;
  /** The session was closed. */
  onClosed?(): void;
  /** Someone else answered. */
  onAnswered?(text: string): void;
};

type Question = { put(participant: Participant): void };

export type RoomOptions = {
  log: EventLog;
  cwd: string;
  /** A participant answered a question about a call, in words, or with yes or no. `detail` says which and how. */
  onAnswered(by: ParticipantInfo, event: 'approved' | 'declined' | 'answered', detail: string): void;
  /** A participant answered a question about a call. */
  onDecided(by: ParticipantInfo, callId: string, answer: Answer): void;
  /** A question was asked or settled, or someone came or went. */
  onChange(): void;
};

/**
 * The participants of one session, as its client. Everything is logged for all of them; a question goes to all who
 * may answer, whenever they come, and the first answer counts.
 */
export class Room implements Client {
  readonly capabilities: ClientCapabilities = {
    session: { notices: {} },
    _meta: { aca: { subagents: true } } satisfies ClientExtensions,
  };
  /** The files are those on the disk. */
  readonly buffers = undefined;
  readonly #options: RoomOptions;
  readonly #participants = new Set<Participant>();
  readonly #questions = new Set<Question>();
  /** If many come at once, not everyone is told about each of them. */
  readonly #tellParticipants = atMostEvery(TOLD_MS, () => {
    const { participants } = this;
    for (const { onParticipants } of this.#participants) onParticipants?.(participants);
  });
  #asked = 0;

  constructor(options: RoomOptions) {
    this.#options = options;
  }

  get participants(): ParticipantInfo[] {
    return [...this.#participants].map(({ info }) => info);
  }

  /** Whether the session waits for an answer. */
  get isWaiting(): boolean {
    return this.#questions.size > 0;
  }

  /** Returns a function to leave. */
  join(participant: Participant): () => void {
    this.#participants.add(participant);
    this.#changed();
    for (const question of this.#questions) question.put(participant);
    return () => {
      if (this.#participants.delete(participant)) this.#changed();
    };
  }

  /** Shown to everyone else. */
  typing(participant: ParticipantInfo, isTyping: boolean): void {
    for (const other of this.#participants)
      if (other.info.id !== participant.id) other.onTyping?.({ participant, isTyping });
  }

  update(...updates: SessionUpdate[]): void {
    for (const update of updates) this.#options.log.append(update);
  }

  changesChanged(): void {
    for (const { onChanges } of this.#participants) onChanges?.();
  }

  /** Something that the protocol has no update for. */
  tell(event: SessionTurnEvent, by?: string): void {
    this.#options.log.append(
      { sessionUpdate: 'session_info_update' },
      { event, ...(by !== undefined && { by }) },
    );
  }

  /** The session was closed: nobody gets anything from here any more. */
  closed(): void {
    for (const { onClosed } of [...this.#participants]) onClosed?.();
  }

  async approve(approval: Approval, signal: AbortSignal): Promise<Answer> {
    const { toolCallId } = approval.toolCall;
    const requestId = this.#newId();
    const about = { requestId, digest: this.#digestOf(approval) };
    this.tell({ type: 'permission_asked', requestId, toolCallId });
    try {
      const { answer, by } = await this.#pose(
        (answers, withdrawn) => answers.approve(approval, about, withdrawn),
        signal,
      );
      this.tell({ type: 'permission_settled', requestId, optionId: answer.choice }, by.name);
      const { choice } = answer;
      const { callId, operation } = approval.request;
      this.#options.onDecided(by, callId, answer);
      this.#options.onAnswered(by, choice === 'no' ? 'declined' : 'approved', `${operation} (${choice})`);
      this.#tellOthers(by, `${choice === 'no' ? 'declined' : 'approved'}: ${operation}`);
      return answer;
    } catch (error) {
      this.tell({ type: 'permission_settled', requestId, optionId: null });
      throw error;
    }
  }

  async ask(question: UserQuestion, signal: AbortSignal): Promise<string | null> {
    const about = { requestId: this.#newId() };
    const told = { ...about, question: question.question };
    this.tell({ type: 'question_asked', ...told });
    const put = (answers: Answers, withdrawn: AbortSignal) => answers.ask(question, about, withdrawn);
    const { answer = null, by } = (await unlessAborted(this.#pose(put, signal), signal)) ?? {};
    this.tell({ type: 'question_settled', ...told, answer }, by?.name);
    if (by) {
      const event = answer === null ? 'declined' : 'answered';
      this.#options.onAnswered(by, event, [question.question, answer ?? []].flat().join(' '));
      this.#tellOthers(by, answer === null ? 'declined to answer' : `answered: ${answer}`);
    }
    return answer;
  }

  async confirm(
    question: string,
    signal: AbortSignal,
    { details = [], ownerOnly }: AboutQuestion = {},
  ): Promise<boolean> {
    const asked = { question, details };
    const requestId = this.#newId();
    const about = { requestId, digest: sha256(JSON.stringify([this.#options.cwd, asked])) };
    this.tell({ type: 'question_asked', requestId, question });
    const put = async (answers: Answers, withdrawn: AbortSignal, { role }: ParticipantInfo) =>
      ownerOnly && role !== 'owner' ? undefined : answers.confirm(asked, about, withdrawn);
    const { answer = null, by } = (await unlessAborted(this.#pose(put, signal), signal)) ?? {};
    const words = answer === null ? null : answer ? 'Yes' : 'No';
    this.tell({ type: 'question_settled', requestId, question, answer: words }, by?.name);
    if (by) {
      this.#options.onAnswered(by, answer ? 'approved' : 'declined', question);
      this.#tellOthers(by, `answered ${words} to: ${question}`);
    }
    return answer === true;
  }

  /** Resolves with the first answer, however long it takes. Rejects when the question is withdrawn. */
  #pose<Value>(
    put: (answers: Answers, withdrawn: AbortSignal, asked: ParticipantInfo) => Promise<Value | undefined>,
    signal: AbortSignal,
  ): Promise<{ answer: Value; by: ParticipantInfo }> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const withdrawn = following(signal);
      const end = () => {
        stopping.off();
        this.#questions.delete(question);
        this.#changed();
        withdrawn.stop();
      };
      const question: Question = {
        put: (participant) => {
          if (!participant.answers) return;
          const asked = put(participant.answers, withdrawn.signal, participant.info);
          // A participant who cannot be reached has not answered.
          asked.catch(() => undefined).then((answer) => take(answer, participant));
        },
      };
      const take = (answer: Value | undefined, participant: Participant) => {
        const isOpen = this.#questions.has(question) && this.#participants.has(participant);
        if (answer === undefined || !isOpen) return;
        end();
        withdrawn.abort(new DOMException('The question was answered by someone else.', 'AbortError'));
        resolve({ answer, by: participant.info });
      };
      const stopping = onAbort(signal, () => {
        end();
        reject(signal.reason);
      });
      this.#questions.add(question);
      this.#changed();
      for (const participant of this.#participants) question.put(participant);
    });
  }

  #newId(): string {
    this.#asked++;
    return `${this.#options.log.epoch}-${this.#asked}`;
  }

  #tellOthers(by: ParticipantInfo, what: string): void {
    for (const { info, onAnswered } of this.#participants)
      if (info.id !== by.id) onAnswered?.(`${by.name} ${what}`);
  }

  /** Of exactly what would be done. */
  #digestOf({ request }: Approval): string {
    const { callId, tool, operation, accesses, preview } = request;
    return sha256(JSON.stringify([this.#options.cwd, callId, tool, operation, accesses, preview ?? null]));
  }

  #changed(): void {
    this.#tellParticipants();
    this.#options.onChange();
  }
}
