import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ReplayReport } from '../../src/app/replay/report.ts';
import { aca, doors } from './aca.ts';
import { type Answer, calls, type Step } from './model-server/script.ts';
import { serve } from './serve.ts';
import type { Workspace } from './workspace.ts';

export const write = (file: string, content: string): Answer =>
  calls(['Write', { file_path: file, content }]);
export const bash = (command: string): Answer => calls(['Bash', { command }]);
export const ALLOWED = ['--allow', 'Bash(*)'];

/** A headless run; resolves with its session's id. */
export async function play(space: Workspace, script: Step[], args: string[] = []): Promise<string> {
  const server = await serve(script);
  const { model, env } = doors.anthropic(server.url);
  const { stdout, stderr } = await aca(
    space,
    ['-p', 'go', '--model', model, '--mode', 'accept-edits', '--output-format', 'json', ...args],
    { env },
  );
  if (stdout === '') throw new Error(stderr);
  return (JSON.parse(stdout) as { sessionId: string }).sessionId;
}

export async function replay(space: Workspace, id: string, args: string[] = []) {
  const { stdout, stderr, code } = await aca(space, ['replay', id, '--json', '--unsandboxed', ...args]);
  if (stdout === '') throw new Error(stderr);
  return { code, report: JSON.parse(stdout) as ReplayReport };
}

type JournalLine = {
  type: string;
  message?: {
    role: string;
    callId?: string;
    success?: boolean;
    metadata?: { interrupted?: true; server?: string };
    content: { type: string; text?: string; id?: string; name?: string; input?: Record<string, unknown> }[];
  };
};

export function journalOf(space: Workspace, id: string): string {
  return path.join(space.home, '.ai-assistant', 'sessions', `${id}.jsonl`);
}

/** Rewrites a journal. */
export async function changeJournal(
  file: string,
  change: (records: JournalLine[]) => void,
): Promise<JournalLine[]> {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  const records = lines.map((line) => JSON.parse(line) as JournalLine);
  change(records);
  await writeFile(file, `${records.map((record) => JSON.stringify(record)).join('\n')}\n`);
  return records;
}

/** Adds a byte to the last recorded result of a call that runs again. False if there is none. */
export async function changeResult(file: string): Promise<boolean> {
  let isChanged = false;
  await changeJournal(file, (records) => {
    const answered = new Set(
      records.flatMap(({ type, message }) => (type === 'call_answered' ? [message?.callId] : [])),
    );
    const last = records.findLast(
      ({ type, message }) =>
        type === 'message' &&
        message?.role === 'tool' &&
        answered.has(message.callId) &&
        !message.metadata?.interrupted &&
        !message.metadata?.server,
    );
    const [part] = last?.message?.content ?? [];
    isChanged = part !== undefined;
    if (part) part.text = `${part.text}~`;
  });
  return isChanged;
}

/** Adds a byte to what the last successful Write of a journal writes. The file; undefined if there is none. */
export async function changeWrite(file: string): Promise<string | undefined> {
  let written: string | undefined;
  await changeJournal(file, (records) => {
    const done = new Set(
      records.flatMap(({ type, message }) =>
        type === 'call_answered' && message?.success ? [message.callId] : [],
      ),
    );
    const parts = records.flatMap(({ type, message }) =>
      type === 'message' ? (message?.content ?? []) : [],
    );
    const input = parts.findLast(({ id, name }) => name === 'Write' && done.has(id))?.input;
    if (!input) return;
    input.content = `${String(input.content)}~`;
    written = String(input.file_path);
  });
  return written;
}
