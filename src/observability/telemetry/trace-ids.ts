import { randomUUID } from 'node:crypto';
import { type AgentEvent, innermost } from '../../contract/event.ts';

/** UUIDs. All operations of a run share its trace; operations outside of runs have their own traces. */
export type OperationIds = { traceId: string; spanId: string; parentId: string | null };

/**
 * Which operation an event belongs to: a run, a call, a question about a call, a model request. The same
 * event always gets the same ids, so that logs and traces of all watchers of a session can be correlated.
 */
export class TraceIds {
  readonly #newId: () => string;
  readonly #known = new WeakMap<AgentEvent, OperationIds>();
  /** Operations in progress, by kind and id. */
  readonly #operations = new Map<string, OperationIds>();

  constructor(newId: () => string = randomUUID) {
    this.#newId = newId;
  }

  /** To be called for every event, in order: grouping depends on earlier events. */
  of(outer: AgentEvent): OperationIds {
    const known = this.#known.get(outer) ?? this.#find(outer);
    this.#known.set(outer, known);
    return known;
  }

  #find(outer: AgentEvent): OperationIds {
    const { event, calls } = innermost(outer);
    const call = (callId: string) => this.#call([...calls, callId]);
    const question = (callId: string) => `question ${[...calls, callId].join('/')}`;
    switch (event.type) {
      case 'run_start':
        if (calls.length === 0) this.#operations.clear();
        return this.#run(calls);
      case 'end':
        return this.#last(runKey(calls), this.#run(calls));
      case 'text':
      case 'thinking':
      case 'reclassify':
      case 'call_start':
        return this.#request(calls);
      case 'model_call':
        // A background job may run during a request: it does not end it.
        return event.purpose === 'helper'
          ? this.#fresh(this.#runIfAny(calls))
          : this.#last(requestKey(calls), this.#request(calls));
      case 'question':
        return this.#under(question(event.request.callId), () => this.#runIfAny(calls));
      case 'judged': {
        const asked = this.#operations.get(question(event.callId));
        return asked ? this.#last(question(event.callId), asked) : call(event.callId);
      }
      case 'tool_start':
        return call(event.call.id);
      case 'tool_progress':
        return call(event.callId);
      case 'tool_end':
        return this.#last(callKey([...calls, event.callId]), call(event.callId));
      default:
        return this.#runIfAny(calls) ?? this.#under('beside', () => null);
    }
  }

  /** A subagent's run starts with its first event. */
  #run(calls: readonly string[]): OperationIds {
    return this.#under(runKey(calls), () => (calls.length === 0 ? null : this.#call(calls)));
  }

  #runIfAny(calls: readonly string[]): OperationIds | null {
    return calls.length === 0 ? (this.#operations.get(runKey(calls)) ?? null) : this.#run(calls);
  }

  #call(calls: readonly string[]): OperationIds {
    return this.#under(callKey(calls), () => this.#runIfAny(calls.slice(0, -1)));
  }

  /** In progress until its `model_call` event. */
  #request(calls: readonly string[]): OperationIds {
    return this.#under(requestKey(calls), () => this.#runIfAny(calls));
  }

  #under(key: string, parent: () => OperationIds | null): OperationIds {
    const known = this.#operations.get(key) ?? this.#fresh(parent());
    this.#operations.set(key, known);
    return known;
  }

  #last(key: string, operation: OperationIds): OperationIds {
    this.#operations.delete(key);
    return operation;
  }

  #fresh(parent: OperationIds | null): OperationIds {
    const traceId = parent?.traceId ?? this.#newId();
    return { traceId, spanId: this.#newId(), parentId: parent?.spanId ?? null };
  }
}

function runKey(calls: readonly string[]): string {
  return `run ${calls.join('/')}`;
}

function callKey(calls: readonly string[]): string {
  return `call ${calls.join('/')}`;
}

function requestKey(calls: readonly string[]): string {
  return `request ${calls.join('/')}`;
}

/** 32 hexadecimal digits: the same number as the UUID. */
export function otelTraceId(traceId: string): string {
  return traceId.replaceAll('-', '');
}

/** 16 hexadecimal digits: the second half of the UUID, which is never zero. */
export function otelSpanId(spanId: string): string {
  return spanId.replaceAll('-', '').slice(-16);
}
