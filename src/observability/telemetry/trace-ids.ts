import { randomUUID } from 'node:crypto';
import { type AgentEvent, innermost } from '../../contract/event.ts';

/** UUIDs. All operations of a run share its trace; operations outside of runs have their own traces. */
export type OperationIds = { traceId: string; spanId: string; parentId: string | null };

/** An operation of another process. UUIDs. */
export type RemoteParent = Pick<OperationIds, 'traceId' | 'spanId'>;

/**
 * Which operation an event belongs to: a run, a call, a question about a call, a model request. The same
 * event always gets the same ids, so that logs and traces of all watchers of a session can be correlated.
 */
export class TraceIds {
  readonly #newId: () => string;
  readonly #parent: RemoteParent | null;
  readonly #known = new WeakMap<AgentEvent, OperationIds>();
  /** Operations in progress, by kind and id. */
  readonly #operations = new Map<string, OperationIds>();

  /** Runs are part of the operation that started this process, if there is one. */
  constructor({
    newId = randomUUID,
    parent = null,
  }: { newId?: () => string; parent?: RemoteParent | null } = {}) {
    this.#newId = newId;
    this.#parent = parent;
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
    const { traceId = this.#newId(), spanId = null } = parent ?? this.#parent ?? {};
    return { traceId, spanId: this.#newId(), parentId: spanId };
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

/** The W3C format, which the variable TRACEPARENT has: `00-TRACE-SPAN-01`. */
export function traceparentOf({ traceId, spanId }: RemoteParent): string {
  return `00-${otelTraceId(traceId)}-${otelSpanId(spanId)}-01`;
}

/** Null if there is none, or it is not valid. */
export function parseTraceparent(text: string | undefined): RemoteParent | null {
  const [, traceId = '', spanId = ''] =
    /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}$/.exec(text ?? '') ?? [];
  if (/^0*$/.test(traceId) || /^0*$/.test(spanId)) return null;
  return { traceId: uuidOf(traceId), spanId: uuidOf(spanId) };
}

function uuidOf(digits: string): string {
  return digits.padStart(32, '0').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
