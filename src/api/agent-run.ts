import type { Controller } from '../agent/controller.ts';
import type { Steering } from '../agent/steering.ts';
import { type Report, Reporter } from '../app/conversation/run-report.ts';
import { type FactDeps, recordOf } from '../app/run-facts/run-facts.ts';
import type { AgentEvent } from '../contract/event.ts';
import { asTyped, type UserMessage } from '../contract/message.ts';
import { Channel } from '../lib/async/channel.ts';
import type { AgentRun, RunResult } from './types.ts';

type Prompt = string | UserMessage['content'];

/** Starts one run: it is submitted once `turn` resolves. `stop` aborts it, even before that. */
export function startRun(
  prompt: Prompt,
  controller: Controller,
  { turn, stop, ...facts }: { turn: Promise<unknown>; stop: AbortSignal } & FactDeps,
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

  const steering = new RunSteering();

  async function drive(): Promise<RunResult> {
    try {
      await turn;
      if (signal.aborted) take({ type: 'end', reason: 'interrupted', turns: 0 });
      else await submit();
    } finally {
      steering.end();
    }
    const { report } = reporter;
    return resultOf({ ...report, ...(await recordOf(report, facts)) });
  }

  async function submit(): Promise<void> {
    const interrupt = () => controller.interrupt();
    const unlisten = controller.listen(take);
    signal.addEventListener('abort', interrupt);
    controller.steerWith(steering.source);
    try {
      await controller.submit(contentOf(prompt));
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
    steer: (text) => steering.add(contentOf(text)),
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

function contentOf(prompt: Prompt): UserMessage['content'] {
  if (typeof prompt === 'string') return [asTyped(prompt)];
  const isMarked = prompt.some((part) => part.type === 'text' && part.typed !== undefined);
  return isMarked ? prompt : prompt.map((part) => (part.type === 'text' ? { ...part, typed: true } : part));
}

/** The prompts sent during one run. */
class RunSteering {
  #waiting: { content: UserMessage['content']; settle(taken: boolean): void }[] = [];
  #ended = false;

  add(content: UserMessage['content']): Promise<boolean> {
    if (this.#ended) return Promise.resolve(false);
    return new Promise((settle) => this.#waiting.push({ content, settle }));
  }

  readonly source: Steering = async () => {
    const taken = [...this.#waiting];
    if (taken.length === 0) return null;
    const claim = () => {
      for (const { settle } of this.#waiting.splice(0, taken.length)) settle(true);
      return true;
    };
    return { content: taken.flatMap(({ content }) => content), claim };
  };

  /** What still waits is not sent. */
  end(): void {
    this.#ended = true;
    for (const { settle } of this.#waiting.splice(0)) settle(false);
  }
}
