import type { MessageConnection } from 'vscode-jsonrpc/node';
import type { ServerCapabilities } from 'vscode-languageserver-protocol';
import { raceAbort } from '../lib/async/abort.ts';

/** What a server says on its own about how complete its answers are. */
export type ServerSignals = {
  /** How often it began to load or index something: what it says meanwhile is incomplete. */
  readonly began: number;
  /** How often it asked for its diagnostics to be requested again: it knows more now. */
  readonly refreshed: number;
  /** Whether it says that it is loading something. */
  readonly isLoading: boolean;
  /** Resolves when it says that it loads nothing. */
  idle(signal: AbortSignal): Promise<void>;
  /** The identifiers under which diagnostics can be requested; none if it only publishes them. */
  pulls(): readonly (string | undefined)[];
  /** Called when `pulls` has changed. Returns a function that removes the listener. */
  onPulls(listener: () => void): () => void;
};

type Registration = { id: string; method: string; registerOptions?: { identifier?: unknown } };

const PULL = 'textDocument/diagnostic';
const STATIC = 'initialize';

/** Call before the connection listens, and the result with the capabilities when they are known. */
export function followSignals(connection: MessageConnection) {
  const pulls = new Map<string, string | undefined>();
  const listeners = new Set<() => void>();
  let refreshed = 0;
  const register = (id: string, identifier: unknown) => {
    pulls.set(id, typeof identifier === 'string' ? identifier : undefined);
    for (const listener of listeners) listener();
  };
  connection.onRequest('client/registerCapability', (params: unknown) => {
    const { registrations } = params as { registrations?: Registration[] };
    for (const { id, method, registerOptions } of registrations ?? [])
      if (method === PULL) register(id, registerOptions?.identifier);
    return null;
  });
  connection.onRequest('client/unregisterCapability', (params: unknown) => {
    // The protocol's own spelling.
    const { unregisterations } = params as { unregisterations?: Registration[] };
    for (const { id } of unregisterations ?? []) pulls.delete(id);
    return null;
  });
  connection.onRequest('workspace/diagnostic/refresh', () => {
    refreshed += 1;
    return null;
  });
  const progress = followProgress(connection);
  return ({ diagnosticProvider }: ServerCapabilities): ServerSignals => {
    if (diagnosticProvider) register(STATIC, diagnosticProvider.identifier);
    return {
      get began() {
        return progress.began();
      },
      get refreshed() {
        return refreshed;
      },
      get isLoading() {
        return progress.isActive();
      },
      idle: progress.idle,
      // Servers that register again before they unregister have an identifier twice.
      pulls: () => [...new Set(pulls.values())],
      onPulls(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    };
  };
}

/** What the server works on beside requests: its progress, and rust-analyzer's `quiescent`. */
function followProgress(connection: MessageConnection) {
  const active = new Set<string | number>();
  const waiting = new Set<() => void>();
  let began = 0;
  const begin = (token: string | number) => {
    if (!active.has(token)) began += 1;
    active.add(token);
  };
  const end = (token: string | number) => {
    active.delete(token);
    if (active.size > 0) return;
    for (const wake of waiting) wake();
    waiting.clear();
  };
  connection.onNotification('$/progress', (params: unknown) => {
    const { token, value } = params as { token: string | number; value?: { kind?: string } };
    if (value?.kind === 'begin') begin(token);
    if (value?.kind === 'end') end(token);
  });
  connection.onNotification('experimental/serverStatus', (params: unknown) => {
    const { quiescent } = params as { quiescent?: unknown };
    if (quiescent === false) begin('experimental/serverStatus');
    if (quiescent === true) end('experimental/serverStatus');
  });
  return {
    began: () => began,
    isActive: () => active.size > 0,
    async idle(signal: AbortSignal) {
      while (active.size > 0) await raceAbort(new Promise<void>((resolve) => waiting.add(resolve)), signal);
    },
  };
}
