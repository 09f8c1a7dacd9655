import type { SessionUpdate } from '@agentclientprotocol/sdk';

/** So many may be on their way before the next ones wait to be merged. */
const MOST_UNDERWAY = 32;

type ToolUpdate = Extract<SessionUpdate, { sessionUpdate: 'tool_call_update' }>;

/**
 * Sends updates in order. To a client that reads too slowly it sends fewer and larger ones, so that what waits
 * does not grow with their number.
 */
export class UpdateQueue {
  /** Resolves when it was written. */
  readonly #send: (update: SessionUpdate) => Promise<void>;
  readonly #waiting: SessionUpdate[] = [];
  #underway = 0;
  #whenEmpty: (() => void)[] = [];

  constructor(send: (update: SessionUpdate) => Promise<void>) {
    this.#send = send;
  }

  add(update: SessionUpdate): void {
    if (this.#underway < MOST_UNDERWAY) this.#start(update);
    else if (!mergeInto(this.#waiting, update)) this.#waiting.push(update);
  }

  /** Await before anything else is sent: it must not overtake the updates. */
  async passedOn(): Promise<void> {
    if (this.#waiting.length > 0) await new Promise<void>((resolve) => this.#whenEmpty.push(resolve));
  }

  #start(update: SessionUpdate): void {
    this.#underway++;
    // Fails only when the connection is closed, which ends the session.
    void this.#send(update)
      .catch(() => undefined)
      .then(() => {
        this.#underway--;
        const next = this.#waiting.shift();
        if (next) this.#start(next);
        if (this.#waiting.length === 0) for (const resolve of this.#whenEmpty.splice(0)) resolve();
      });
  }
}

/** Whether the update is part of one that waits now. */
function mergeInto(waiting: SessionUpdate[], update: SessionUpdate): boolean {
  const at = waiting.findLastIndex((one) => merged(one, update) !== null);
  const one = waiting[at];
  // Text belongs where it was said.
  if (!one || (isChunk(update) && at < waiting.length - 1)) return false;
  waiting[at] = merged(one, update) ?? one;
  return true;
}

function merged(first: SessionUpdate, second: SessionUpdate): SessionUpdate | null {
  if (isChunk(first) && isChunk(second)) {
    const { content, messageId } = first;
    if (first.sessionUpdate !== second.sessionUpdate || messageId !== second.messageId) return null;
    if (content.type !== 'text' || second.content.type !== 'text') return null;
    return { ...first, content: { type: 'text', text: content.text + second.content.text } };
  }
  if (first.sessionUpdate === 'tool_call_update' && second.sessionUpdate === 'tool_call_update')
    return first.toolCallId === second.toolCallId ? mergedCall(first, second) : null;
  const isState = second.sessionUpdate === 'usage_update' || second.sessionUpdate === 'plan';
  return isState && first.sessionUpdate === second.sessionUpdate ? second : null;
}

function isChunk(
  update: SessionUpdate,
): update is Extract<SessionUpdate, { sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk' }> {
  return update.sessionUpdate === 'agent_message_chunk' || update.sessionUpdate === 'agent_thought_chunk';
}

type Printed = { terminal_id: string; data: string };

/** Later values replace earlier ones; what a terminal printed is added up. */
function mergedCall(first: ToolUpdate, second: ToolUpdate): ToolUpdate {
  const [before, after] = [first, second].map(({ _meta }) => _meta?.terminal_output as Printed | undefined);
  const printed = before && after ? { ...after, data: before.data + after.data } : (after ?? before);
  const _meta = { ...first._meta, ...second._meta, ...(printed && { terminal_output: printed }) };
  return { ...first, ...second, ...(Object.keys(_meta).length > 0 && { _meta }) };
}
