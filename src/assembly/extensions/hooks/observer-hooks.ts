import type { ProviderErrorKind } from '../../../contract/errors.ts';
import { type AgentEvent, innermost } from '../../../contract/event.ts';
import type { HookEvent } from '../../../contract/hook-event.ts';
import type { Session } from '../../../contract/session.ts';
import { limited, unlessAborted } from '../../../lib/async/abort.ts';
import type { HookRunner } from './hook-runner.ts';

export type ObserverDeps = {
  runner: Pick<HookRunner, 'has' | 'observe'>;
  session: Pick<Session, 'view'>;
  /** Whether a user sees the session. */
  isWatched: boolean;
  /** Who wanted the last compaction. */
  trigger(): 'manual' | 'auto';
  notice(text: string): void;
};

/** Hooks that nothing waits for. */
export type ObserverHooks = {
  watch(event: AgentEvent): void;
  /** Waits for the running ones, with a time limit. */
  end(maxMs: number): Promise<void>;
};

/** After this time without a prompt, hooks learn that it waits. */
const IDLE_MS = 60_000;
const { signal: forever } = new AbortController();

export function createObserverHooks({
  runner,
  session,
  isWatched,
  trigger,
  notice,
}: ObserverDeps): ObserverHooks {
  const running = new Set<Promise<unknown>>();
  let idle: NodeJS.Timeout | undefined;

  function observe(event: HookEvent, facts: Record<string, unknown>): void {
    if (!runner.has(event)) return;
    const done: Promise<unknown> = runner
      .observe(event, { facts, signal: forever })
      .catch((error: unknown) => notice(`The ${event} hooks failed: ${(error as Error).message}.`))
      .finally(() => running.delete(done));
    running.add(done);
  }

  function notify(notification_type: string, message: string): void {
    observe('Notification', { notification_type, message, title: 'aca' });
  }

  function waitForPrompt(): void {
    clearTimeout(idle);
    if (!isWatched || !runner.has('Notification')) return;
    idle = setTimeout(() => notify('idle_prompt', 'aca is waiting for your input'), IDLE_MS);
    // The timer alone must not keep the process alive.
    idle.unref();
  }

  return {
    watch(wrapped) {
      const { event } = innermost(wrapped);
      if (event.type === 'question')
        notify('permission_prompt', `aca needs your permission: ${event.request.operation}`);
      if (wrapped.type === 'run_start') clearTimeout(idle);
      if (wrapped.type === 'compacted')
        observe('PostCompact', {
          trigger: trigger(),
          compact_summary: session.view?.compactions.at(-1)?.summary ?? '',
        });
      if (wrapped.type !== 'end') return;
      waitForPrompt();
      if (wrapped.reason === 'error') observe('StopFailure', failureFacts(wrapped));
    },
    async end(maxMs) {
      clearTimeout(idle);
      await unlessAborted(Promise.all(running), limited(maxMs));
    },
  };
}

/** The words of Claude Code for what went wrong. */
const FAILURES: Partial<Record<ProviderErrorKind, string>> = {
  auth: 'authentication_failed',
  quota: 'billing_error',
  rate_limit: 'rate_limit',
  bad_request: 'invalid_request',
  stale_reasoning: 'invalid_request',
  server_error: 'server_error',
  overloaded: 'server_error',
};

function failureFacts({ error }: Extract<AgentEvent, { type: 'end' }>): Record<string, unknown> {
  const word = error?.kind && FAILURES[error.kind];
  return { error: word ?? 'unknown', error_details: error?.message ?? '' };
}
