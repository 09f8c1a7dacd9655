import path from 'node:path';
import type { Readable, Transform, Writable } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { MessageConnection, MessageReader } from 'vscode-jsonrpc/node';
import type { Diagnostic, InitializeParams, ServerCapabilities } from 'vscode-languageserver-protocol';
import { onAbort, pause, raceAbort } from '../lib/async/abort.ts';
import { version as ownVersion } from '../lib/version.ts';
import { checkedStream, notTheProtocol } from './checked-stream.ts';
import { followSignals, type ServerSignals } from './signals.ts';

/** A started server. It ends with this process at the latest. */
export type ServerProcess = {
  stdin: Writable;
  stdout: Readable;
  /** Resolves when it has ended, with the reason as far as known. */
  ended: Promise<string>;
  /** What it runs in, such as bubblewrap. */
  sandbox: string;
  /** Ends it and all its child processes. */
  end(): Promise<void>;
};

export type ClientOptions = {
  server: ServerProcess;
  root: string;
  initializationOptions?: unknown;
  /** False: its progress is about its answers, not about what they lack. */
  followsProgress: boolean;
  onPublished(path: string, version: number | undefined, items: readonly Diagnostic[]): void;
};

/** One connection to a server that has been initialized. */
export type LanguageClient = {
  /** Resolves when the server is gone or does not follow the protocol, with the reason. */
  lost: Promise<string>;
  notify(method: string, params: unknown): void;
  /** Rejects with the signal; the server is told to cancel. */
  request<T>(method: string, params: unknown, signal: AbortSignal): Promise<T>;
  signals: ServerSignals;
  close(): void;
};

const REASON_MS = 500;

export const toUri = (file: string) => pathToFileURL(file).href;

/** Null if it is not a file of this machine. */
export function fromUri(uri: string): string | null {
  try {
    return uri.startsWith('file:') ? path.normalize(fileURLToPath(uri)) : null;
  } catch (error) {
    if (error instanceof TypeError || error instanceof URIError) return null;
    throw error;
  }
}

/** Requests of servers that need some answer. Everything else is refused as unknown. */
const ANSWERS: Readonly<Record<string, (params: unknown) => unknown>> = {
  'workspace/configuration': (params) =>
    ((params as { items?: unknown[] } | null)?.items ?? []).map(() => null),
  'workspace/workspaceFolders': () => null,
  'window/workDoneProgress/create': () => null,
  'window/showMessageRequest': () => null,
  'workspace/applyEdit': () => ({ applied: false, failureReason: 'Files are changed by tools only.' }),
  'workspace/semanticTokens/refresh': () => null,
  'workspace/inlayHint/refresh': () => null,
  'workspace/codeLens/refresh': () => null,
};

export async function openClient(options: ClientOptions, signal: AbortSignal): Promise<LanguageClient> {
  const { server, root } = options;
  const { createMessageConnection, StreamMessageReader, StreamMessageWriter } = await import(
    'vscode-jsonrpc/node'
  );
  const checked = checkedStream();
  const reader = new StreamMessageReader(checked);
  const lost = Promise.race([broken(checked, reader), server.ended]);
  server.stdin.on('error', () => undefined);
  server.stdout.pipe(checked);
  const connection = createMessageConnection(reader, new StreamMessageWriter(server.stdin), {
    error: () => undefined,
    warn: () => undefined,
    info: () => undefined,
    log: () => undefined,
  });
  connection.onError(() => undefined);
  // Cancelling on a closed connection prints an error to the terminal.
  let isOpen = true;
  const closed = () => {
    isOpen = false;
  };
  connection.onClose(closed);
  void lost.then(closed);
  for (const [method, answer] of Object.entries(ANSWERS)) connection.onRequest(method, answer);
  connection.onNotification('textDocument/publishDiagnostics', (params: unknown) => {
    const { uri, version, diagnostics } = params as { uri: string; version?: number; diagnostics: unknown };
    const file = typeof uri === 'string' ? fromUri(uri) : null;
    if (file !== null && Array.isArray(diagnostics)) options.onPublished(file, version, diagnostics);
  });
  const signalsWith = followSignals(connection);
  connection.listen();
  const request = <T>(method: string, params: unknown, until: AbortSignal) =>
    cancellable<T>(connection, { method, params, signal: until, isOpen: () => isOpen });
  const initialized = request<{ capabilities?: ServerCapabilities }>(
    'initialize',
    initializeParams(options),
    signal,
  );
  // A broken pipe says less than how the program ended, which is known a moment later.
  const failed = initialized.catch((error) => pause(REASON_MS, signal).then(() => Promise.reject(error)));
  const gone = lost.then((because) => Promise.reject(new Error(because)));
  const result = await raceAbort(Promise.race([failed, gone]), signal);
  connection.sendNotification('initialized', {});
  return {
    signals: signalsWith(result.capabilities ?? {}),
    lost,
    notify: (method, params) => void connection.sendNotification(method, params).catch(() => undefined),
    request,
    close: () => {
      closed();
      server.stdout.unpipe(checked);
      connection.dispose();
    },
  };

  function initializeParams({ initializationOptions, followsProgress }: ClientOptions): InitializeParams {
    const uri = toUri(root);
    return {
      // It runs in a process namespace of its own, where our id means nothing.
      processId: null,
      clientInfo: { name: 'ai-code-assistant', version: ownVersion },
      rootUri: uri,
      rootPath: root,
      workspaceFolders: [{ uri, name: path.basename(root) }],
      ...(initializationOptions !== undefined && { initializationOptions }),
      capabilities: {
        general: { positionEncodings: ['utf-16'] },
        window: { workDoneProgress: followsProgress },
        workspace: {
          configuration: true,
          workspaceFolders: true,
          didChangeWatchedFiles: { dynamicRegistration: true, relativePatternSupport: true },
          diagnostics: { refreshSupport: true },
          symbol: {},
          workspaceEdit: { documentChanges: true },
        },
        textDocument: {
          synchronization: { didSave: true },
          publishDiagnostics: { versionSupport: true },
          diagnostic: { dynamicRegistration: true },
          definition: {},
          references: {},
          documentSymbol: { hierarchicalDocumentSymbolSupport: true },
          rename: { prepareSupport: false },
        },
        experimental: { serverStatusNotification: true },
      },
    };
  }
}

/** Resolves when a server breaks the protocol, with how. */
function broken(checked: Transform, reader: MessageReader): Promise<string> {
  return new Promise((resolve) => {
    checked.once('error', (error) => resolve(error.message));
    // The framing was right, so the content is not JSON. Nothing else would say so.
    reader.onError(({ message }) => resolve(notTheProtocol(message)));
  });
}

type Sent = { method: string; params: unknown; signal: AbortSignal; isOpen(): boolean };

async function cancellable<T>(
  connection: MessageConnection,
  { method, params, signal, isOpen }: Sent,
): Promise<T> {
  const { CancellationTokenSource } = await import('vscode-jsonrpc/node');
  signal.throwIfAborted();
  const source = new CancellationTokenSource();
  const waiter = onAbort(signal, () => isOpen() && source.cancel());
  try {
    return await raceAbort(connection.sendRequest<T>(method, params, source.token), signal);
  } finally {
    waiter.off();
    source.dispose();
  }
}
