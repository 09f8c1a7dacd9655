import type { Diagnostic } from 'vscode-languageserver-protocol';
import type { Finding } from '../contract/code-intelligence.ts';
import { pause, raceAbort } from '../lib/async/abort.ts';
import { type LanguageClient, toUri } from './client.ts';
import type { Documents } from './documents.ts';
import type { ServerProgram } from './languages.ts';

export type DiagnoseOptions = {
  client: LanguageClient;
  documents: Documents<Diagnostic>;
  program: ServerProgram;
};

/** How a server reports diagnostics: on request, or by publishing them when it likes. */
export function isPulled({ client, program }: Pick<DiagnoseOptions, 'client' | 'program'>): boolean {
  return program.diagnostics !== undefined || client.capabilities.diagnosticProvider !== undefined;
}

/** Of the text that the server has now, once it has loaded everything; rejects with the signal. */
export async function diagnose(
  file: string,
  options: DiagnoseOptions,
  signal: AbortSignal,
): Promise<readonly Diagnostic[]> {
  const { client } = options;
  for (;;) {
    await client.idle(signal);
    const { began } = client;
    const items = await ask(file, options, signal);
    if (client.began === began) return items;
  }
}

function ask(
  file: string,
  { client, documents, program }: DiagnoseOptions,
  signal: AbortSignal,
): Promise<readonly Diagnostic[]> {
  if (program.diagnostics === 'tsserver') return fromTsserver(file, client, signal);
  if (client.capabilities.diagnosticProvider) return pulled(file, client, signal);
  return published(file, documents, signal);
}

/** The server may give up a request because something changed; it says that we should ask again. */
const ASK_AGAIN = new Set([-32802, -32801]);
const AGAIN_AFTER_MS = 50;

async function pulled(
  file: string,
  client: LanguageClient,
  signal: AbortSignal,
): Promise<readonly Diagnostic[]> {
  const { diagnosticProvider } = client.capabilities;
  const { identifier } = diagnosticProvider ?? {};
  for (;;) {
    try {
      const report = await client.request<{ kind?: string; items?: Diagnostic[] } | null>(
        'textDocument/diagnostic',
        { textDocument: { uri: toUri(file) }, ...(identifier !== undefined && { identifier }) },
        signal,
      );
      if (report?.kind === 'full' && Array.isArray(report.items)) return report.items;
      throw new Error('sent no full report');
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (signal.aborted || typeof code !== 'number' || !ASK_AGAIN.has(code)) throw error;
      await pause(AGAIN_AFTER_MS, signal);
    }
  }
}

function published(
  file: string,
  documents: Documents<Diagnostic>,
  signal: AbortSignal,
): Promise<readonly Diagnostic[]> {
  const there = documents.published(file);
  if (there) return Promise.resolve(there);
  let off: () => void = () => undefined;
  const waiting = new Promise<readonly Diagnostic[]>((resolve) => {
    off = documents.onPublished((path) => {
      const items = path === file ? documents.published(file) : undefined;
      if (items) resolve(items);
    });
  });
  return raceAbort(waiting, signal).finally(off);
}

type TsDiagnostic = {
  start: { line: number; offset: number };
  end: { line: number; offset: number };
  text: string;
  code?: number;
  category?: string;
};

/** Both answers are for the text at the time of the request: tsserver works through its input in order. */
async function fromTsserver(
  file: string,
  client: LanguageClient,
  signal: AbortSignal,
): Promise<readonly Diagnostic[]> {
  const ask = (command: string) =>
    client.request<{ body?: TsDiagnostic[] } | null>(
      'workspace/executeCommand',
      {
        command: 'typescript.tsserverRequest',
        arguments: [command, { file }, { isAsync: false, lowPriority: false }],
      },
      signal,
    );
  const answers = [await ask('syntacticDiagnosticsSync'), await ask('semanticDiagnosticsSync')];
  return answers.flatMap((answer) => {
    if (!Array.isArray(answer?.body)) throw new Error('sent no diagnostics');
    return answer.body.map(
      ({ start, end, text, code = 0, category }): Diagnostic => ({
        range: {
          start: { line: start.line - 1, character: start.offset - 1 },
          end: { line: end.line - 1, character: end.offset - 1 },
        },
        severity: category === 'error' ? 1 : category === 'warning' ? 2 : 4,
        code,
        source: 'ts',
        message: text,
      }),
    );
  });
}

const MAX_MESSAGE = 1_000;
const MAX_FINDINGS = 1_000;

/** What a server says about a text, without hints; nothing in it is trusted to have the right type. */
export function findingsOf(
  file: string,
  text: string,
  { items, source: program }: { items: readonly Diagnostic[]; source: string },
): Finding[] {
  const lines = text.split(/\r\n|\r|\n/);
  return items.slice(0, MAX_FINDINGS).flatMap((item): Finding[] => {
    const { severity = 1, range, message, code, source } = item;
    if (severity > 2 || typeof message !== 'string') return [];
    const line = countOf(range?.start?.line);
    return [
      {
        path: file,
        line: line + 1,
        column: countOf(range?.start?.character) + 1,
        severity: severity === 1 ? 'error' : 'warning',
        source: typeof source === 'string' ? source : program,
        code: typeof code === 'string' || typeof code === 'number' ? String(code) : '',
        message: message.trim().slice(0, MAX_MESSAGE),
        lineText: (lines[line] ?? '').trim().slice(0, 200),
      },
    ];
  });
}

function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}
