import { ProviderError } from '../contract/errors.ts';
import type { AgentEvent } from '../contract/event.ts';
import type { AssistantMessage } from '../contract/message.ts';
import { pause } from '../lib/async/abort.ts';
import type { Reply } from './accumulate.ts';
import { joinDeltas } from './join-deltas.ts';
import { NoteParagraphs } from './note-paragraphs.ts';
import type { Run } from './run.ts';
import { RepetitionGuard } from './stuck/repetition.ts';

/** Maximum number of requests for the rest of one answer. */
const MOST_PARTS = 3;

export const EMPTY_ANSWER = 'The model returned nothing.';

const THOUGHT_SHOWN = 'The model wrote a thought and no answer, also when asked again. This is the thought.';

const LIMIT_PROMPT =
  '[Your answer reached the output limit. You see the part that arrived. Continue exactly where it stops: repeat nothing, and do not mention the break.]';
const BROKEN_PROMPT =
  '[The connection broke in the middle of your answer. You see the part that arrived. Continue exactly where it stops: repeat nothing, and do not mention the break. A call you were making did not arrive; make it again.]';
const EMPTY_PROMPT = '[Your last answer was empty. Answer now, or make the calls that are still needed.]';
/** How much of a thought is given back with a request for the answer. */
const MOST_THOUGHT = 4_000;

/**
 * Streams one complete answer: continues what the output limit or a broken connection cut off, and requests an empty
 * answer once more. The prompts for that become part of the reply: what was sent stays part of the conversation.
 */
export async function* streamWholeReply(run: Run, reply: Reply): AsyncGenerator<AgentEvent> {
  yield* streamUnbroken(run, reply);
  if (reply.isEmpty) yield* retryEmpty(run, reply);
  if (reply.isEmpty && reply.showThought()) {
    yield { type: 'notice', level: 'warn', text: THOUGHT_SHOWN };
    yield { type: 'reclassify', as: 'text' };
  }
  for (let part = 1; reply.isCutText && part <= MOST_PARTS; part++)
    if (!(yield* continueCut(run, reply, part))) return;
}

async function* retryEmpty(run: Run, reply: Reply): AsyncGenerator<AgentEvent> {
  yield* usageOf(run, reply);
  yield { type: 'notice', level: 'info', text: `${EMPTY_ANSWER} Retrying.` };
  const partial = reply.continueWith(emptyPrompt(reply.thought), now());
  try {
    yield* streamUnbroken(run, reply, partial);
  } catch (error) {
    if (run.signal.aborted || !(error instanceof ProviderError)) throw error;
    const { kind, provider, message } = error;
    throw new ProviderError(
      `${EMPTY_ANSWER} The retry failed: ${message}`,
      { kind, provider },
      { cause: error },
    );
  }
}

/** A thought that was never closed may hold the answer, so it is given back. */
function emptyPrompt(thought: string): string {
  if (thought === '') return EMPTY_PROMPT;
  const kept = thought.length > MOST_THOUGHT ? `…${thought.slice(-MOST_THOUGHT)}` : thought;
  return `[Your last answer had only this thought:\n${kept}\nAnswer now, or make the calls that are still needed.]`;
}

/** Returns whether more text arrived. */
async function* continueCut(run: Run, reply: Reply, part: number): AsyncGenerator<AgentEvent, boolean> {
  yield* usageOf(run, reply);
  const text = `The answer hit the output limit. Continuing (${part} of ${MOST_PARTS}).`;
  yield { type: 'notice', level: 'info', text };
  const partial = reply.continueWith(LIMIT_PROMPT, now());
  try {
    yield* streamUnbroken(run, reply, partial);
    return true;
  } catch (error) {
    if (run.signal.aborted || !(error instanceof ProviderError)) throw error;
    // Keep the partial answer even though the rest is unavailable.
    yield {
      type: 'notice',
      level: 'warn',
      text: `Could not get the rest of the answer: ${error.message}`,
    };
    reply.settle();
    return false;
  }
}

/** Streams a reply, and its rest when the connection breaks in the middle of it. */
async function* streamUnbroken(
  run: Run,
  reply: Reply,
  before?: AssistantMessage,
): AsyncGenerator<AgentEvent> {
  let partial = before;
  for (let attempt = 1; ; attempt++) {
    try {
      yield* streamReply(run, reply, partial);
      return;
    } catch (error) {
      const delayMs = reply.hasText ? run.continueAfter?.(error, attempt) : undefined;
      if (delayMs === undefined || run.signal.aborted || !(error instanceof ProviderError)) throw error;
      yield { type: 'retry', kind: error.kind, message: error.message, attempt, delayMs };
      yield* usageOf(run, reply);
      partial = reply.continueWith(BROKEN_PROMPT, now());
      await pause(delayMs, run.signal);
    }
  }
}

async function* streamReply(
  run: Run,
  reply: Reply,
  partial: AssistantMessage | undefined,
): AsyncGenerator<AgentEvent> {
  const history = partial ? [...run.history, partial] : run.history;
  const paragraphs = new NoteParagraphs();
  const repetition = new RepetitionGuard();
  for await (const event of joinDeltas(run.ask(history, run.signal))) {
    reply.push(event);
    repetition.push(event);
    const text = paragraphs.read(event);
    if (event.type === 'tool_call_start') yield { type: 'call_start', name: event.name };
    else if (text) yield text;
    else if (event.type === 'thinking' || event.type === 'reclassify') yield event;
    else if (event.type === 'retry' || event.type === 'loading' || event.type === 'input_transformed')
      yield event;
  }
  if (!reply.stopped)
    throw new ProviderError('The answer ended early.', { kind: 'cut', provider: run.provider });
}

function* usageOf({ costOf }: Run, { usage }: Reply): Generator<AgentEvent> {
  if (usage) yield { type: 'usage', usage, costUsd: costOf(usage) };
}

function now(): string {
  return new Date().toISOString();
}
