import {
  type AgentContext,
  type ClientCapabilities,
  methods,
  type SessionNotification,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { EditorClient } from '../../acp/client.ts';
import { modeState } from '../../acp/config-options.ts';
import { type Identity, includesRole } from '../identity.ts';
import {
  type AttachParams,
  type AttachResult,
  type ParticipantInfo,
  serverNotifications,
} from '../server-methods.ts';
import { acpAnswers } from './acp-answers.ts';
import { forGuests } from './guest-commands.ts';
import type { HostedSession } from './hosted-session.ts';
import { type HostedSessions, notOpen } from './hosted-sessions.ts';
import type { Participant } from './room.ts';
import { preparedParams } from './socket-stream.ts';
import { type Delivery, type Start, Watch } from './watch.ts';

const RESET: Delivery = {
  update: { sessionUpdate: 'session_info_update' },
  meta: { event: { type: 'reset' } },
};

const CAUGHT_UP: Delivery = { ...RESET, meta: { event: { type: 'caught_up' } } };

/** Updates in one message. */
const BATCH = 50;

/**
 * What a client knows of a session besides the protocol. `isAware`: events and participants. `batches`: many updates
 * in one message.
 */
type Knows = { isAware: boolean; batches: boolean };

/** How a client takes part in one session. */
type Joined = Knows & { info: ParticipantInfo; leave(): void };

type JoinedDeps = {
  hosted: HostedSessions;
  who: Identity;
  context(): AgentContext;
  capabilities(): ClientCapabilities;
  /** The client answered something else than it was asked. */
  onWrong(sessionId: string, why: string): void;
  /** The client is so far behind that updates it has not seen were dropped. */
  onBehind(): void;
};

let participants = 0;

/** The sessions that one connection takes part in. */
export class JoinedSessions {
  readonly #deps: JoinedDeps;
  readonly #joined = new Map<string, Joined>();

  constructor(deps: JoinedDeps) {
    this.#deps = deps;
  }

  /** Which participant of a session this is. */
  infoIn(sessionId: string): ParticipantInfo | undefined {
    return this.#joined.get(sessionId)?.info;
  }

  /** For plain clients: from now on, or with everything that was before. */
  async join(sessionId: string, from: 'beginning' | 'now' | 'past'): Promise<void> {
    const found = await this.#open(sessionId);
    if (!found) throw notOpen();
    const start = from === 'past' ? await startOf(found) : { first: [], seq: seqOf(found, from) };
    const started = this.#join(sessionId, found, { isAware: false, batches: false }).start(start);
    if (from === 'past') await started;
  }

  /** For clients that know events and participants. */
  async attach({ sessionId, after, batches = false }: AttachParams): Promise<AttachResult> {
    const { found, readOnly } = await this.#tryToOpen(sessionId);
    const knows = { isAware: true, batches };
    if (!found) return this.#attachSaved(sessionId, knows, readOnly);
    const { hosted } = this.#deps;
    const state = await hosted.sessions.stateOf(sessionId);
    const reset = !after || !found.log.knows(after);
    const start = reset ? await again(found) : { first: [], seq: after.seq };
    const position = reset ? { ...found.log.position, seq: start.seq } : found.log.position;
    const watch = this.#join(sessionId, found, knows);
    // After the answer, which says what comes next.
    setImmediate(() => void watch.start(start));
    const { title, cwd } = found.overview();
    return {
      ...position,
      ...this.#self(sessionId),
      reset,
      state: found.state,
      participants: found.room.participants,
      title,
      cwd,
      ...state,
    };
  }

  leave(sessionId: string): void {
    const joined = this.#joined.get(sessionId);
    this.#joined.delete(sessionId);
    joined?.leave();
  }

  leaveAll(): void {
    for (const id of [...this.#joined.keys()]) this.leave(id);
  }

  /** Viewers cause nothing, so they open no session. */
  async #open(sessionId: string): Promise<HostedSession | undefined> {
    const { hosted, who } = this.#deps;
    return includesRole(who.role, 'editor') ? hosted.get(sessionId) : hosted.find(sessionId);
  }

  /** A session whose folder is gone, or that another process works on, can still be read. */
  async #tryToOpen(sessionId: string): Promise<{ found?: HostedSession | undefined; readOnly?: string }> {
    try {
      return { found: await this.#open(sessionId) };
    } catch (error) {
      return { readOnly: error instanceof Error ? error.message : String(error) };
    }
  }

  /** The conversation as it was saved, and what happens in it as soon as somebody opens it. */
  async #attachSaved(sessionId: string, knows: Knows, readOnly?: string): Promise<AttachResult> {
    const { hosted } = this.#deps;
    const { overview, past } = await hosted.saved(sessionId);
    const { waiting, look } = this.#joinOnceOpen(sessionId, knows);
    const deliveries = [RESET, ...past, CAUGHT_UP];
    setImmediate(async () => {
      if (this.#joined.get(sessionId) === waiting)
        await this.#sendMany(sessionId, deliveries).catch(() => this.leave(sessionId));
      void look();
    });
    const { title, cwd, state } = overview;
    return {
      epoch: 'saved',
      seq: 0,
      ...this.#self(sessionId),
      reset: true,
      state,
      participants: [],
      title,
      cwd,
      modes: modeState('default'),
      configOptions: [],
      ...(readOnly !== undefined && { readOnly }),
    };
  }

  /** For a session that is not open: joins as soon as somebody opens it. `look` does it at once, if it is open by now. */
  #joinOnceOpen(sessionId: string, knows: Knows): { waiting: Joined; look(): Promise<void> } {
    this.leave(sessionId);
    const { hosted } = this.#deps;
    const look = async () => {
      const found = hosted.find(sessionId);
      if (!found) return;
      off();
      const start = await again(found);
      if (this.#joined.get(sessionId) === waiting) void this.#join(sessionId, found, knows).start(start);
    };
    const off = hosted.listen(() => void look());
    const waiting: Joined = { info: this.#newInfo(), ...knows, leave: off };
    this.#joined.set(sessionId, waiting);
    return { waiting, look };
  }

  #self(sessionId: string): Pick<AttachResult, 'role' | 'you'> {
    const { role, id: you } = this.infoIn(sessionId) ?? this.#deps.who;
    return { role, you };
  }

  #newInfo(): ParticipantInfo {
    const { role, name } = this.#deps.who;
    participants++;
    return { id: `participant-${participants}`, name, role };
  }

  #join(sessionId: string, found: HostedSession, knows: Knows): Watch {
    this.leave(sessionId);
    const { isAware } = knows;
    const { who, onBehind, onWrong, capabilities } = this.#deps;
    const info = this.#newInfo();
    const context = this.#deps.context();
    const client = new EditorClient(context, capabilities(), sessionId);
    const shown = who.role === 'owner' ? (delivery: Delivery) => delivery : forGuests;
    const watch = new Watch({
      log: found.log,
      send: (delivery) => this.#send(sessionId, shown(delivery)),
      sendMany: (deliveries) => this.#sendMany(sessionId, deliveries.map(shown)),
      ...(isAware && { again: () => again(found) }),
      onBehind,
    });
    const answers = acpAnswers({
      context,
      sessionId,
      client,
      isPlain: !isAware,
      isGuest: who.role !== 'owner',
      onWrong: (why) => onWrong(sessionId, why),
    });
    const participant: Participant = {
      info,
      answers: includesRole(who.role, 'editor') ? answers : null,
      onChanges: () => client.changesChanged(),
      ...(isAware && {
        onClosed: () => this.#joinOnceOpen(sessionId, knows),
        onParticipants: (all) =>
          this.#notify(serverNotifications.participants, { sessionId, participants: all }),
        onTyping: (typing) => this.#notify(serverNotifications.typing, { sessionId, ...typing }),
      }),
    };
    const leaveRoom = found.room.join(participant);
    const leave = () => {
      watch.end();
      leaveRoom();
    };
    this.#joined.set(sessionId, { info, ...knows, leave });
    return watch;
  }

  async #send(sessionId: string, delivery: Delivery): Promise<void> {
    const { update, meta, from } = delivery;
    const joined = this.#joined.get(sessionId);
    if (!joined) return;
    // A plain client shows its own prompts itself.
    if (!joined.isAware && (from === joined.info.id || meta.event)) return;
    const shown = this.#knowsNotices ? update : withoutNotice(update);
    if (!shown) return;
    const fields = shown === update ? fieldsOf(delivery) : fieldsOf({ update: shown, meta });
    const params = preparedParams(`{"sessionId":${JSON.stringify(sessionId)},${fields}}`);
    await this.#deps.context().notify(methods.client.session.update, params as SessionNotification);
  }

  /** For as long as the client takes part in the same way. */
  async #sendMany(sessionId: string, deliveries: readonly Delivery[]): Promise<void> {
    const joined = this.#joined.get(sessionId);
    const size = joined?.batches && this.#knowsNotices ? BATCH : 1;
    for (let at = 0; at < deliveries.length && this.#joined.get(sessionId) === joined; at += size) {
      const batch = deliveries.slice(at, at + size);
      const [first] = batch;
      if (first && batch.length === 1) await this.#send(sessionId, first);
      else {
        const updates = batch.map((delivery) => `{${fieldsOf(delivery)}}`).join(',');
        const params = preparedParams(`{"sessionId":${JSON.stringify(sessionId)},"updates":[${updates}]}`);
        await this.#deps.context().notify(serverNotifications.updates, params);
      }
    }
  }

  get #knowsNotices(): boolean {
    return this.#deps.capabilities().session?.notices !== undefined;
  }

  #notify(method: string, params: object): void {
    // Fails only when the connection is closed.
    this.#deps
      .context()
      .notify(method, params)
      .catch(() => undefined);
  }
}

const fields = new WeakMap<Delivery, string>();

/** As JSON, made once for all clients. */
function fieldsOf(delivery: Delivery): string {
  const known = fields.get(delivery);
  if (known !== undefined) return known;
  const { update, meta } = delivery;
  const json = `"update":${JSON.stringify(update)},"_meta":${JSON.stringify({ aca: meta })}`;
  fields.set(delivery, json);
  return json;
}

/** For clients that do not know notices: a warning as text, and nothing else. */
function withoutNotice(update: SessionUpdate): SessionUpdate | null {
  if (update.sessionUpdate !== 'notice') return update;
  if (update.severity !== 'warning') return null;
  return { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `${update.title}\n\n` } };
}

function seqOf({ log }: HostedSession, from: 'beginning' | 'now'): number {
  return from === 'now' ? log.position.seq : 0;
}

/** The whole conversation. */
async function startOf(found: HostedSession): Promise<Start> {
  const { first, position } = await found.snapshot();
  return { first, seq: position.seq };
}

/** The same for a client that may have seen another state of it. */
async function again(found: HostedSession): Promise<Start> {
  const { first, seq } = await startOf(found);
  return { first: [RESET, ...first, CAUGHT_UP], seq };
}
