import { isDeepStrictEqual } from 'node:util';
import {
  type AssistantMessage,
  type Message,
  type ToolMessage,
  textOf,
  toolCallsOf,
} from '../../contract/message.ts';
import { sha256 } from '../../lib/sha256.ts';
import { mapValue } from '../../session/bundle/map-texts.ts';
import { rerooting } from '../../session/bundle/reroot.ts';
import { type FileState, type Found, inspect, isSame } from '../../session/undo/file-state.ts';
import type { Objects } from '../../session/undo/objects.ts';
import type { States } from '../../session/undo/undo-log.ts';
import { compareTexts } from './compare.ts';
import type { Difference, ReplayReport } from './report.ts';
import type { Scratch } from './scratch.ts';
import type { Script } from './script.ts';

/** Compares what happens with what happened, and keeps the record. */
export class Checker {
  readonly differences: Difference[] = [];
  readonly ignored: ReplayReport['ignored'] = {};
  readonly fromJournal = new Map<string, { call: string; because: string }>();
  readonly files = new Set<string>();
  readonly notes = new Set<string>();
  /** Calls whose results were compared. */
  calls = 0;
  /** The run that is compared. */
  run: number | null = null;
  /** From the places of the replay to the original ones. */
  readonly back: (text: string) => string;
  /** Calls by id, as they are shown. */
  readonly #titles = new Map<string, string>();
  readonly #wrongFiles = new Set<string>();

  /** `moves` lead from the original places to those of the replay. */
  constructor(moves: Scratch['moves']) {
    this.back = rerooting(moves.map(({ from, to }) => ({ from: to, to: from })));
  }

  /** A message of the replay in the words of the original. */
  original<T extends Message>(message: T): T {
    return mapValue(message, { text: this.back });
  }

  titleOf(callId: string): string {
    return this.#titles.get(callId) ?? callId;
  }

  /** `isGiven`: a prompt that came from the journal, so that only what hooks add to it can differ. */
  message(expected: Message, actual: Message, { isGiven = false } = {}): void {
    const now = this.original(actual);
    if (expected.role === 'assistant' && now.role === 'assistant') this.#reply(expected, now);
    else if (expected.role === 'tool' && now.role === 'tool') this.#result(expected, now);
    else if (expected.role === 'user' && now.role === 'user') {
      const about = `${isGiven ? 'what hooks add to' : 'the message'} "${firstLine(expected)}"`;
      const textIn = isGiven ? hookTexts : textOf;
      this.#texts('prompt', about, { before: textIn(expected), after: textIn(now) });
    }
  }

  missing(expected: Message): void {
    this.#differ('conversation', `a message of the ${expected.role}`, textOf(expected), null);
  }

  unexpected(actual: Message): void {
    this.#differ('conversation', `a message of the ${actual.role}`, null, textOf(this.original(actual)));
  }

  /** Their conversations by id, oldest first. */
  subagents(expected: Script['subagents'], actual: Script['subagents']): void {
    /** Whether the call that started it was answered from the journal. */
    const isAnswered = (id: string | undefined): boolean => {
      const origin = id === undefined ? undefined : expected.get(id)?.[0]?.subagent;
      return origin !== undefined && (this.fromJournal.has(origin.callId) || isAnswered(origin.parent));
    };
    for (const id of new Set([...expected.keys(), ...actual.keys()])) {
      if (isAnswered(id)) continue;
      const [before, after] = [expected.get(id) ?? [], actual.get(id) ?? []];
      const count = Math.max(before.length, after.length);
      for (let nth = 0; nth < count; nth++)
        this.#conversation(before[nth]?.messages ?? [], after[nth]?.messages ?? []);
    }
  }

  #conversation(expected: readonly Message[], actual: readonly Message[]): void {
    for (const [i, message] of expected.entries()) {
      const now = actual[i];
      if (now?.role === message.role) this.message(message, now);
      else this.missing(message);
    }
    for (const more of actual.slice(expected.length)) this.unexpected(more);
  }

  /** Paths that must be in these states by now. Each is reported once. */
  tree(states: States, scratch: Pick<Scratch, 'at'>, objects: Objects): void {
    for (const [file, expected] of states) {
      const place = scratch.at(file);
      if (place === null || this.#wrongFiles.has(file)) continue;
      this.files.add(file);
      const found = this.#found(place);
      if (isSame(expected, found?.state ?? null)) continue;
      if (expected?.type === 'file' && expected.hash === null) {
        this.notes.add(`${file} was too large to save: its content is not compared.`);
        if (found && isSame({ ...found.state, hash: null }, expected)) continue;
      }
      if (expected?.hash && objects.isWithheld(expected.hash)) {
        this.notes.add(`${file} contains secrets that the bundle left out: it is not compared.`);
        continue;
      }
      this.#wrongFiles.add(file);
      const before = expected && contentOf(expected, objects.get(expected.hash ?? ''));
      this.#differ('file', file, before, found && contentOf(found.state, found.bytes));
    }
  }

  /** With the original paths, where it mentions those of the replay. */
  #found(place: string): Found | null {
    const found = inspect(place);
    const text = found?.bytes.toString('utf8') ?? '';
    const original = this.back(text);
    if (!found || original === text) return found;
    const bytes = Buffer.from(original);
    return { state: { ...found.state, hash: sha256(bytes) }, bytes };
  }

  #reply(expected: AssistantMessage, actual: AssistantMessage): void {
    for (const call of toolCallsOf(expected)) this.#titles.set(call.id, titleOf(call));
    const calls = [expected, actual].map((message) =>
      toolCallsOf(message).map(({ name, input }) => ({ name, input })),
    );
    if (!isDeepStrictEqual(calls[0], calls[1]))
      this.#differ('call', 'the calls of a reply', shown(calls[0]), shown(calls[1]));
  }

  #result(expected: ToolMessage, actual: ToolMessage): void {
    if (this.fromJournal.has(expected.callId)) return;
    this.calls += 1;
    const about = this.titleOf(expected.callId);
    this.#texts('result', about, { before: resultText(expected), after: resultText(actual) });
  }

  #texts(
    kind: Difference['kind'],
    about: string,
    { before, after }: { before: string; after: string },
  ): void {
    const { isSame: isEqual, ignored } = compareTexts(before, after, about);
    for (const name of ignored) this.ignored[name] = (this.ignored[name] ?? 0) + 1;
    if (isEqual) return;
    this.#differ(kind, about, before, after);
    if (kind === 'result' && about.startsWith('Read '))
      this.notes.add(
        'What only you changed in files between prompts is not known: reads of them can differ.',
      );
  }

  #differ(kind: Difference['kind'], about: string, expected: string | null, actual: string | null): void {
    const [before, now] = shortened(expected, actual);
    this.differences.push({ kind, run: this.run, about, expected: before, actual: now });
  }
}

/** How much of a text a report shows, in characters, and of a file is read for that. */
const MOST_SHOWN = 50_000;
const MOST_READ = 4 * 1024 * 1024;

/** Long texts from the line on in which they begin to differ. */
function shortened(expected: string | null, actual: string | null): [string | null, string | null] {
  const longest = Math.max(expected?.length ?? 0, actual?.length ?? 0);
  if (longest <= MOST_SHOWN) return [expected, actual];
  let from = 0;
  if (expected !== null && actual !== null) {
    let same = 0;
    while (same < longest && expected[same] === actual[same]) same += 1;
    from = expected.lastIndexOf('\n', same - 1) + 1;
  }
  const part = (text: string | null) => {
    if (text === null) return null;
    const left = text.length - from - MOST_SHOWN;
    const end = left > 0 ? `\n… ${left} more characters` : '';
    return `${from > 0 ? `… ${from} characters that are the same\n` : ''}${text.slice(from, from + MOST_SHOWN)}${end}`;
  };
  return [part(expected), part(actual)];
}

/** What hooks added to a prompt. */
const FROM_HOOK = '\n\n[From a hook:]\n';

/** The parts of a prompt without what hooks added: they add it again. */
export function ownContent({ content }: Extract<Message, { role: 'user' }>) {
  return content.filter((part) => part.type !== 'text' || !part.text.startsWith(FROM_HOOK));
}

function hookTexts({ content }: Message): string {
  return content
    .flatMap((part) =>
      part.type === 'text' && part.text.startsWith(FROM_HOOK) ? [part.text.trimStart()] : [],
    )
    .join('\n');
}

function firstLine(message: Message): string {
  return textOf(message).trim().split('\n')[0]?.slice(0, 60) ?? '';
}

export function titleOf({ name, input }: { name: string; input: unknown }): string {
  const fields = Object.values((input ?? {}) as Record<string, unknown>);
  const first = fields.find((value) => typeof value === 'string') as string | undefined;
  return `${name} ${first?.split('\n')[0]?.slice(0, 100) ?? ''}`.trim();
}

function resultText({ success, content }: ToolMessage): string {
  const parts = content.map((part) =>
    part.type === 'image' ? `[image ${part.mediaType} ${part.data}]` : part.text,
  );
  return [...(success ? [] : ['(failed)']), ...parts].join('\n');
}

function shown(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

function contentOf({ type, mode }: FileState, bytes: Buffer | null): string {
  const text = bytes?.subarray(0, MOST_READ).toString('utf8') ?? '(not saved)';
  const isBinary = text.includes('\0') || text.includes('\ufffd');
  const body = bytes && isBinary ? `(binary, ${bytes.length} bytes, sha256 ${sha256(bytes)})` : text;
  return `${type}${mode === null ? '' : ` ${mode.toString(8)}`}\n${body}`;
}
