import { isObject, parseJson } from '../lib/text/json.ts';
import type { JournalRecord } from './records.ts';

/** `damaged` are lines that are not records, including a truncated last line. */
export type Parsed = { records: JournalRecord[]; damaged: string[] };

const DELTA = Buffer.from('{"type":"delta"');
const NEWLINE = 10;

/**
 * Parses records from a journal's bytes, in chunks of any size. Deltas are held back unparsed until it is
 * known whether their message follows: then they are not needed.
 */
export class RecordParser {
  #rest: Buffer = Buffer.alloc(0);
  #deltas: Buffer[] = [];
  readonly damaged: string[] = [];

  *push(piece: Buffer): Generator<JournalRecord> {
    const bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    let at = 0;
    for (let end = bytes.indexOf(NEWLINE, at); end !== -1; end = bytes.indexOf(NEWLINE, at)) {
      yield* this.#line(bytes.subarray(at, end));
      at = end + 1;
    }
    this.#rest = bytes.subarray(at);
  }

  /** The rest: the deltas of an unfinished reply, and possibly a torn line. */
  *finish(): Generator<JournalRecord> {
    const torn = this.#rest;
    this.#rest = Buffer.alloc(0);
    yield* this.#released();
    const record = recordOf(torn);
    if (record) yield record;
    else if (torn.length > 0) this.damaged.push(torn.toString('utf8'));
  }

  *#line(line: Buffer): Generator<JournalRecord> {
    if (line.length === 0) return;
    if (line.subarray(0, DELTA.length).equals(DELTA)) {
      this.#deltas.push(line);
      return;
    }
    const record = recordOf(line);
    if (!record) {
      this.damaged.push(line.toString('utf8'));
      return;
    }
    if (record.type === 'message' && record.message.role === 'assistant') this.#deltas = [];
    else yield* this.#released();
    yield record;
  }

  *#released(): Generator<JournalRecord> {
    for (const line of this.#deltas.splice(0)) {
      const record = recordOf(line);
      if (record) yield record;
      else this.damaged.push(line.toString('utf8'));
    }
  }
}

export function parseJournal(bytes: Buffer): Parsed {
  const parser = new RecordParser();
  const records = [...parser.push(bytes), ...parser.finish()];
  return { records, damaged: parser.damaged };
}

function recordOf(line: Buffer): JournalRecord | null {
  const value = parseJson(line.toString('utf8'));
  return isRecord(value) ? value : null;
}

type Table = Record<string, unknown>;

/**
 * Accepts unknown types unchanged; for known ones, checks the fields that the rest of the program relies on.
 */
function isRecord(value: unknown): value is JournalRecord {
  if (!isObject(value)) return false;
  switch (value.type) {
    case 'header':
      return (
        hasTexts(value, 'id', 'workingDirectory', 'startedAt') &&
        isObject(value.settings) &&
        (value.parent === undefined || (isObject(value.parent) && hasTexts(value.parent, 'id')))
      );
    case 'message':
      return isMessage(value.message);
    case 'call_answered':
      return isMessage(value.message) && value.message.role === 'tool';
    case 'call_started':
      return typeof value.callId === 'string';
    case 'decision':
      return hasTexts(value, 'callId', 'choice', 'by');
    case 'choices':
      return isObject(value.choices) && Object.values(value.choices).every((one) => typeof one === 'string');
    case 'reply':
      return hasTexts(value, 'provider', 'model', 'at');
    case 'delta':
      return isKind(value.kind) && typeof value.text === 'string';
    case 'reclassify':
      return isKind(value.as);
    case 'cost':
      return value.costUsd === null || typeof value.costUsd === 'number';
    case 'fence':
      return hasCounts(value, 'token');
    case 'grant':
      return isObject(value.permission) && typeof value.permission.pattern === 'string';
    case 'ungrant':
      return typeof value.pattern === 'string';
    case 'source':
      return isSource(value.source);
    case 'title':
      return typeof value.title === 'string';
    case 'subagent':
      return hasTexts(value, 'callId', 'agent', 'task');
    case 'rewind':
      return typeof value.keep === 'number';
    case 'compaction':
      return (
        (value.summary === null || typeof value.summary === 'string') &&
        hasTexts(value, 'kept', 'by') &&
        hasCounts(value, 'keepFrom', 'squeezeUntil', 'level', 'at', 'tokensBefore', 'tokensAfter')
      );
    case 'uncompact':
      return hasCounts(value, 'at');
    case 'pin_fact':
    case 'unpin_fact':
      return typeof value.text === 'string';
    case 'estimate':
      return typeof value.model === 'string' && typeof value.factor === 'number';
    case 'epoch':
      return (
        hasCounts(value, 'from') &&
        hasTexts(value, 'cause', 'reader', 'system') &&
        Array.isArray(value.tools) &&
        isObject(value.stated)
      );
    case 'mask':
      return hasTexts(value, 'placeholder') && hasCounts(value, 'from');
    default:
      return typeof value.type === 'string';
  }
}

function isKind(value: unknown): boolean {
  return value === 'text' || value === 'thinking';
}

function isMessage(value: unknown): value is Table {
  if (!isObject(value) || !Array.isArray(value.content) || !hasTexts(value, 'timestamp')) return false;
  return isWhole(value) && value.content.every(isPart);
}

function isWhole(message: Table): boolean {
  switch (message.role) {
    case 'user':
      return true;
    case 'assistant':
      return hasTexts(message, 'provider', 'model', 'stopReason');
    case 'tool':
      return hasTexts(message, 'callId', 'name') && typeof message.success === 'boolean';
    default:
      return false;
  }
}

function isPart(value: unknown): boolean {
  if (!isObject(value)) return false;
  switch (value.type) {
    case 'text':
    case 'thinking':
      return typeof value.text === 'string';
    case 'tool_call':
      return typeof value.id === 'string' && typeof value.name === 'string';
    case 'image':
      return typeof value.data === 'string' && typeof value.mediaType === 'string';
    default:
      return false;
  }
}

function hasTexts(table: Table, ...keys: string[]): boolean {
  return keys.every((key) => typeof table[key] === 'string');
}

function hasCounts(table: Table, ...keys: string[]): boolean {
  return keys.every((key) => Number.isSafeInteger(table[key]) && Number(table[key]) >= 0);
}

function isSource(value: unknown): boolean {
  if (!isObject(value) || !hasTexts(value, 'kind', 'name')) return false;
  return value.remotes === undefined || (Array.isArray(value.remotes) && value.remotes.every(isText));
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
