import { ProviderError } from '../contract/errors.ts';
import type { AgentEvent } from '../contract/event.ts';
import type { Message, UserMessage } from '../contract/message.ts';
import type { Reply } from './accumulate.ts';
import { joinDeltas } from './join-deltas.ts';
import { NoteParagraphs } from './note-paragraphs.ts';
import type { Run } from './run.ts';

/** Maximum number of requests for the rest of one answer. */
const MOST_PARTS = 3;

export const EMPTY_ANSWER = 'The model returned nothing.';

const CONTINUE_PROMPT =
  '[Your answer reached the output limit. You see the part that arrived. Continue exactly where it stops: repeat nothing, and do not mention the break.]';
const EMPTY_PROMPT = '[Your last answer was empty. Answer now, or make the calls that are still needed.]';

/**
 * Streams one complete answer: continues text truncated by the output limit, and requests an empty answer
 * once more. The prompts for that are not part of the history.
 */
export async function* streamWholeReply(run: Run, reply: Reply): AsyncGenerator<AgentEvent> {
  yield* streamReply(run, reply, run.history);
  if (reply.isEmpty) yield* retryEmpty(run, reply);
  for (let part = 1; reply.isCutText && part <= MOST_PARTS; part++)
    if (!(yield* continueCut(run, reply, part))) return;
}

async function* retryEmpty(run: Run, reply: Reply): AsyncGenerator<AgentEvent> {
  yield* usageOf(run, reply);
  yield { type: 'notice', level: 'info', text: `${EMPTY_ANSWER} Retrying.` };
  reply.startOver();
  try {
    yield* streamReply(run, reply, withPrompt(run.history, EMPTY_PROMPT));
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

/** Returns whether more text arrived. */
async function* continueCut(run: Run, reply: Reply, part: number): AsyncGenerator<AgentEvent, boolean> {
  yield* usageOf(run, reply);
  const text = `The answer hit the output limit. Continuing (${part} of ${MOST_PARTS}).`;
  yield { type: 'notice', level: 'info', text };
  const partial = reply.continueFrom(new Date().toISOString());
  try {
    yield* streamReply(run, reply, withPrompt([...run.history, partial], CONTINUE_PROMPT));
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

async function* streamReply(run: Run, reply: Reply, history: readonly Message[]): AsyncGenerator<AgentEvent> {
  const paragraphs = new NoteParagraphs();
  for await (const event of joinDeltas(run.ask(history, run.signal))) {
    reply.push(event);
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

/**
 * The history with this user text at its end, merged into a trailing prompt: some models refuse two prompts
 * in a row.
 */
function withPrompt(history: readonly Message[], text: string): Message[] {
  const part = { type: 'text' as const, text };
  const last = history.at(-1);
  if (last?.role === 'user') return [...history.slice(0, -1), { ...last, content: [...last.content, part] }];
  const message: UserMessage = { role: 'user', content: [part], timestamp: last?.timestamp ?? '' };
  return [...history, message];
}
