import { isDeepStrictEqual } from 'node:util';
import type { Opened } from '../../../app/open-assistant.ts';
import type { AgentEvent } from '../../../contract/event.ts';
import { innermost } from '../../../contract/event.ts';
import { toolCallsOf } from '../../../contract/message.ts';
import type { Answer, Approver, PermissionRequest } from '../../../contract/permission.ts';
import { onAbort } from '../../../lib/async/abort.ts';
import { isObject } from '../../../lib/text/json.ts';

const NOBODY = 'nobody answered the permission request';

type Deps = {
  opened: Pick<Opened, 'approvals' | 'controller'>;
  /** Writes a line to the other side. */
  print(line: object): void;
  /** The name of a tool in requests. */
  toolName(tool: string): string;
};

/** For an assistant whose questions are answered by their id. */
export const answeredById: Approver = (_request, signal) =>
  new Promise((_resolve, reject) => {
    onAbort(signal, () => reject(signal.reason));
  });

/**
 * Permission questions for the program at the other end of the stream: each is a control request, and a
 * control response answers it. Without an answer it is a no.
 */
export class StreamQuestions {
  readonly #deps: Deps;
  readonly #inputs = new Map<string, unknown>();
  readonly #asked = new Map<string, PermissionRequest>();
  #ended = false;

  constructor(deps: Deps) {
    const { approvals, controller } = deps.opened;
    this.#deps = deps;
    controller.listen((event) => this.#watch(event));
    approvals.listen(() => this.#update());
  }

  /** `response` as in the line: a `subtype`, and the answer itself or an error. */
  answer(id: string, { subtype, response }: Record<string, unknown>): void {
    const { approvals, controller } = this.#deps.opened;
    const request = this.#asked.get(id);
    if (!request || !this.#asked.delete(id)) return;
    const given = subtype === 'success' && isObject(response) ? response : {};
    approvals.answer(id, answerOf(given, this.#inputOf(request)));
    if (given.interrupt === true) controller.interrupt();
  }

  /** Nobody can answer any more. */
  end(): void {
    this.#ended = true;
    this.#asked.clear();
    this.#update();
  }

  /** Remembers the input of calls, which questions show. */
  #watch(event: AgentEvent): void {
    const { event: inner } = innermost(event);
    if (inner.type !== 'message' || inner.message.role !== 'assistant') return;
    for (const { id, input } of toolCallsOf(inner.message)) this.#inputs.set(id, input);
  }

  #update(): void {
    const { opened, print, toolName } = this.#deps;
    const pending = opened.approvals.list;
    for (const id of [...this.#asked.keys()]) {
      if (pending.some((one) => one.id === id)) continue;
      this.#asked.delete(id);
      print({ type: 'control_cancel_request', request_id: id });
    }
    for (const { id, request } of pending) {
      if (this.#ended) opened.approvals.answer(id, { choice: 'no', reason: NOBODY });
      if (this.#ended || this.#asked.has(id)) continue;
      this.#asked.set(id, request);
      const question = { ...questionOf(request, toolName(request.tool)), input: this.#inputOf(request) };
      print({ type: 'control_request', request_id: id, request: question });
    }
  }

  #inputOf({ callId }: PermissionRequest): unknown {
    return this.#inputs.get(callId) ?? {};
  }
}

function questionOf(request: PermissionRequest, toolName: string) {
  const { callId, operation, because, grants = [], accesses, agent } = request;
  return {
    subtype: 'can_use_tool',
    tool_name: toolName,
    tool_use_id: callId,
    title: operation,
    decision_reason: because,
    ...(agent !== undefined && { agent_id: agent }),
    ...(grants.length > 0 && {
      permission_suggestions: (['session', 'localSettings'] as const).map((destination) => ({
        type: 'addRules',
        rules: grants.map(ruleOf),
        behavior: 'allow',
        destination,
      })),
    }),
    accesses,
  };
}

/** `Bash(git log *)` in two parts. */
function ruleOf(rule: string): { toolName: string; ruleContent?: string } {
  const [, toolName = rule, ruleContent] = /^([^(]+)\((.*)\)$/s.exec(rule) ?? [];
  return ruleContent === undefined ? { toolName } : { toolName, ruleContent };
}

/** Only an explicit yes to exactly this call is one. */
function answerOf(response: Record<string, unknown>, input: unknown): Answer {
  const { behavior, message, updatedInput, updatedPermissions } = response;
  if (behavior !== 'allow')
    return { choice: 'no', ...(typeof message === 'string' && message !== '' && { reason: message }) };
  if (updatedInput !== undefined && updatedInput !== null && !isDeepStrictEqual(updatedInput, input))
    return { choice: 'no', reason: 'it was approved with other input, which is not supported' };
  return { choice: remembered(updatedPermissions) };
}

function remembered(updates: unknown): 'once' | 'session' | 'always' {
  const places = (Array.isArray(updates) ? updates : []).flatMap((update) =>
    isObject(update) && update.type === 'addRules' && update.behavior === 'allow' ? [update.destination] : [],
  );
  if (places.length === 0) return 'once';
  return places.every((place) => place === 'session') ? 'session' : 'always';
}
