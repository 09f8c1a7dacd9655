import type { Answer, Approver, PermissionRequest } from '../../contract/permission.ts';
import { onAbort } from '../../lib/async/abort.ts';

export type PendingApproval = { id: string; request: PermissionRequest };

type Pending = PendingApproval & { settle(answer: Answer): void; fail(error: unknown): void };

/**
 * A session's unanswered approval requests, as state: every frontend can list them and answer one by its id.
 * The first answer counts.
 */
export class PendingApprovals {
  readonly #pending = new Map<string, Pending>();
  readonly #listeners = new Set<() => void>();
  #count = 0;

  /** Oldest first. */
  get list(): PendingApproval[] {
    return [...this.#pending.values()].map(({ id, request }) => ({ id, request }));
  }

  /** Used by the session: resolves with the first answer, rejects when the requesting run is stopped. */
  readonly approver: Approver = (request, signal) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      this.#count++;
      const id = `approval-${this.#count}`;
      const end = () => {
        stopping.off();
        this.#pending.delete(id);
        this.#changed();
      };
      const fail = (error: unknown) => {
        end();
        reject(error);
      };
      const settle = (answer: Answer) => {
        end();
        resolve(answer);
      };
      const stopping = onAbort(signal, () => fail(signal.reason));
      this.#pending.set(id, { id, request, settle, fail });
      this.#changed();
    });

  /** False when the request no longer exists: it was answered elsewhere, or its run was stopped. */
  answer(id: string, answer: Answer): boolean {
    const pending = this.#pending.get(id);
    pending?.settle(answer);
    return pending !== undefined;
  }

  /** Called after every change of the list. Returns a function that stops listening. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Also sends every request to one frontend. A request that is settled elsewhere is cancelled there. */
  askThrough(ask: Approver): void {
    const asked = new Map<string, AbortController>();
    const update = () => {
      const open = new Set(this.#pending.keys());
      for (const [id, controller] of asked) {
        if (open.has(id)) continue;
        asked.delete(id);
        controller.abort(new DOMException('The question was settled elsewhere.', 'AbortError'));
      }
      for (const { id, request } of this.list) {
        if (asked.has(id)) continue;
        const controller = new AbortController();
        asked.set(id, controller);
        ask(request, controller.signal).then(
          (answer) => void this.answer(id, answer),
          (error: unknown) => this.#pending.get(id)?.fail(error),
        );
      }
    };
    this.listen(update);
    update();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
