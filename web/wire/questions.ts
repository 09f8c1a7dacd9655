import type {
  CreateElicitationRequest,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from '@agentclientprotocol/sdk';
import type { PermissionMeta, QuestionMeta } from '../../src/frontends/server/server-methods.ts';
import type { ChatEvent } from '../chat/connection.ts';

type Open = { asked: ChatEvent; answer(value: string | null): void };

/** The questions of the server that wait for an answer of this browser. */
export class Questions {
  readonly #emit: (event: ChatEvent) => void;
  readonly #open = new Map<string, Open>();
  #count = 0;

  constructor(emit: (event: ChatEvent) => void) {
    this.#emit = emit;
  }

  /** For a chat that starts empty. */
  get asked(): ChatEvent[] {
    return [...this.#open.values()].map(({ asked }) => asked);
  }

  /** The answer says exactly which call it is for. Whoever settled it otherwise is told by the events of the session. */
  async approve(request: RequestPermissionRequest, signal: AbortSignal): Promise<RequestPermissionResponse> {
    const { toolCall, options, _meta } = request;
    const about = _meta?.aca as PermissionMeta | undefined;
    const requestId = about?.requestId ?? this.#newId();
    const chosen = await this.#ask(
      requestId,
      { type: 'permission_asked', request: { requestId, toolCall, options } },
      signal,
    );
    if (!about) this.#emit({ type: 'permission_settled', requestId, optionId: chosen });
    const decline = options.find(({ kind }) => kind.startsWith('reject'))?.optionId;
    const optionId = chosen ?? decline;
    return {
      outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId },
      ...(about && { _meta: { aca: { requestId: about.requestId, digest: about.digest } } }),
    };
  }

  async ask(request: CreateElicitationRequest, signal: AbortSignal): Promise<unknown> {
    const about = request._meta?.aca as QuestionMeta | undefined;
    const requestId = about?.requestId ?? this.#newId();
    const choices = choicesIn(request);
    // Who settled it is told by the events of the session, if it names the question.
    const settled = (answer: string | null) => {
      if (!about) this.#emit({ type: 'question_settled', requestId, answer });
    };
    const answer = await this.#ask(
      requestId,
      { type: 'question_asked', request: { requestId, question: request.message, choices } },
      signal,
    ).catch((error) => {
      settled(null);
      throw error;
    });
    settled(answer);
    return answer === null ? { action: 'decline' } : { action: 'accept', content: { answer } };
  }

  answer(requestId: string, value: string | null): void {
    const open = this.#open.get(requestId);
    if (!open) throw new Error('This question was already answered, or the connection is lost.');
    open.answer(value);
  }

  #newId(): string {
    this.#count++;
    return `question-${this.#count}`;
  }

  /** Rejects when the question is withdrawn or the connection ends. */
  #ask(requestId: string, asked: ChatEvent, signal: AbortSignal): Promise<string | null> {
    return new Promise((resolve, reject) => {
      const open: Open = {
        asked,
        answer: (value) => {
          this.#forget(requestId, open);
          resolve(value);
        },
      };
      this.#open.set(requestId, open);
      this.#emit(asked);
      signal.addEventListener('abort', () => {
        this.#forget(requestId, open);
        reject(new Error('The question was withdrawn.'));
      });
    });
  }

  #forget(requestId: string, open: Open): void {
    if (this.#open.get(requestId) === open) this.#open.delete(requestId);
  }
}

function choicesIn(request: CreateElicitationRequest): string[] {
  const { requestedSchema } = request as {
    requestedSchema?: { properties?: { answer?: { enum?: unknown } } };
  };
  const choices = requestedSchema?.properties?.answer?.enum;
  return Array.isArray(choices) ? choices.map(String) : [];
}
