import type { AgentEvent } from '../contract/event.ts';
import type { Message } from '../contract/message.ts';
import type { Permission } from '../contract/permission.ts';
import type { TextSource } from '../contract/provenance.ts';
import type { Session } from '../contract/session.ts';
import { changeView, type ViewChange, wholeView } from '../contract/view.ts';
import type { EventChannel } from '../lib/async/event-channel.ts';
import type { CallLog, SessionLog } from './session-log.ts';

export type SessionWriterDeps = {
  session: Session;
  log: SessionLog;
  /** Receives each event after it is saved. */
  events: EventChannel<AgentEvent>;
};

/**
 * All changes to one session: each is saved before listeners are notified. A failing disk causes a warning
 * and never stops the conversation.
 */
export class SessionWriter {
  readonly session: Session;
  readonly events: EventChannel<AgentEvent>;
  readonly #log: SessionLog;
  #saving = true;

  constructor({ session, log, events }: SessionWriterDeps) {
    this.session = session;
    this.events = events;
    this.#log = log;
  }

  /** The tool router's access to the journal. */
  readonly callLog: CallLog = {
    started: (callId, effect) => this.#save(this.#log.started(callId, effect)),
    answered: (message) => this.#save(this.#log.answered(message)),
  };

  /** Saves the session even if no message follows: without one, it leaves no file. */
  async keep(): Promise<void> {
    await this.#save(this.#log.keep());
  }

  /** Appends a message to the history. */
  async add(message: Message): Promise<void> {
    this.session.messages.push(message);
    await this.record({ type: 'message', message });
  }

  /** Saves and emits an event whose message is already part of the history. */
  async record(event: AgentEvent): Promise<void> {
    await this.#save(event.type === 'message' ? this.#log.message(event.message) : this.#log.watch(event));
    this.events.emit(event);
  }

  /** Saves a grant for the rest of the session. */
  async remember(permission: Permission): Promise<void> {
    this.session.permissions.push(permission);
    await this.#save(this.#log.grant(permission));
  }

  /** Removes the grants with this pattern. */
  async forget(pattern: string): Promise<void> {
    const { session } = this;
    if (!session.permissions.some((permission) => permission.pattern === pattern)) return;
    session.permissions = session.permissions.filter((permission) => permission.pattern !== pattern);
    await this.#save(this.#log.ungrant(pattern));
  }

  /** Saves where something came from that was read. */
  async noteSource(source: TextSource): Promise<void> {
    this.session.sources = [...(this.session.sources ?? []), source];
    await this.#save(this.#log.source(source));
  }

  /** Changes what the model is shown of the messages from now on. */
  async changeView(change: ViewChange): Promise<void> {
    this.session.view = changeView(this.session.view ?? wholeView, change);
    await this.#save(this.#log.view(change));
  }

  /** Releases the session. */
  async close(): Promise<void> {
    try {
      await this.#log.close();
    } catch (error) {
      if (this.#saving)
        this.#warn(`The session was saved but not closed cleanly (${(error as Error).message}).`);
    }
  }

  async #save(writing: Promise<void>): Promise<void> {
    try {
      await writing;
    } catch (error) {
      if (this.#saving)
        this.#warn(`Cannot save the session (${(error as Error).message}). Continuing in memory only.`);
      this.#saving = false;
    }
  }

  #warn(text: string): void {
    this.events.emit({ type: 'notice', level: 'warn', text });
  }
}
