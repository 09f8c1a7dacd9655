import { randomUUID } from 'node:crypto';
import type { Count } from '../contract/command.ts';
import { type AgentEvent, innermost } from '../contract/event.ts';

/** The statistics of a run, besides cost. Tools and caches by name; includes subagents. */
export type RunEntry = {
  id: string;
  /** When it ended. */
  at: string;
  session: string;
  turns: number;
  ms: number;
  requests: Count;
  tools: Record<string, Count>;
  caches: Record<string, { hits: number; misses: number }>;
};

const NONE: Count = { calls: 0, failed: 0, ms: 0 };

/** Counts events in the runs of one session. */
export class RunTally {
  readonly #session: string;
  readonly #now: () => Date;
  #run: RunEntry;
  #startedAt: Date;

  constructor(session: string, now: () => Date = () => new Date()) {
    this.#session = session;
    this.#now = now;
    this.#startedAt = now();
    this.#run = this.#fresh();
  }

  /** The current run so far; null if nothing was counted since the last one ended. */
  get current(): RunEntry | null {
    const { turns, requests, tools, caches } = this.#run;
    const isEmpty = turns + requests.calls + Object.keys({ ...tools, ...caches }).length === 0;
    return isEmpty ? null : this.#standing();
  }

  /** Returns the whole run if this event ends it. */
  take(outer: AgentEvent): RunEntry | null {
    const { event, agents } = innermost(outer);
    const isOwn = agents.length === 0;
    switch (event.type) {
      case 'run_start':
        if (isOwn) this.#startedAt = this.#now();
        return null;
      case 'turn_start':
        if (isOwn) this.#run.turns += 1;
        return null;
      case 'tool_end':
        this.#run.tools[event.name] = counted(this.#run.tools[event.name], event);
        return null;
      case 'model_call':
        this.#run.requests = counted(this.#run.requests, {
          success: event.error === undefined,
          durationMs: event.durationMs,
        });
        return null;
      case 'cache': {
        const { hits, misses } = this.#run.caches[event.kind] ?? { hits: 0, misses: 0 };
        this.#run.caches[event.kind] =
          event.outcome === 'hit' ? { hits: hits + 1, misses } : { hits, misses: misses + 1 };
        return null;
      }
      case 'end': {
        if (!isOwn) return null;
        const whole = this.#standing();
        this.#run = this.#fresh();
        return whole;
      }
      default:
        return null;
    }
  }

  #standing(): RunEntry {
    const now = this.#now();
    const { turns, requests } = this.#run;
    // Outside a run, only requests take time.
    const ms = turns === 0 ? requests.ms : now.getTime() - this.#startedAt.getTime();
    return { ...this.#run, at: now.toISOString(), ms };
  }

  #fresh(): RunEntry {
    return {
      id: randomUUID(),
      at: '',
      session: this.#session,
      turns: 0,
      ms: 0,
      requests: NONE,
      tools: {},
      caches: {},
    };
  }
}

function counted(
  { calls, failed, ms }: Count = NONE,
  { success, durationMs }: { success: boolean; durationMs: number },
): Count {
  return { calls: calls + 1, failed: failed + (success ? 0 : 1), ms: ms + durationMs };
}
