import { randomUUID } from 'node:crypto';
import type { SessionUpdate, StopReason } from '@agentclientprotocol/sdk';
import { topicOf } from '../../../app/conversation/topic.ts';
import type { Opened } from '../../../app/open-assistant.ts';
import { isCommandLine } from '../../../commands/dispatch.ts';
import { ownCommandIn } from '../../../commands/own-command.ts';
import type { AgentEvent } from '../../../contract/event.ts';
import type { SentPrompt, TurnEnd } from '../../acp/prompt-turns.ts';
import type { AcpSession } from '../../acp/session.ts';
import type { PastUpdate } from '../../acp/updates/history-updates.ts';
import type { SessionEvent } from '../../acp/updates/session-event.ts';
import type { Position, SessionOverview, SessionState, WaitingPrompt } from '../server-methods.ts';
import type { AcceptedPrompts } from './accepted-prompts.ts';
import { EventLog } from './event-log.ts';
import { noteDecision } from './note-decision.ts';
import { Room, type RoomOptions } from './room.ts';
import type { Delivery } from './watch.ts';

const LAST_LINE_CHARACTERS = 200;
/** How long the saved conversation is kept for the next client: many may join at once. */
const PAST_MS = 10_000;
/** Enough for what a turn shows before its message is saved. */
const MOST_TURN_EVENTS = 5_000;
/** In place of a participant who is not here any more. */
const EARLIER = 'earlier';
/** Answers of prompts that are kept for a client that sends one again. */
const MOST_ANSWERS = 500;

export type HostedOptions = Pick<RoomOptions, 'cwd' | 'onAnswered' | 'onChange'> & {
  epoch: string;
  accepted: AcceptedPrompts;
  /** What it cost before it was opened here; null if unknown. */
  costUsd: number | null;
  /** How it was when it was closed by this server. */
  before?: SessionOverview;
  /** The last run was cut off when the server ended. */
  wasInterrupted: boolean;
  onTurn(isRunning: boolean): void;
};

/** One session of the server: a conversation that goes on whoever watches, also if nobody does. */
export class HostedSession {
  readonly log: EventLog;
  readonly room: Room;
  readonly #options: HostedOptions;
  #session: AcpSession | null = null;
  readonly #answers = new Map<string, Promise<StopReason>>();
  /** It is being closed: prompts that end now are not over. */
  #isReleased = false;
  /** How many messages the saved conversation has, as of `log.saved`. */
  #messages = 0;
  #savedTimes = 0;
  /** The saved conversation, while it is needed. */
  #past: Delivery[] | null = null;
  #forgetPast: NodeJS.Timeout | undefined;
  /** The start of the run that is going on, and the events of its turn. */
  #run: AgentEvent[] = [];
  #turn: AgentEvent[] = [];
  #state: SessionState;
  #costUsd = 0;
  #answer = '';
  #updatedAt: string;
  #usedAt = performance.now();

  constructor(options: HostedOptions) {
    const { epoch, cwd, onAnswered, onChange } = options;
    this.#options = options;
    this.#state = options.wasInterrupted ? 'interrupted' : (options.before?.state ?? 'idle');
    this.#answer = options.before?.lastLine ?? '';
    this.#updatedAt = options.before?.updatedAt ?? new Date().toISOString();
    this.log = new EventLog(epoch);
    const changed = () => {
      this.used();
      onChange();
    };
    const onDecided: RoomOptions['onDecided'] = (by, callId, { choice }) =>
      void noteDecision(this.session.opened, callId, { choice, by: by.name });
    this.room = new Room({ log: this.log, cwd, onAnswered, onDecided, onChange: changed });
  }

  get cwd(): string {
    return this.#options.cwd;
  }

  get session(): AcpSession {
    if (!this.#session) throw new Error('The session is not open yet.');
    return this.#session;
  }

  get state(): SessionState {
    return this.room.isWaiting ? 'waiting' : this.#state;
  }

  used(): void {
    this.#usedAt = performance.now();
  }

  /** Nobody has been here for some time, and nothing runs or waits. */
  isIdle(afterMs: number): boolean {
    const { isBusy, opened } = this.session;
    const isNeeded =
      isBusy || this.room.isWaiting || this.room.participants.length > 0 || opened.shells() > 0;
    return !isNeeded && performance.now() - this.#usedAt >= afterMs;
  }

  /** What has happened since the last message was saved, for a screen that is opened now. */
  get turnEvents(): readonly AgentEvent[] {
    return [...this.#run, ...this.#turn];
  }

  bind(session: AcpSession): void {
    this.#session = session;
    this.#follow(session.opened);
    session.listen((event) => this.#take(event));
    void session.opened.opened.ready.then(() => this.#offerAccepted());
  }

  /** Resolves when it is answered. It is on the disk before anything happens with it, and runs once per id. */
  prompt(prompt: SentPrompt, id: string = randomUUID()): Promise<StopReason> {
    if (prompt.resumes) return this.session.prompt(prompt);
    const answer = this.#answers.get(id) ?? this.#accept(prompt, id);
    this.#answers.set(id, answer);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > MOST_ANSWERS && oldest !== undefined) this.#answers.delete(oldest);
    return answer;
  }

  async #accept(prompt: SentPrompt, id: string): Promise<StopReason> {
    const { accepted } = this.#options;
    if (accepted.has(id) || this.#contains(id)) return 'end_turn';
    const { text, images, after, isGuest, from } = prompt;
    const by = from?.name ?? '';
    const about = { ...(after && { after }), ...(isGuest && { isGuest }) };
    await accepted.add({ id, by, text, images: [...images], ...about });
    // The same object is in the session's events.
    prompt.sent = { id, by };
    try {
      return await this.session.prompt(prompt);
    } finally {
      this.#settled(prompt);
    }
  }

  #settled({ sent }: SentPrompt): void {
    if (sent && !this.#isReleased) void this.#options.accepted.done(sent.id);
  }

  #contains(id: string): boolean {
    return this.session.opened.controller.session.messages.some(
      ({ role, content }) =>
        role === 'user' && content.some((part) => part.type === 'text' && part.sent?.id === id),
    );
  }

  /** What was accepted before the server ended, and no run has taken. */
  #offerAccepted(): void {
    const { accepted } = this.#options;
    for (const { id } of accepted.prompts) if (this.#contains(id)) void accepted.saved(id);
    const held = accepted.prompts.map(
      ({ id, by, text, images, after, isGuest }): SentPrompt => ({
        text,
        images,
        ...(after && { after }),
        ...(isGuest && { isGuest }),
        from: { id: EARLIER, name: by },
        sent: { id, by },
      }),
    );
    if (held.length > 0) this.session.hold(held);
  }

  /** It is closed from now on; prompts that no run has taken are offered when it is opened again. */
  release(): void {
    this.#isReleased = true;
  }

  /** Everything is on the disk. */
  settled(): Promise<void> {
    return this.#options.accepted.settled();
  }

  /** Everything a new client needs to know, and the position from which it can follow. */
  async snapshot(): Promise<{ first: Delivery[]; position: Position }> {
    await this.session.opened.opened.ready;
    while (!this.#past) await this.#readPast();
    return { first: [...this.#past, ...this.log.unsaved()], position: this.log.position };
  }

  overview(): SessionOverview {
    const { id, opened } = this.session;
    const { costUsd } = this.#options;
    return {
      id,
      title: topicOf(opened.controller.session),
      cwd: this.cwd,
      state: this.state,
      costUsd: costUsd === null ? null : costUsd + this.#costUsd,
      lastLine: lastLineOf(this.#answer),
      updatedAt: this.#updatedAt,
      participants: this.room.participants.length,
    };
  }

  async #readPast(): Promise<void> {
    const savedAt = this.#savedTimes;
    const subagents = await this.session.subagents();
    // What was saved meanwhile may be of subagents that were read too early.
    if (savedAt !== this.#savedTimes) return;
    clearTimeout(this.#forgetPast);
    this.#forgetPast = setTimeout(() => {
      this.#past = null;
    }, PAST_MS).unref();
    this.#past = this.session.past(subagents, this.#messages).map(pastDelivery);
  }

  /** The saved conversation contains everything so far. */
  #saved(): void {
    this.log.saved();
    this.#past = null;
    this.#savedTimes++;
    this.#messages = this.session.opened.controller.session.messages.length;
    this.#turn = [];
  }

  #follow({ controller, opened }: Opened): void {
    void opened.ready.then(() => {
      if (!this.session.isBusy) this.#saved();
    });
    controller.listen((event) => {
      if (event.type === 'run_start') this.#run = [event];
      if (event.type === 'end') this.#run = [];
      if (event.type === 'message' && event.message.role === 'user')
        for (const part of event.message.content)
          if (part.type === 'text' && part.sent) void this.#options.accepted.saved(part.sent.id);
      // Every call before it has its result.
      if (event.type === 'turn_start') this.#saved();
      if (this.#turn.length < MOST_TURN_EVENTS && event.type !== 'run_start') this.#turn.push(event);
      if (event.type === 'end') this.#saved();
      if (event.type === 'turn_start') this.#answer = '';
      if (event.type === 'text') this.#answer = (this.#answer + event.text).slice(-LAST_LINE_CHARACTERS * 2);
      if (event.type === 'usage') this.#costUsd += event.costUsd ?? 0;
    });
  }

  #take(event: SessionEvent): void {
    switch (event.type) {
      case 'opened':
        this.#follow(event.opened);
        return;
      case 'prompted':
        this.#prompted(event.prompts);
        return;
      case 'waiting':
        this.room.tell({ type: 'prompts_waiting', prompts: event.prompts.map(waitingOf) });
        return;
      case 'rewound':
        this.#saved();
        this.room.tell({ type: 'rewound' });
        return;
      case 'ended':
        this.#ended(event.end);
        return;
      case 'settled':
        this.#settled(event.prompt);
        return;
      case 'said':
      case 'run_ended':
        return;
      default:
        event satisfies never;
    }
  }

  #prompted(prompts: readonly SentPrompt[]): void {
    if (this.#state !== 'working') {
      this.#options.onTurn(true);
      this.room.tell({ type: 'turn_started' });
    }
    for (const prompt of prompts) {
      const { from, sent, text } = prompt;
      const about = { ...(from && { by: from.name }), ...(sent && { promptId: sent.id }) };
      for (const update of updatesOf(prompt)) this.log.append(update, about, from?.id);
      // A command is not repeated, whatever ends the server now.
      const isCommand = isCommandLine(text) || ownCommandIn(text) !== null;
      if (sent && isCommand) void this.#options.accepted.done(sent.id);
    }
    this.#become('working');
  }

  #ended(end: TurnEnd): void {
    this.#options.onTurn(false);
    if (typeof end === 'string') this.room.tell({ type: 'turn_ended', stopReason: end });
    else this.room.tell({ type: 'turn_failed', message: messageOf(end.error) });
    this.#become(typeof end === 'string' ? 'done' : 'failed');
  }

  #become(state: SessionState): void {
    this.#state = state;
    this.#updatedAt = new Date().toISOString();
    this.used();
    this.#options.onChange();
  }
}

/** As it was when it happened. */
export function pastDelivery({ update, by, promptId, decision }: PastUpdate): Delivery {
  const meta = {
    ...(by !== undefined && { by }),
    ...(promptId !== undefined && { promptId }),
    ...(decision && { decision: { optionId: decision.choice, by: decision.by } }),
  };
  return { update, meta };
}

function waitingOf({ text, from, sent }: SentPrompt): WaitingPrompt {
  return {
    text,
    ...(from && { from: from.id, by: from.name }),
    ...(sent && { promptId: sent.id }),
    ...(from?.id === EARLIER && { held: true }),
  };
}

function updatesOf({ text, images, sent }: SentPrompt): SessionUpdate[] {
  const parts = [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...images.map(({ mediaType, data }) => ({ type: 'image' as const, mimeType: mediaType, data })),
  ];
  const of = sent && { messageId: sent.id };
  return parts.map((content) => ({ sessionUpdate: 'user_message_chunk', content, ...of }));
}

function lastLineOf(text: string): string {
  const line = text.trim().split('\n').at(-1) ?? '';
  return line.slice(-LAST_LINE_CHARACTERS);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
