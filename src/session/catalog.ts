import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { type Message, promptText, textOf } from '../contract/message.ts';
import type { SessionSummary } from '../contract/session.ts';
import { unlessErrno } from '../lib/files/errno.ts';
import { readJsonLines, toJsonLines } from '../lib/files/json-lines.ts';
import { makePrivateFolder } from '../lib/files/private-folder.ts';
import { appendRegularText, readRegularFile, readRegularText } from '../lib/files/regular-file.ts';
import { compareText } from '../lib/text/compare.ts';
import { parseJournal } from './parse.ts';
import { fold } from './records.ts';

/** Cached facts about a journal, valid while its size and mtime match. */
type Known = { id: string; size: number; mtimeMs: number; summary: SessionSummary | null };

/** One match of a search. */
export type Hit = { summary: SessionSummary; message: number; role: Message['role']; line: string };

const INDEX = 'index.cache';
const TITLE_LENGTH = 80;

/**
 * The sessions in a folder. Summaries are cached on disk, so that listing a thousand sessions reads one file
 * and only stats the others.
 */
export class Catalog {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  ids(): string[] {
    return unlessErrno(['ENOENT'], [], () =>
      readdirSync(this.#folder).flatMap((name) =>
        name.endsWith('.jsonl') ? [name.slice(0, -'.jsonl'.length)] : [],
      ),
    );
  }

  /** Newest first, without some whose files need not be read. */
  list(without: ReadonlySet<string> = new Set()): SessionSummary[] {
    const index = this.#index();
    const learnt: Known[] = [];
    const summaries = this.ids().flatMap((id) => {
      if (without.has(id)) return [];
      const stat = statSync(this.#fileOf(id), { throwIfNoEntry: false });
      // Just deleted by another process, or a pipe or a folder.
      if (!stat?.isFile()) return [];
      const { size, mtimeMs } = stat;
      const known = index.get(id);
      if (known?.size === size && known.mtimeMs === mtimeMs) return known.summary ?? [];
      const fresh = { id, size, mtimeMs, summary: this.#summarize(id, size, mtimeMs) };
      learnt.push(fresh);
      return fresh.summary ?? [];
    });
    this.#write(learnt);
    return summaries.sort((a, b) => compareText(b.startedAt, a.startedAt));
  }

  /** Caches the summary of a session that was just closed. */
  note(id: string): void {
    const { size, mtimeMs } = statSync(this.#fileOf(id));
    this.#write([{ id, size, mtimeMs, summary: this.#summarize(id, size, mtimeMs) }]);
  }

  /** Every line of every conversation that contains the text, ignoring case. */
  search(words: string, limit: number): Hit[] {
    const wanted = words.toLowerCase();
    const hits: Hit[] = [];
    for (const summary of this.list()) {
      const text = readRegularText(this.#fileOf(summary.id));
      // JSON escapes some characters; such text is searched in each message instead.
      if (!/["\\\n]/.test(wanted) && !text.toLowerCase().includes(wanted)) continue;
      const messages = fold(parseJournal(Buffer.from(text)).records, summary.id)?.session.messages ?? [];
      for (const [i, message] of messages.entries()) {
        const line = textOf(message)
          .split('\n')
          .find((candidate) => candidate.toLowerCase().includes(wanted));
        if (line !== undefined) hits.push({ summary, message: i, role: message.role, line: line.trim() });
        if (hits.length >= limit) return hits;
      }
    }
    return hits;
  }

  #summarize(id: string, size: number, mtimeMs: number): SessionSummary | null {
    const folded = fold(parseJournal(readRegularFile(this.#fileOf(id))).records, id);
    if (!folded) return null;
    const { workingDirectory, startedAt, title, pinned, parent, messages } = folded.session;
    return {
      id,
      workingDirectory,
      startedAt,
      ...(title !== undefined && { title }),
      ...(pinned && { pinned }),
      ...(parent && { parent }),
      updatedAt: new Date(mtimeMs).toISOString(),
      firstPrompt: firstPromptOf(messages),
      messageCount: messages.length,
      bytes: size,
      costUsd: folded.costUsd,
    };
  }

  #index(): Map<string, Known> {
    const known = readJsonLines(path.join(this.#folder, INDEX)).filter(isKnown);
    return new Map(known.map((one) => [one.id, one]));
  }

  /** Only a cache: if it cannot be written, the next list is slower but the same. */
  #write(learnt: readonly Known[]): void {
    if (learnt.length === 0) return;
    try {
      makePrivateFolder(this.#folder);
      appendRegularText(path.join(this.#folder, INDEX), toJsonLines(learnt));
    } catch (error) {
      if (!['EACCES', 'EROFS', 'ENOSPC', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? ''))
        throw error;
    }
  }

  #fileOf(id: string): string {
    return path.join(this.#folder, `${id}.jsonl`);
  }
}

const SUMMARY_TEXTS = ['id', 'workingDirectory', 'startedAt', 'updatedAt', 'firstPrompt'] as const;

/** Ignores damaged lines: their sessions are read again. */
function isKnown(value: unknown): value is Known {
  const { id, summary } = (value ?? {}) as Partial<Known>;
  if (typeof id !== 'string') return false;
  if (summary === null) return true;
  return (
    typeof summary === 'object' &&
    SUMMARY_TEXTS.every((key) => typeof summary[key] === 'string') &&
    (summary.title === undefined || typeof summary.title === 'string') &&
    typeof summary.messageCount === 'number' &&
    typeof summary.bytes === 'number' &&
    (summary.costUsd === null || typeof summary.costUsd === 'number')
  );
}

function firstPromptOf(messages: readonly Message[]): string {
  const prompt = messages.find((message) => message.role === 'user');
  const line = prompt ? (promptText(prompt).trim().split('\n')[0] ?? '') : '';
  return line.length > TITLE_LENGTH ? `${line.slice(0, TITLE_LENGTH - 1)}…` : line;
}
