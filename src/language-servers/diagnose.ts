import type { Diagnostic } from 'vscode-languageserver-protocol';
import type { Finding } from '../contract/code-intelligence.ts';
import { limited, pause, unlessAborted } from '../lib/async/abort.ts';
import { type LanguageClient, toUri } from './client.ts';
import type { Documents } from './documents.ts';
import type { ServerProgram } from './languages.ts';
import type { Texts } from './texts.ts';

export type DiagnoseOptions = {
  client: LanguageClient;
  documents: Documents<Diagnostic>;
  texts: Texts;
  program: ServerProgram;
  /** How long a server may take to publish anything for a text. */
  publishMs: number;
};

/** How a server reports diagnostics: on request, or by publishing them when it likes. */
export function isPulled({ client, program }: Pick<DiagnoseOptions, 'client' | 'program'>): boolean {
  return program.diagnostics === 'tsserver' || client.signals.pulls().length > 0;
}

/** Servers that ask for a new request after each answer get this many. */
const MOST_REFRESHES = 3;

/** Of the text that the server has now, once it has loaded everything; rejects with the signal. */
export async function diagnose(
  file: string,
  options: DiagnoseOptions,
  signal: AbortSignal,
): Promise<readonly Diagnostic[]> {
  const { signals } = options.client;
  for (let refreshes = 0; ; ) {
    await signals.idle(signal);
    const { began, refreshed } = signals;
    const items = await ask(file, options, signal);
    if (items === 'again' || signals.began !== began) continue;
    if (signals.refreshed === refreshed || refreshes++ >= MOST_REFRESHES) return items;
  }
}

function ask(
  file: string,
  options: DiagnoseOptions,
  signal: AbortSignal,
): Promise<readonly Diagnostic[] | 'again'> {
  const { client, program } = options;
  if (program.diagnostics === 'tsserver') return fromTsserver(file, client, signal);
  if (client.signals.pulls().length > 0) return pulled(file, client, signal);
  return published(file, options, signal);
}

/** The server may give up a request because something changed; it says that we should ask again. */
const ASK_AGAIN = new Set([-32802, -32801]);
const AGAIN_AFTER_MS = 50;

async function pulled(
  file: string,
  client: LanguageClient,
  signal: AbortSignal,
): Promise<readonly Diagnostic[]> {
  const reports = client.signals.pulls().map((identifier) => pull(file, { identifier, client, signal }));
  return (await Promise.all(reports)).flat();
}

async function pull(
  file: string,
  {
    identifier,
    client,
    signal,
  }: { identifier: string | undefined; client: LanguageClient; signal: AbortSignal },
): Promise<readonly Diagnostic[]> {
  const params = { textDocument: { uri: toUri(file) }, ...(identifier !== undefined && { identifier }) };
  for (;;) {
    try {
      const report = await client.request<{ kind?: string; items?: Diagnostic[] } | null>(
        'textDocument/diagnostic',
        params,
        signal,
      );
      if (report?.kind === 'full' && Array.isArray(report.items)) return report.items;
      // Without an earlier result to compare with, this says that it does not have the file yet.
      if (report?.kind !== 'unchanged') throw new Error('sent no full report');
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (signal.aborted || typeof code !== 'number' || !ASK_AGAIN.has(code)) throw error;
    }
    await pause(AGAIN_AFTER_MS, signal);
  }
}

/** A server that publishes in stages is done when nothing new has come for this long. */
const STAGE_MS = 400;

/**
 * What a server publishes for the version of the text that it has. The protocol has no sign for the last publication, so
 * this waits longer than the longest time that the server has let pass between two of them.
 */
async function published(
  file: string,
  { client, documents, texts, program, publishMs }: DiagnoseOptions,
  signal: AbortSignal,
): Promise<readonly Diagnostic[] | 'again'> {
  const limit = limited(publishMs, signal);
  const isPulledNow = () => client.signals.pulls().length > 0;
  let wake: () => void = () => undefined;
  const offs = [documents.onPublished(() => wake()), client.signals.onPulls(() => wake())];
  const news = (ms: number) => {
    const until = limited(ms, limit);
    return unlessAborted(new Promise<void>((resolve) => (wake = resolve)), until);
  };
  try {
    let mayReopen = true;
    while (!limit.aborted && !isPulledNow()) {
      const last = documents.published(file);
      const stageMs = program.publishesOnce ? 0 : Math.max(STAGE_MS, 2 * documents.longestStageMs);
      const leftMs = last ? last.at + stageMs - performance.now() : Number.POSITIVE_INFINITY;
      if (last && leftMs <= 0) {
        documents.take(file);
        return last.items;
      }
      if (last) await news(leftMs);
      else {
        await news(publishMs);
        // gopls takes a file that is opened unchanged for the one on disk, which has no version.
        if (mayReopen && documents.isVagueAbout(file)) {
          mayReopen = false;
          await news(STAGE_MS);
          if (!documents.published(file)) texts.reopen(file);
        }
      }
    }
  } finally {
    for (const off of offs) off();
  }
  if (isPulledNow()) return 'again';
  signal.throwIfAborted();
  throw new Error(`${program.name} published nothing for this text in ${publishMs / 1_000}s`);
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
