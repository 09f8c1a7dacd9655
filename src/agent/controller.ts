import { setMaxListeners } from 'node:events';
import type { RunOptions } from '../contract/command.ts';
import type { AgentEvent } from '../contract/event.ts';
import type { Message, TextPart, UserMessage } from '../contract/message.ts';
import type { EffortChoice } from '../contract/request/effort.ts';
import type { Session } from '../contract/session.ts';
import { unlessAborted } from '../lib/async/abort.ts';
import { closeCall, openCallsOf, type Unfinished } from './history.ts';
import type { Run } from './run.ts';
import { type RemainingWork, runUntilDone } from './run-until-done.ts';
import type { SessionWriter } from './session-writer.ts';
import { type AgentState, type Progress, reduceProgress } from './state.ts';
import type { Steering } from './steering.ts';

export type RunEnd = Extract<AgentEvent, { type: 'end' }>;

export type ControllerDeps = {
  writer: SessionWriter;
  /** Calls that were running when the session was last open. */
  unfinished: Unfinished;
  /** Resolves when all messages of the session are loaded. */
  ready: Promise<void>;
  provider: string;
  model: string;
  contextWindow: number;
  /** What the model is told of changes around it, before the words of the next prompt. */
  updates?(): Promise<TextPart[]>;
  /** The effort from the next prompt on, if it changed. */
  effort?(): EffortChoice | undefined;
  /** Called with a prompt before it is saved: may extend or refuse it. */
  beforePrompt?(content: UserMessage['content'], signal: AbortSignal): Promise<CheckedPrompt>;
  /** Called at each submit: everything a run needs except what the controller itself knows. */
  prepareRun(options: RunOptions): Promise<PreparedRun>;
};

type PreparedRun = Omit<Run, 'history' | 'signal' | 'steer'> & {
  remainingWork?: RemainingWork;
  /** Called with a prompt that was sent during the run, before it is saved. */
  steered?(prompt: UserMessage): void;
};

export type CheckedPrompt =
  | { type: 'go'; content: UserMessage['content'] }
  | { type: 'block'; because: string };

type Queued = {
  /** Null to go on with what was sent before. */
  content: UserMessage['content'] | null;
  options: RunOptions;
  done: (end: RunEnd) => void;
  failed: (error: unknown) => void;
};

/** The end of a prompt that was dropped, or interrupted before any request. */
const neverRan: RunEnd = { type: 'end', reason: 'interrupted', turns: 0 };

/** One session: queues prompts, drives the loop, saves each message, then notifies the listeners. */
export class Controller {
  readonly #deps: ControllerDeps;
  readonly #queue: Queued[] = [];
  #progress: Progress;
  #current: AbortController | undefined;
  #steering: Steering = async () => null;
  #draining: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(deps: ControllerDeps) {
    this.#deps = deps;
    const context = { totalTokens: 0, maxTokens: deps.contextWindow };
    this.#progress = { toolCalls: [], context };
    deps.writer.events.watch((event) => {
      this.#progress = reduceProgress(this.#progress, event);
    });
  }

  get state(): AgentState {
    const { id, messages } = this.session;
    return { conversationId: id, messages, ...this.#progress };
  }

  get session(): Session {
    return this.#deps.writer.session;
  }

  get busy(): boolean {
    return this.#current !== undefined;
  }

  /** Returns a function that removes the listener. */
  listen(listener: (event: AgentEvent) => void): () => void {
    return this.#deps.writer.events.listen(listener);
  }

  /** Runs now, or after the runs submitted earlier. Resolves when the run ends. */
  submit(content: UserMessage['content'], options: RunOptions = {}): Promise<RunEnd> {
    return this.#enqueue(content, options);
  }

  /** Goes on after a run that failed. Its prompt is not added again. */
  retry(): Promise<RunEnd> {
    return this.#enqueue(null, {});
  }

  #enqueue(content: Queued['content'], options: RunOptions): Promise<RunEnd> {
    if (this.#stopped) return Promise.resolve(neverRan);
    return new Promise((done, failed) => {
      this.#queue.push({ content, options, done, failed });
      if (!this.#current) this.#draining = this.#drain();
    });
  }

  /** Where runs find the prompts that are sent while they are going. */
  steerWith(steering: Steering): void {
    this.#steering = steering;
  }

  /** Ends the current run; its output so far is saved. */
  interrupt(): void {
    this.#current?.abort(new DOMException('Interrupted by the user.', 'AbortError'));
  }

  notice(level: 'info' | 'warn', text: string): void {
    this.#emit({ type: 'notice', level, text });
  }

  /** Emits an event without saving it. */
  mention(event: AgentEvent): void {
    this.#emit(event);
  }

  /** Drops the queue, interrupts the run and waits for it to end. Nothing runs afterwards. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const { done } of this.#queue.splice(0)) done(neverRan);
    this.interrupt();
    await this.#draining;
  }

  /** Stops, then releases the session. */
  async close(): Promise<void> {
    await this.stop();
    await this.#deps.writer.close();
  }

  async #drain(): Promise<void> {
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      this.#current = new AbortController();
      // Every running call listens; a large number is not a leak.
      setMaxListeners(0, this.#current.signal);
      try {
        next.done(await this.#run(next, this.#current.signal));
      } catch (error) {
        next.failed(error);
      } finally {
        this.#current = undefined;
      }
    }
  }

  async #run({ content, options }: Queued, signal: AbortSignal): Promise<RunEnd> {
    const { writer, provider, model } = this.#deps;
    const { session } = writer;
    await this.#deps.ready;
    const { id: sessionId, workingDirectory: cwd, messages } = session;
    this.#emit({ type: 'run_start', sessionId, provider, model, cwd, messages: messages.length });
    for (const call of openCallsOf(session.messages))
      await writer.add(closeCall(call, this.#deps.unfinished, now()));
    const prompt = content ?? missingPrompt(session.messages);
    if (prompt) {
      const checked = (await this.#check(prompt, signal)) ?? { type: 'go' as const, content: prompt };
      if (checked.type === 'block') return this.#refused(checked.because);
      await writer.add(await this.#promptOf(checked.content));
    }
    const prepared = signal.aborted ? undefined : await unlessAborted(this.#deps.prepareRun(options), signal);
    if (!prepared) return this.#ended(neverRan);
    let end: RunEnd | undefined;
    const { remainingWork, steered, ...others } = prepared;
    const steer = () => this.#steer(signal, steered);
    const run = { ...others, history: session.messages, signal, steer };
    for await (const event of runUntilDone(run, remainingWork)) {
      await writer.record(event);
      if (event.type === 'end') end = event;
    }
    if (!end) throw new Error('The run ended without a reason.');
    return end;
  }

  /** A prompt stays in its queue until it is checked: what is interrupted or taken back by then is not sent. */
  async #steer(signal: AbortSignal, steered: PreparedRun['steered']): Promise<UserMessage | null> {
    const waiting = await unlessAborted(this.#steering(), signal);
    if (!waiting) return null;
    const checked = await this.#check(waiting.content, signal);
    if (!checked || signal.aborted || !waiting.claim()) return null;
    if (checked.type === 'block') {
      this.notice('warn', notSent(checked.because));
      return null;
    }
    const prompt = await this.#promptOf(checked.content);
    steered?.(prompt);
    return prompt;
  }

  /** Undefined if it was interrupted. */
  #check(content: UserMessage['content'], signal: AbortSignal): Promise<CheckedPrompt | undefined> {
    const { beforePrompt = async () => ({ type: 'go' as const, content }) } = this.#deps;
    return unlessAborted(beforePrompt(content, signal), signal);
  }

  async #promptOf(content: UserMessage['content']): Promise<UserMessage> {
    const updates = (await this.#deps.updates?.()) ?? [];
    const effort = this.#deps.effort?.();
    const timestamp = now();
    return { role: 'user', content: [...updates, ...content], ...(effort && { effort }), timestamp };
  }

  /** A prompt that is not sent is not saved. */
  #refused(because: string): RunEnd {
    const error = { message: notSent(because) };
    return this.#ended({ type: 'end', reason: 'error', turns: 0, error });
  }

  #ended(end: RunEnd): RunEnd {
    this.#emit(end);
    return end;
  }

  #emit(event: AgentEvent): void {
    this.#deps.writer.events.emit(event);
  }
}

/** After an answer that broke off, a model needs a prompt to go on. */
function missingPrompt(messages: readonly Message[]): UserMessage['content'] | null {
  if (messages.at(-1)?.role !== 'assistant') return null;
  return [{ type: 'text', text: 'Your answer broke off. Continue where it stops.' }];
}

function notSent(because: string): string {
  return `The prompt was not sent: ${because}`;
}

function now(): string {
  return new Date().toISOString();
}
