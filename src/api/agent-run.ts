import type { Controller } from '../agent/controller.ts';
import { type Report, Reporter } from '../app/conversation/run-report.ts';
import type { AgentEvent } from '../contract/event.ts';
import type { UserMessage } from '../contract/message.ts';
import { Channel } from '../lib/async/channel.ts';
import type { AgentRun, RunResult } from './types.ts';

/** Starts one run: it is submitted once `turn` resolves. `stop` aborts it, even before that. */
export function startRun(
  content: UserMessage['content'],
  controller: Controller,
  { turn, stop }: { turn: Promise<unknown>; stop: AbortSignal },
): AgentRun {
  const left = new AbortController();
  const signal = AbortSignal.any([stop, left.signal]);
  const events = new Channel<AgentEvent>();
  const reporter = new Reporter();
  const take = (event: AgentEvent) => {
    reporter.take(event);
    // Not awaited: a slow reader must not slow down the run.
    void events.push(event);
  };

  async function drive(): Promise<RunResult> {
    await turn;
    if (signal.aborted) take({ type: 'end', reason: 'interrupted', turns: 0 });
    else await submit();
    return resultOf(reporter.report);
  }

  async function submit(): Promise<void> {
    const interrupt = () => controller.interrupt();
    const unlisten = controller.listen(take);
    signal.addEventListener('abort', interrupt);
    try {
      await controller.submit(content);
    } finally {
      signal.removeEventListener('abort', interrupt);
      unlisten();
    }
  }

  const result = drive();
  result.then(
    () => events.close(),
    (error: unknown) => events.fail(error),
  );
  return {
    result,
    async *[Symbol.asyncIterator]() {
      try {
        yield* events;
      } finally {
        left.abort();
      }
    },
  };
}

function resultOf({ type: _, result, ...rest }: Report): RunResult {
  return { text: result, ...rest };
}
