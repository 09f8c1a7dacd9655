import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { topicOf } from '../../../app/conversation/topic.ts';
import type { Opened } from '../../../app/open-assistant.ts';
import type { AgentEvent } from '../../../contract/event.ts';
import type { SentPrompt, TurnEnd } from '../../acp/prompt-turns.ts';
import type { AcpSession } from '../../acp/session.ts';
import type { SessionEvent } from '../../acp/session-event.ts';
import type { Position, SessionOverview, SessionState, WaitingPrompt } from '../server-methods.ts';
import { EventLog } from './event-log.ts';
import { Room, type RoomOptions } from './room.ts';
import type { Delivery } from './watch.ts';

const LAST_LINE_CHARACTERS = 200;
/** Enough for what a turn shows before its message is saved. */
const MOST_TURN_EVENTS = 5_000;

export type HostedOptions = Pick<RoomOptions, 'cwd' | 'onAnswered' | 'onChange'> & {
  epoch: string;
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
  /** How many messages the saved conversation has, as of `log.saved`. */
  #messages = 0;
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
    this.room = new Room({ log: this.log, cwd, onAnswered, onChange: changed });
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
  }

  /** Everything a new client needs to know, and the position from which it can follow. */
  async snapshot(): Promise<{ first: Delivery[]; position: Position }> {
    await this.session.opened.opened.ready;
    const past = this.session.past(this.#messages).map((update) => ({ update, meta: {} }));
    return { first: [...past, ...this.log.unsaved()], position: this.log.position };
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

  /** The saved conversation contains everything so far. */
  #saved(): void {
    this.log.saved();
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
      const { id, name } = prompt.from ?? {};
      for (const update of updatesOf(prompt))
        this.log.append(update, name === undefined ? {} : { by: name }, id);
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

function waitingOf({ text, from }: SentPrompt): WaitingPrompt {
  return { text, ...(from && { from: from.id, by: from.name }) };
}

function updatesOf({ text, images }: SentPrompt): SessionUpdate[] {
  const parts = [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...images.map(({ mediaType, data }) => ({ type: 'image' as const, mimeType: mediaType, data })),
  ];
  return parts.map((content) => ({ sessionUpdate: 'user_message_chunk', content }));
}

function lastLineOf(text: string): string {
  const line = text.trim().split('\n').at(-1) ?? '';
  return line.slice(-LAST_LINE_CHARACTERS);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
