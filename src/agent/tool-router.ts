import { isDeepStrictEqual } from 'node:util';
import { summaryOf } from '../contract/display.ts';
import { PermissionDeniedError, ToolExecutionError, UnusableFileError } from '../contract/errors.ts';
import type { AgentEvent } from '../contract/event.ts';
import type { TextPart, ToolCallPart, ToolMessage } from '../contract/message.ts';
import type { Access, JudgeOptions, PermissionRequest } from '../contract/permission.ts';
import { fail, type ToolResult } from '../contract/tool.ts';
import { raceAbort, unlessAborted } from '../lib/async/abort.ts';
import { Channel } from '../lib/async/channel.ts';
import type { ResultLimits } from '../lib/results/result-limits.ts';
import { bound, ReplyBudget } from './bound-result.ts';
import { accessesConflict } from './conflict.ts';
import { interruptedBefore, interruptedWhile, PartialOutput } from './interrupted-calls.ts';
import { judgedCall, type Prepared, prepareCall } from './prepare-call.ts';
import type { AboutCall, CallReporter, RouterDeps } from './router-deps.ts';

/** `touches`: its accesses, for conflict checks. */
type Ready = Prepared & { touches: Access[] };

/**
 * Answers every call with exactly one message, in the model's order. Asks questions one at a time, in call
 * order; then runs calls without conflicts in parallel.
 */
export async function* runTools(
  calls: readonly ToolCallPart[],
  deps: RouterDeps,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent> {
  const channel = new Channel<AgentEvent>();
  answerAll(calls, deps, { channel, signal }).then(
    () => channel.close(),
    (error: unknown) => channel.fail(error),
  );
  yield* channel;
}

type Wires = { channel: Channel<AgentEvent>; signal: AbortSignal };

/** The calls of a reply that will run and have not ended. */
type Pending = { unfinished: Set<ToolCallPart>; accesses: readonly Access[]; budget: ReplyBudget };

async function answerAll(calls: readonly ToolCallPart[], deps: RouterDeps, wires: Wires): Promise<void> {
  const prepared = calls.map((call) => prepareCall(call, deps));
  const isNew = (item: Prepared) => item.tool && !item.given && !duplicateOf(item, prepared);
  let asked = 0;
  for (const [i, item] of prepared.entries()) {
    if (!isNew(item)) continue;
    const checked = await intercept(item, deps, wires);
    prepared[i] = checked;
    if (checked.answer) continue;
    const later = prepared
      .slice(i + 1)
      .filter(isNew)
      .flatMap(judgedCall);
    const beside = { before: prepared.slice(0, i), later, asked };
    if (await judge(checked, deps, { ...wires, ...beside })) asked++;
  }

  const running = prepared.filter((item) => isNew(item) && !item.answer);
  const pending: Pending = {
    unfinished: new Set(running.map(({ call }) => call)),
    accesses: running.flatMap(({ accesses }) => accesses),
    budget: new ReplyBudget(running, deps.windowTokens?.()),
  };
  const started = new Map<Prepared, { touches: Access[]; answered: Promise<ToolMessage> }>();
  for (const item of prepared) {
    const duplicate = duplicateOf(item, prepared);
    const touches = touched(item, deps);
    const before = [...started].flatMap(([other, { touches: theirs, answered }]) =>
      other === duplicate || accessesConflict(theirs, touches) ? [answered] : [],
    );
    const answered = Promise.all(before).then(async () => {
      const given = item.given ?? (duplicate && (await started.get(duplicate)?.answered));
      if (given) return repeatAnswer(item, given, wires);
      // The calls before it may have changed what this one would do.
      const now = before.length === 0 ? touches : touched(item, deps);
      return answer({ ...item, touches: now }, deps, { ...wires, pending });
    });
    started.set(item, { touches, answered });
  }
  for (const { answered } of started.values())
    await wires.channel.push({ type: 'message', message: await answered });
}

/** The call in the same reply that this one repeats. */
function duplicateOf(item: Prepared, prepared: readonly Prepared[]): Prepared | undefined {
  const { repeats } = item.call;
  return repeats === undefined ? undefined : prepared.find((other) => other.call.id === repeats);
}

function touched({ accesses }: Prepared, deps: RouterDeps): Access[] {
  return accesses.map((access) => (deps.isReadOnly(access) ? READ_ONLY : access));
}

/** Accesses of a read-only command: may read anything here, changes nothing. */
const READ_ONLY: Access = { kind: 'read', target: '.' };

function aboutCall({ accesses }: Prepared, { agent }: RouterDeps): AboutCall {
  return { accesses, ...(agent && { agent }) };
}

/** Lets hooks refuse a call, or change its input, before it is judged. */
async function intercept(item: Prepared, deps: RouterDeps, { channel, signal }: Wires): Promise<Prepared> {
  const { call, tool, accesses } = item;
  const { before, resolveCall: _, ...rest } = deps;
  if (!before || !tool || signal.aborted) return item;
  const said = await unlessAborted(
    before({ id: call.id, name: tool.name, input: call.input }, signal, aboutCall(item, deps)),
    signal,
  );
  if (!said) return item;
  if (said.type === 'block') {
    const { by, because } = said;
    await channel.push({
      type: 'judged',
      callId: call.id,
      tool: tool.name,
      verdict: 'deny',
      by,
      because,
      accesses,
      title: item.title,
    });
    return { ...item, answer: fail(`It did not run: ${because}`) };
  }
  const { notes, hook } = said;
  const added = { ...(notes && { notes }), ...(hook && { hook }) };
  if (said.input === call.input || isDeepStrictEqual(said.input, call.input)) return { ...item, ...added };
  const changed = prepareCall({ ...call, input: said.input }, rest);
  return { ...changed, ...added, ...(item.answersAs !== undefined && { answersAs: item.answersAs }) };
}

/** The other calls of the same reply. */
type Beside = Pick<JudgeOptions, 'asked' | 'later'> & { before: readonly Prepared[] };

/** Whether the user was asked. */
async function judge(
  item: Prepared,
  deps: RouterDeps,
  { channel, signal, before, asked, later }: Wires & Beside,
): Promise<boolean> {
  const { call, tool, input, title, accesses } = item;
  const [request] = judgedCall(item);
  if (!tool || !request || signal.aborted) return false;
  let isAsked = false;
  const beforeAsking = async (question: PermissionRequest) => {
    const silent = { callId: call.id, progress: () => undefined, emit: async () => undefined };
    const scope = { accesses, opens: question.opens ?? [] };
    const preview = await tool.preview?.(input, deps.context(signal, silent, scope)).catch(() => undefined);
    const isRefused = preview?.kind === 'refused';
    // What a file outside contains is not revealed before it was opened.
    if (isRefused && scope.opens.length === 0 && !isChangedBefore(item, before, deps))
      throw new Refused(preview.error);
    const full = preview && !isRefused ? { ...question, preview } : question;
    isAsked = true;
    await channel.push({ type: 'question', request: full });
    return full;
  };
  const { beforeQuestion } = deps;
  const shown = { id: call.id, name: tool.name, input: call.input };
  const answerByHook = beforeQuestion && (() => beforeQuestion(shown, signal, aboutCall(item, deps)));
  const options = { signal, beforeAsking, asked, later, ...(answerByHook && { answerByHook }) };
  try {
    const decision = await raceAbort(deps.decide(request, options), signal);
    const { verdict, by, because, opens, onlyReads } = decision;
    if (opens) item.opens = opens;
    if (onlyReads) item.onlyReads = onlyReads;
    const details = { by, because, accesses, title };
    await channel.push({ type: 'judged', callId: call.id, tool: tool.name, verdict, ...details });
    if (verdict === 'deny') item.answer = fail(decision.toModel ?? because);
  } catch (error) {
    if (error instanceof Refused) item.answer = fail(error.message);
    else if (!signal.aborted) throw error;
  }
  return isAsked;
}

/** A call that cannot succeed, found while its question was prepared. */
class Refused extends Error {}

/** Whether earlier calls of the same reply, which have not run yet, may make it succeed. */
function isChangedBefore(item: Prepared, before: readonly Prepared[], deps: RouterDeps): boolean {
  const touches = touched(item, deps);
  return before.some((other) => !other.answer && accessesConflict(touched(other, deps), touches));
}

async function answer(
  item: Ready,
  deps: RouterDeps,
  { channel, signal, pending }: Wires & { pending: Pending },
): Promise<ToolMessage> {
  const started = performance.now();
  const limits = pending.budget.limits();
  const result = item.answer ?? (await runOne(item, deps, { channel, signal, limits }));
  const { call, tool } = item;
  const said =
    deps.after && tool && !item.answer && !signal.aborted
      ? await unlessAborted(
          deps.after(
            { id: call.id, name: tool.name, input: call.input },
            result,
            signal,
            aboutCall(item, deps),
          ),
          signal,
        )
      : [];
  const isLast = pending.unfinished.delete(call) && pending.unfinished.size === 0;
  const news = isLast && !signal.aborted ? ((await deps.settled?.(pending.accesses, signal)) ?? []) : [];
  const { success, display, summary = summaryOf(display) } = result;
  if (!item.answer) deps.printed?.(call.id, item.accesses, result.success ? result.output : result.error);
  const { text, metadata } = await bound(
    { id: call.id, tool, limits: pending.budget.limits() },
    result,
    deps,
  );
  if (!item.answer) pending.budget.ended(text.length);
  if (!item.answer && tool)
    await deps.noteSources?.({ tool: tool.name, accesses: item.accesses, output: text });
  const images = result.success ? (result.images ?? []) : [];
  const notes = result.success ? ((await deps.notesFor?.(item.accesses)) ?? []) : [];
  const written: ToolMessage = {
    role: 'tool',
    callId: call.id,
    name: item.answersAs ?? tool?.name ?? call.name,
    success,
    content: [
      { type: 'text', text },
      ...images,
      ...notes.map((note) => ({ type: 'text' as const, text: note })),
      ...paragraphs([item.form, item.ignored, ...(item.notes ?? []), ...(said ?? []), ...news]),
    ],
    ...(metadata && { metadata }),
    ...(summary && { summary }),
    timestamp: new Date().toISOString(),
  };
  const message = (await deps.transformMessage?.(written)) ?? written;
  await deps.log.answered(message);
  const durationMs = Math.round(performance.now() - started);
  const extras = { ...(summary && { summary }), ...(display && { display }), ...(metadata && { metadata }) };
  await channel.push({
    type: 'tool_end',
    callId: call.id,
    name: tool?.name ?? call.name,
    success,
    durationMs,
    ...extras,
  });
  return message;
}

function paragraphs(notes: readonly (string | undefined)[]): TextPart[] {
  return notes.flatMap((note) => (note ? [{ type: 'text' as const, text: `\n\n${note}` }] : []));
}

/** Answers a call sent again with the earlier answer, under the new id. Nothing runs. */
async function repeatAnswer(
  { call }: Prepared,
  given: ToolMessage,
  { channel }: Wires,
): Promise<ToolMessage> {
  const { name, success, summary } = given;
  const told = { callId: call.id, name, success, durationMs: 0, ...(summary && { summary }) };
  await channel.push({ type: 'tool_end', ...told });
  return { ...given, callId: call.id, metadata: { ...given.metadata, repeats: given.callId } };
}

async function runOne(
  item: Ready,
  deps: RouterDeps,
  { channel, signal, limits }: Wires & { limits: ResultLimits },
): Promise<ToolResult> {
  const { call, tool, input, title, accesses, touches, opens = [], onlyReads } = item;
  const scope = { accesses, opens, ...(onlyReads && { onlyReads }) };
  const blocked = (tool && (await deps.interrupted?.waitFor(touches, signal))) ?? null;
  if (!tool || signal.aborted) return interruptedBefore();
  if (blocked !== null) return fail(blocked);
  const shown = { id: call.id, name: tool.name, input: call.input };
  const changes = touches.filter(({ kind }) => kind !== 'read');
  await deps.log.started(call.id, { changes: changes.length > 0 });
  const { explores } = tool;
  await channel.push({ type: 'tool_start', call: shown, title, ...(explores && { explores }) });
  const partial = new PartialOutput();
  const reporter: CallReporter = {
    callId: call.id,
    progress: (text) => {
      partial.add(text);
      void channel.push({ type: 'tool_progress', callId: call.id, text });
    },
    emit: (event) => {
      partial.follow(event);
      return channel.push(event);
    },
  };
  try {
    const context = { ...deps.context(signal, reporter, scope), limits };
    const work = async () =>
      deps.perform?.({ tool, input, changes }, context, reporter) ?? tool.run(input, context);
    const running = deps.inTurn?.(changes, signal, work) ?? work();
    return await raceAbort(running, signal).catch((error: unknown) => {
      if (signal.aborted) deps.interrupted?.add({ title, touches }, running);
      throw error;
    });
  } catch (error) {
    if (signal.aborted) return interruptedWhile(partial);
    if (error instanceof PermissionDeniedError) return refusedWhileRunning(error, item, channel);
    if (error instanceof UnusableFileError) return fail(error.message);
    const cause = error instanceof Error ? error : new Error(String(error));
    return fail(`Error: ${new ToolExecutionError(tool.name, input, cause).message}`);
  }
}

/**
 * An approved call may still be refused on access: a link was put in its path, or the path was not known
 * before.
 */
async function refusedWhileRunning(
  { message, request: { by } }: PermissionDeniedError,
  { call, tool, accesses, title }: Prepared,
  channel: Wires['channel'],
): Promise<ToolResult> {
  if (by !== undefined && tool) {
    const details = { callId: call.id, tool: tool.name, by, because: message, accesses, title };
    await channel.push({ type: 'judged', verdict: 'deny', ...details });
  }
  return fail(message);
}
