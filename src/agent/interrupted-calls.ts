import { type AgentEvent, innermost } from '../contract/event.ts';
import { textOf } from '../contract/message.ts';
import type { Access } from '../contract/permission.ts';
import { fail, type ToolResult } from '../contract/tool.ts';
import { limited, unlessAborted } from '../lib/async/abort.ts';
import { accessesConflict } from './conflict.ts';

type Call = { title: string; touches: readonly Access[]; ended: Promise<void> };

/** How long a call waits for a conflicting interrupted call. */
const WAIT_MS = 30_000;

/** Interrupted calls that have not ended yet. Conflicting calls must wait for them. */
export class InterruptedCalls {
  readonly #calls = new Set<Call>();

  add({ title, touches }: Omit<Call, 'ended'>, running: Promise<unknown>): void {
    const forget = () => void this.#calls.delete(call);
    const call: Call = { title, touches, ended: running.then(forget, forget) };
    this.#calls.add(call);
  }

  /** The calls that must end before a call with these accesses may run. */
  before(touches: readonly Access[]): readonly Pick<Call, 'title' | 'ended'>[] {
    return [...this.#calls].filter((call) => accessesConflict(call.touches, touches));
  }

  /** Waits for conflicting calls. Returns why the call cannot run if they do not end. */
  async waitFor(touches: readonly Access[], signal: AbortSignal): Promise<string | null> {
    const deadline = limited(WAIT_MS, signal);
    for (const { title, ended } of this.before(touches)) {
      const isOver = ended.then(() => true);
      if (!(await unlessAborted(isOver, deadline)))
        return `"${title}" was interrupted but is still running, and this call touches the same files. Do something else first, or try again later.`;
    }
    return null;
  }

  /** Resolves when all have ended. */
  async ended(): Promise<void> {
    await Promise.all([...this.#calls].map((call) => call.ended));
  }
}

/** The end of a flood says more than its start, and all of it would take too much memory. */
const MOST_KEPT = 100_000;

/** What a running call has printed, or its subagent has said: if it is interrupted, this is all that is known of its result. */
export class PartialOutput {
  #text = '';

  get text(): string {
    return this.#text.slice(-MOST_KEPT).trimEnd();
  }

  /** Takes what a subagent of the call says; its own subagents report to it. */
  follow(event: AgentEvent): void {
    const { event: inner, agents } = innermost(event);
    if (agents.length !== 1 || inner.type !== 'message' || inner.message.role !== 'assistant') return;
    const text = textOf(inner.message).trim();
    if (text !== '') this.add(`${text}\n`);
  }

  add(text: string): void {
    this.#text += text;
    if (this.#text.length > 2 * MOST_KEPT) this.#text = this.#text.slice(-MOST_KEPT);
  }
}

const INTERRUPTED = { metadata: { interrupted: true }, summary: { kind: 'interrupted' as const } };

export function interruptedBefore(): ToolResult {
  return fail('Interrupted by the user before it ran.', INTERRUPTED);
}

export function interruptedWhile({ text }: Pick<PartialOutput, 'text'>): ToolResult {
  const error = 'Interrupted by the user while it was running.';
  if (text === '') return fail(error, INTERRUPTED);
  return fail(`${error} Its output so far:\n${text}`, {
    display: { kind: 'text', text },
    ...INTERRUPTED,
  });
}
