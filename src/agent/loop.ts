import { BudgetReachedError, ProviderError } from '../contract/errors.ts';
import type { AgentEvent, EndReason, RunError } from '../contract/event.ts';
import { type Message, toolCallsOf } from '../contract/message.ts';
import type { Refusal } from '../contract/provider.ts';
import { Reply } from './accumulate.ts';
import { callIn } from './history.ts';
import type { Run } from './run.ts';
import { isOverflow, runErrorOf } from './run-error.ts';
import { EMPTY_ANSWER, streamWholeReply } from './whole-reply.ts';

const EMPTY_HINT = 'Try again, rephrase the prompt, or choose another model.';
const CUT_CALL =
  'The answer hit the output limit in the middle of a tool call, so the call did not run. Asking the model to work in smaller steps.';

/**
 * Requests replies and runs their calls until the model is done. Every call is answered, however the loop
 * ends.
 */
export async function* runLoop(run: Run): AsyncGenerator<AgentEvent> {
  for (let turn = 1; turn <= run.maxTurns; turn++) {
    yield { type: 'turn_start', turn };
    const ending = (yield* takeTurn(run)) ?? haltOf(run);
    const goesOn = !ending && !run.signal.aborted && turn < run.maxTurns;
    const prompt = goesOn ? await run.steer?.() : null;
    if (prompt) yield* record(run, prompt);
    if (run.signal.aborted) return yield { type: 'end', reason: 'interrupted', turns: turn };
    if (ending) return yield { type: 'end', turns: turn, ...ending };
  }
  yield { type: 'end', reason: 'max_turns', turns: run.maxTurns };
}

function haltOf({ halted }: Run): Ending | null {
  const because = halted?.() ?? null;
  return because === null
    ? null
    : { reason: 'error', error: { message: `${because.charAt(0).toUpperCase()}${because.slice(1)}` } };
}

const STALE_REASONING =
  "The vendor no longer accepts the model's earlier reasoning. Continuing without it; the conversation is unchanged.";

function isStaleReasoning(error: unknown): boolean {
  return error instanceof ProviderError && error.kind === 'stale_reasoning';
}

type Ending = { reason: EndReason; error?: RunError };

/** One model reply and its calls. Null when the run continues. */
async function* takeTurn(
  run: Run,
  { hasDropped = false }: { hasDropped?: boolean } = {},
): AsyncGenerator<AgentEvent, Ending | null> {
  yield* run.makeRoom('routine', run.signal);
  const { provider, model, history, repair } = run;
  const reply = new Reply({
    provider,
    model,
    earlier: (id) => callIn(history, id),
    ...(repair && { repair }),
  });
  try {
    const note = run.watch?.(history);
    if (note) yield* record(run, note);
    yield* streamWholeReply(run, reply);
  } catch (error) {
    if (!run.signal.aborted && isOverflow(error) && (yield* run.makeRoom('overflow', run.signal)))
      return yield* takeTurn(run);
    if (!run.signal.aborted && isStaleReasoning(error) && run.dropReasoning && !hasDropped) {
      await run.dropReasoning();
      yield { type: 'notice', level: 'warn', text: STALE_REASONING };
      return yield* takeTurn(run, { hasDropped: true });
    }
    if (reply.usage) yield { type: 'usage', usage: reply.usage, costUsd: run.costOf(reply.usage) };
    const partial = reply.endEarly(run.signal.aborted ? 'aborted' : 'cut', now());
    if (partial) yield* record(run, partial);
    if (run.signal.aborted) return null;
    const runError = runErrorOf(error, reply.model);
    if (runError)
      return { reason: error instanceof BudgetReachedError ? 'budget' : 'error', error: runError };
    throw error;
  }

  const finished = reply.finish(now());
  if (reply.isEmpty) {
    if (reply.usage) yield { type: 'usage', usage: reply.usage, costUsd: run.costOf(reply.usage) };
    return finished.stopReason === 'max_tokens'
      ? { reason: 'max_tokens' }
      : { reason: 'error', error: { message: EMPTY_ANSWER, hint: EMPTY_HINT } };
  }
  const message = (await run.transformMessage?.(finished)) ?? finished;
  if (reply.usage) yield { type: 'usage', usage: reply.usage, costUsd: run.costOf(reply.usage) };
  if (message.content.length > 0) yield* record(run, message);
  const calls = toolCallsOf(message);
  if (calls.some(({ cut }) => cut)) yield { type: 'notice', level: 'warn', text: CUT_CALL };
  if (message.stopReason === 'refusal' && calls.length === 0) return refused(reply.refusal);
  if (calls.length === 0) return { reason: message.stopReason === 'max_tokens' ? 'max_tokens' : 'done' };
  for await (const event of run.act(calls, run.signal)) {
    if (event.type === 'message') yield* record(run, event.message);
    else yield event;
  }
  return null;
}

function* record(run: Run, message: Message): Generator<AgentEvent> {
  run.history.push(message);
  yield { type: 'message', message };
}

function refused({ category, fallbackModel }: Refusal = {}): Ending {
  const message = category ? `The model declined to answer (${category}).` : 'The model declined to answer.';
  const other = fallbackModel
    ? `your fallback model: \`--model ${fallbackModel}\` or \`/model ${fallbackModel}\``
    : 'another model';
  return { reason: 'refusal', error: { message, hint: `Rephrase the prompt, or use ${other}.` } };
}

function now(): string {
  return new Date().toISOString();
}
