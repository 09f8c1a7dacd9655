import { describeCompaction } from '../../../commands/compact.ts';
import { refusalLine } from '../../../commands/format/decision.ts';
import { doingText } from '../../../commands/format/doing.ts';
import { loadingLine } from '../../../commands/format/loading.ts';
import { type AgentEvent, innermost } from '../../../contract/event.ts';
import { type Message, textOf } from '../../../contract/message.ts';
import { describeEnd } from './describe-end.ts';
import { addItem as add, addBeside, addItems, endExploration, explore, isExplored } from './explored.ts';
import { learnStart } from './start.ts';
import { reduceSubagents, withoutSubagents } from './subagents.ts';
import { takeTodos, todosOf } from './todos.ts';
import type { Item, LiveCall, LiveRun, Status, UiEvent, View, ViewEvent } from './types.ts';

const CHARACTERS_PER_TOKEN = 4;
/** The end of a call's output that is kept while it runs; no more is shown. */
const LIVE_OUTPUT = 4_000;

const INTERRUPTED = { kind: 'interrupted' } as const;

export function emptyView(status: Status, start: View['start'] = null): View {
  return {
    start,
    isAfterStart: false,
    finished: [],
    message: null,
    calls: [],
    explored: [],
    subagents: [],
    todos: { session: '', items: [] },
    asked: {},
    run: null,
    failed: false,
    queue: [],
    status,
    hint: null,
    voice: null,
  };
}

/**
 * The whole screen as a reducer. `finished` only grows at its end, and after `end` nothing is in progress.
 */
export function reduceView(view: View, event: ViewEvent, now: number): View {
  switch (event.type) {
    case 'answer':
    case 'thought':
      return say(view, event, now);
    case 'unsaid':
      return { ...view, message: null };
    case 'start':
      return learnStart(view, event.facts);
    case 'prompted':
      return add({ ...view, failed: false }, { type: 'prompt', text: event.text });
    case 'retried':
      return add({ ...view, failed: false }, { type: 'notice', level: 'info', text: 'Trying again.' });
    case 'printed':
      return add(view, { type: 'printed', text: event.text });
    case 'footer':
      return event.parts.length === 0 ? view : add(view, event);
    case 'drawn':
      return add(view, event);
    case 'restored':
      return addItems(view, event.items);
    case 'left':
      return leave(view, now);
    case 'queue':
      return { ...view, queue: event.prompts };
    case 'hint':
      return view.hint === event.text ? view : { ...view, hint: event.text };
    case 'voice':
      return { ...view, voice: event.state };
    case 'status':
      return { ...view, status: { ...view.status, ...event.status } };
    default:
      return follow(view, event, now);
  }
}

/** Handles the events of a run. */
function follow(view: View, event: Exclude<ViewEvent, UiEvent>, now: number): View {
  switch (event.type) {
    case 'run_start':
      return {
        ...settle(view, now),
        run: newRun(now),
        failed: false,
        todos: todosOf(view.todos, event.sessionId),
      };
    case 'turn_start':
      return during(view, { doing: 'waiting for the model', retry: null });
    case 'reclassify':
    case 'cache':
    case 'input_transformed':
    case 'cache_miss':
    case 'model_call':
      return view;
    case 'call_start':
      return during(view, { doing: `preparing ${event.name}`, retry: null });
    case 'question': {
      const { callId, operation } = event.request;
      const asked = { ...view.asked, [callId]: { title: operation } };
      return during({ ...view, asked }, { doing: 'waiting for your answer' });
    }
    case 'judged':
      return judge(view, event);
    case 'tool_start': {
      const { call, title, explores } = event;
      const started = { callId: call.id, title, startedAt: now, output: '', ...(explores && { explores }) };
      const calls = [...view.calls, started];
      return during({ ...view, calls }, { doing: doingOf(calls) });
    }
    case 'tool_progress':
      return changeCall(view, event.callId, ({ output }) => ({
        output: (output + event.text).slice(-LIVE_OUTPUT),
      }));
    case 'tool_end':
      return endCall(view, event, now);
    case 'subagent':
      return followSubagent(view, event, now);
    case 'retry':
      return during(view, { doing: 'waiting to retry', retry: { event, until: now + event.delayMs } });
    case 'loading':
      return during(view, { doing: event.share < 1 ? loadingLine(event) : 'waiting for the model' });
    case 'usage':
      return count(view, event);
    case 'message':
      return event.message.role === 'tool' ? explainFailure(view, event.message) : view;
    case 'compacted':
      return add(view, { type: 'notice', level: 'info', text: describeCompaction(event) });
    case 'notice':
      return add(view, { type: 'notice', level: event.level, text: event.text });
    case 'end':
      return end(view, event, now);
    default:
      return event satisfies never;
  }
}

function say(view: View, event: Extract<UiEvent, { type: 'answer' | 'thought' }>, now: number): View {
  const { message } = view;
  if (event.type === 'thought') {
    const earlier = message?.type === 'thought' ? message : { text: '', startedAt: now };
    const text = earlier.text + event.text;
    const running = grow(during(view, { doing: 'thinking', retry: null }), event.text.length);
    if (!event.done) return { ...running, message: { ...earlier, type: 'thought', text } };
    const durationMs = now - earlier.startedAt;
    const gone = { ...running, message: null };
    if (text.trim() === '') return gone;
    const thought: Item = { type: 'thought', text, durationMs, folded: true };
    return gone.explored.length === 0 ? add(gone, thought) : explore(gone, thought);
  }
  const begun = message?.type === 'answer' && message.begun;
  const { lines, tail, done } = event;
  const running = grow(during(view, { doing: 'answering', retry: null }), event.characters);
  const told = lines.length === 0 ? running : add(running, { type: 'answer', lines, first: !begun });
  return { ...told, message: done ? null : { type: 'answer', tail, begun: begun || lines.length > 0 } };
}

function judge(view: View, event: Extract<AgentEvent, { type: 'judged' }>): View {
  const { callId, tool, verdict, accesses } = event;
  if (verdict !== 'deny') return view;
  const running = view.calls.find((call) => call.callId === callId);
  const title =
    view.asked[callId]?.title ??
    event.title ??
    running?.title ??
    [tool, accesses[0]?.target].filter(Boolean).join(' ');
  // It may also be refused while it runs.
  const calls = view.calls.filter((call) => call !== running);
  return { ...view, calls, asked: { ...view.asked, [callId]: { title, because: refusalLine(event) } } };
}

/** A failed call waits for its error text, which comes with its message. */
function endCall(view: View, event: Extract<AgentEvent, { type: 'tool_end' }>, now: number): View {
  const { callId, name, success, durationMs, summary, display } = event;
  const { [callId]: asked, ...others } = view.asked;
  if (asked?.because !== undefined) {
    const refused: Item = {
      type: 'call',
      title: asked.title,
      outcome: 'refused',
      because: asked.because,
      durationMs,
      folded: true,
    };
    return add({ ...view, asked: others }, refused);
  }
  const known = view.calls.find((call) => call.callId === callId);
  const call = known ?? { callId, title: asked?.title ?? name, startedAt: now, output: '' };
  const ended = { durationMs, ...(summary && { summary }), ...(display && { display }) };
  const calls = view.calls.filter((one) => one !== known);
  if (!success) {
    const subagents = withoutSubagents(view.subagents, callId);
    return { ...view, asked: others, calls: [...calls, { ...call, ended }], subagents };
  }
  const { title, explores } = call;
  const done: Item = {
    type: 'call',
    title,
    outcome: 'done',
    ...(explores && { explores }),
    ...ended,
    folded: true,
  };
  const rest = { ...view, asked: others, calls, subagents: withoutSubagents(view.subagents, callId) };
  if (display?.kind === 'todos') return during(takeTodos(rest, display.items), { doing: doingOf(calls) });
  return during(isExplored(done) ? explore(rest, done) : add(rest, done), { doing: doingOf(calls) });
}

function explainFailure(view: View, message: Extract<Message, { role: 'tool' }>): View {
  const call = view.calls.find(({ callId, ended }) => callId === message.callId && ended);
  if (!call) return view;
  const calls = view.calls.filter((one) => one !== call);
  // The end of the run says that it was interrupted.
  const because = message.metadata?.interrupted === true ? undefined : textOf(message);
  const addFailed = call.explores ? addBeside : add;
  return during(addFailed({ ...view, calls }, failed(call, because, 0)), { doing: doingOf(calls) });
}

function failed({ title, ended, startedAt }: LiveCall, because: string | undefined, now: number): Item {
  const told = ended ?? { durationMs: now - startedAt, summary: INTERRUPTED };
  const outcome = told.summary?.kind === 'interrupted' ? 'interrupted' : 'failed';
  const reason = because === undefined ? {} : { because };
  return { type: 'call', title, outcome, ...reason, ...told, folded: true };
}

/** Text that is arriving is kept as far as it came. */
function endMessage(view: View, now: number): View {
  const { message } = view;
  if (!message) return view;
  return message.type === 'answer'
    ? say(view, { type: 'answer', lines: message.tail, tail: [], characters: 0, done: true }, now)
    : say(view, { type: 'thought', text: '', done: true }, now);
}

/** Nothing stays in progress: text is kept, and a call without an end counts as interrupted. */
function settle(view: View, now: number): View {
  const said = endMessage(view, now);
  const closed = view.calls.reduce((so, call) => add(so, failed(call, undefined, now)), said);
  return { ...endExploration(closed), calls: [], subagents: [], asked: {} };
}

/** Calls that go on without this screen are named as such. */
function leave(view: View, now: number): View {
  const running = view.calls.filter(({ ended }) => !ended);
  const named = running.reduce(
    (so, { title }) => add(so, { type: 'notice', level: 'info', text: `Still running: ${title}` }),
    endMessage(view, now),
  );
  return { ...endExploration(named), calls: [], subagents: [], run: null };
}

function end(view: View, event: Extract<AgentEvent, { type: 'end' }>, now: number): View {
  const settled = settle(view, now);
  const elapsedMs = view.run ? now - view.run.startedAt : view.status.elapsedMs;
  const told = describeEnd(event);
  const ended = told ? add(settled, { type: 'notice', ...told }) : settled;
  const failed = event.reason === 'error' && event.turns > 0;
  return { ...ended, run: null, failed, status: { ...ended.status, elapsedMs } };
}

/** A subagent's progress is shown while it works; its text goes to the agent that started it. */
function followSubagent(view: View, told: Extract<AgentEvent, { type: 'subagent' }>, now: number): View {
  const { event } = innermost(told);
  const subagents = reduceSubagents(view.subagents, told, now);
  const costUsd = event.type === 'usage' ? plus(view.status, event) : view.status.costUsd;
  return { ...view, subagents, status: { ...view.status, costUsd } };
}

/** Null once a price was unknown. */
function plus({ costUsd: sum }: Status, { costUsd }: Extract<AgentEvent, { type: 'usage' }>): number | null {
  return sum === null || costUsd === null ? null : sum + costUsd;
}

function count(view: View, event: Extract<AgentEvent, { type: 'usage' }>): View {
  const { status, run } = view;
  const { usage } = event;
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  const input = inputTokens + cacheReadTokens + cacheWriteTokens;
  const next: Status = {
    ...status,
    context: status.context && { ...status.context, tokens: input + outputTokens },
    costUsd: plus(status, event),
    cacheHit: input === 0 ? status.cacheHit : cacheReadTokens / input,
  };
  const counted = (run?.countedTokens ?? 0) + outputTokens;
  return {
    ...view,
    status: next,
    run: run && { ...run, countedTokens: counted, outputTokens: counted },
  };
}

function changeCall(view: View, callId: string, change: (call: LiveCall) => Partial<LiveCall>): View {
  if (!view.calls.some((call) => call.callId === callId)) return view;
  return {
    ...view,
    calls: view.calls.map((call) => (call.callId === callId ? { ...call, ...change(call) } : call)),
  };
}

function newRun(now: number): LiveRun {
  return {
    startedAt: now,
    doing: 'waiting for the model',
    outputTokens: 0,
    countedTokens: 0,
    retry: null,
  };
}

function during(view: View, change: Partial<LiveRun>): View {
  return view.run ? { ...view, run: { ...view.run, ...change } } : view;
}

/** An estimate, until the vendor's own count arrives. */
function grow(view: View, characters: number): View {
  if (!view.run) return view;
  return during(view, { outputTokens: view.run.outputTokens + characters / CHARACTERS_PER_TOKEN });
}

function doingOf(calls: readonly LiveCall[]): string {
  const running = calls.filter(({ ended }) => !ended);
  if (running.length === 0) return 'waiting for the model';
  return running.length === 1 ? doingText(running[0]?.title ?? '') : `running ${running.length} tools`;
}
