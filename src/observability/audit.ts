import { closeSync, fstatSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import { type AgentEvent, innermost } from '../contract/event.ts';
import type { Access } from '../contract/permission.ts';

/** One line of the audit log: what was decided of a call, or how a call that ran ended. */
export type AuditRecord = { time: string; session: string; callId: string; tool: string } & (
  | {
      type: 'judged';
      cwd: string;
      /** The subagents it was, the outermost first. */
      agents?: string[];
      accesses: Access[];
      verdict: 'allow' | 'deny';
      /** Who decided: a rule, a mode, a grant, the user. */
      by: string;
      because: string;
    }
  | { type: 'outcome'; success: boolean; exitCode?: number | null; durationMs: number }
);

export type AuditOptions = {
  file: string;
  sessionId: string;
  cwd: string;
  /** Takes secrets out of all texts of a value before it is written. */
  redact<T>(value: T): T;
  /** Told once, when the log cannot be written. The run goes on. */
  onTrouble(message: string): void;
  now?: () => Date;
  /** Bytes past which a new file is begun. */
  maxBytes?: number;
};

const MAX_BYTES = 10 * 1024 * 1024;
const KEPT = 5;
const LONGEST_TEXT = 10_000;
const STALE_LOCK_MS = 10_000;

export type Audit = { take(event: AgentEvent): void };

/** Writes a line for every judged call and one for its outcome. Several processes may share the file. */
export function createAudit(options: AuditOptions): Audit {
  const { file, sessionId, cwd, redact, onTrouble, now = () => new Date(), maxBytes = MAX_BYTES } = options;
  const running = new Set<string>();
  let torn = false;
  let troubled = false;

  function write(record: AuditRecord): void {
    try {
      // A line that broke off is closed, so that it spoils no other.
      appendLine(file, `${torn ? '\n' : ''}${JSON.stringify(record)}\n`, maxBytes);
      torn = false;
    } catch (error) {
      torn = true;
      if (!troubled)
        onTrouble(`The audit log cannot be written (${(error as Error).message}). The run goes on.`);
      troubled = true;
    }
  }

  return {
    take(told) {
      const { event, agents, calls } = innermost(told);
      // Ids are unique within one conversation, and a subagent has its own.
      const idOf = (callId: string) => [...calls, callId].join('/');
      if (event.type === 'judged') {
        const { tool, verdict } = event;
        const callId = idOf(event.callId);
        const { accesses, by, because } = redact({
          accesses: event.accesses,
          by: event.by,
          because: event.because,
        });
        if (verdict === 'allow') running.add(callId);
        write({
          type: 'judged',
          time: now().toISOString(),
          session: sessionId,
          callId,
          tool,
          cwd,
          ...(agents.length > 0 && { agents: redact(agents).map(cut) }),
          accesses: accesses.map((access) => ({ ...access, target: cut(access.target) })),
          verdict,
          by: cut(by),
          because: cut(because),
        });
      } else if (event.type === 'tool_end' && running.delete(idOf(event.callId))) {
        const { name, success, durationMs, metadata } = event;
        const exitCode = metadata?.exitCode;
        write({
          type: 'outcome',
          time: now().toISOString(),
          session: sessionId,
          callId: idOf(event.callId),
          tool: name,
          success,
          ...((typeof exitCode === 'number' || exitCode === null) && { exitCode }),
          durationMs,
        });
      }
    },
  };
}

/** The files of a log, oldest first. */
export function auditFiles(file: string): string[] {
  return [...Array.from({ length: KEPT }, (_, i) => rotated(file, KEPT - i)), file];
}

/** `audit.jsonl` becomes `audit.1.jsonl`. */
function rotated(file: string, number: number): string {
  const { dir, name, ext } = path.parse(file);
  return path.join(dir, `${name}.${number}${ext}`);
}

function cut(text: string): string {
  if (text.length <= LONGEST_TEXT) return text;
  return `${text.slice(0, LONGEST_TEXT)}… (${text.length} characters in all)`;
}

/** Opened anew for each line: the file may have been moved by another process since the last one. */
function appendLine(file: string, line: string, maxBytes: number): void {
  const bytes = Buffer.from(line);
  let log = openForAppend(file);
  if (fstatSync(log).size + bytes.length > maxBytes) {
    closeSync(log);
    rotate(file, maxBytes - bytes.length);
    log = openForAppend(file);
  }
  try {
    if (writeSync(log, bytes) < bytes.length) throw new Error('the disk took only a part of the line');
  } finally {
    closeSync(log);
  }
}

function openForAppend(file: string): number {
  try {
    return openSync(file, 'a', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    return openSync(file, 'a', 0o600);
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** One process moves the files; another that wants to at the same moment writes on meanwhile. */
function rotate(file: string, room: number): void {
  const lock = `${file}.lock`;
  const held = takeLock(lock);
  if (held === null) return;
  try {
    if (sizeOf(file) <= room) return;
    rmSync(rotated(file, KEPT), { force: true });
    for (let number = KEPT; number >= 1; number--) {
      const from = number === 1 ? file : rotated(file, number - 1);
      if (statSync(from, { throwIfNoEntry: false })) renameSync(from, rotated(file, number));
    }
  } finally {
    closeSync(held);
    rmSync(lock, { force: true });
  }
}

/** Null when another process has it. One that was left behind by a crash does not hold for long. */
function takeLock(lock: string): number | null {
  try {
    return openSync(lock, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (Date.now() - since > STALE_LOCK_MS) rmSync(lock, { force: true });
    return null;
  }
}
