import type { ChatEvent } from '../connection.ts';
import { updateCall } from './calls.ts';
import { add, type Draft } from './draft.ts';
import { applyUpdate } from './updates.ts';
import { type Ask, type CallItem, emptyView, type View } from './view.ts';

/** The view after some events. `now` is the time of those that do not say theirs. */
export function reduce(view: View, events: readonly ChatEvent[], now: number): View {
  const draft: Draft = { ...view, items: [...view.items] };
  for (const event of events) apply(draft, event, event.at ?? now);
  return draft;
}

function apply(draft: Draft, event: ChatEvent, at: number): void {
  if (event.type === 'session') {
    openSession(draft, event);
    return;
  }
  if (event.seq !== undefined) {
    if (event.seq <= draft.seq) return;
    draft.seq = event.seq;
  }
  switch (event.type) {
    case 'connection':
      draft.connection = { state: event.state, message: event.message };
      return;
    case 'session_closed':
      Object.assign(draft, emptyView, kept(draft), { items: [] });
      return;
    case 'update':
      applyUpdate(draft, event.update, { at, by: event.by });
      return;
    case 'turn_started':
      draft.turn ??= { startedAt: at };
      return;
    case 'turn_ended':
      endTurn(draft, at);
      if (event.stopReason !== 'end_turn') add(draft, { type: 'stopped', reason: event.stopReason });
      return;
    case 'turn_failed':
      endTurn(draft, at);
      add(draft, { type: 'failure', message: event.message, hint: event.hint });
      return;
    case 'permission_asked':
      ask(draft, { type: 'permission', ...event.request });
      return;
    case 'question_asked':
      ask(draft, { type: 'question', ...event.request });
      return;
    case 'permission_settled':
      settlePermission(draft, event);
      return;
    case 'question_settled':
      settleQuestion(draft, event);
      return;
    case 'call_decided': {
      const { callId, option, by } = event;
      updateCall(draft.items, callId, (call) => ({ ...call, decision: { option, by } }));
      return;
    }
    case 'prompts_sending':
      draft.sending = event.prompts;
      return;
    case 'prompts_waiting':
      draft.waiting = event.prompts;
      return;
    case 'participants':
      draft.participants = event.participants;
      draft.typing = draft.typing.filter((id) => event.participants.some((one) => one.id === id));
      return;
    case 'typing': {
      const others = draft.typing.filter((id) => id !== event.participant);
      draft.typing = event.isTyping ? [...others, event.participant] : others;
      return;
    }
    case 'changes_changed':
      draft.changesVersion++;
      return;
    case 'sessions_changed':
      draft.sessionsVersion++;
      return;
    case 'compose':
      return;
    default:
      event satisfies never;
  }
}

function kept({ connection, sending, lastKey, sessionsVersion, changesVersion }: Draft) {
  return { connection, sending, lastKey, sessionsVersion, changesVersion: changesVersion + 1 };
}

function openSession(draft: Draft, { session, seq }: ChatEvent & { type: 'session' }): void {
  Object.assign(draft, emptyView, kept(draft), {
    items: [],
    session,
    modes: session.modes ?? null,
    options: session.configOptions ?? [],
    seq: seq ?? 0,
  });
}

/** Whatever still looked as if it ran was interrupted, and nobody waits for an answer any more. */
function endTurn(draft: Draft, at: number): void {
  draft.turn = null;
  draft.asks = [];
  for (let index = draft.items.length - 1; index >= 0; index--) {
    const item = draft.items[index];
    if (item?.type === 'user') break;
    if (item?.type === 'call') draft.items[index] = stopped(item, at);
  }
}

/** A call that did not end, and those of its subagent. */
function stopped(call: CallItem, at: number): CallItem {
  if (call.endedAt !== undefined) return call;
  const children = call.children.map((child) => stopped(child, at));
  return { ...call, children, status: 'failed', endedAt: at };
}

/** Asked again, after a lost connection: an answer that was on its way did not arrive. */
function ask(draft: Draft, asked: Ask): void {
  const at = draft.asks.findIndex(({ requestId }) => requestId === asked.requestId);
  draft.asks = at < 0 ? [...draft.asks, asked] : draft.asks.with(at, asked);
}

function take(draft: Draft, requestId: string): Ask | undefined {
  const found = draft.asks.find((one) => one.requestId === requestId);
  if (found) draft.asks = draft.asks.filter((one) => one !== found);
  return found;
}

function settlePermission(draft: Draft, event: ChatEvent & { type: 'permission_settled' }): void {
  const asked = take(draft, event.requestId);
  if (asked?.type !== 'permission') return;
  const option = asked.options.find(({ optionId }) => optionId === event.optionId) ?? null;
  updateCall(draft.items, asked.toolCall.toolCallId, (call) => ({
    ...call,
    decision: { option, by: event.by },
  }));
}

function settleQuestion(draft: Draft, event: ChatEvent & { type: 'question_settled' }): void {
  const asked = take(draft, event.requestId);
  const question = asked?.type === 'question' ? asked.question : event.question;
  if (question !== undefined) add(draft, { type: 'answer', question, answer: event.answer, by: event.by });
}
