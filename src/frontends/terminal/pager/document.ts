import { type Message, type ToolMessage, textOf, toolCallsOf } from '../../../contract/message.ts';
import { itemLines } from '../components/transcript.ts';
import type { Room } from '../view/display-lines.ts';
import { type HistoryParts, messageItems } from '../view/history-items.ts';
import type { Line } from '../view/types.ts';

/** A conversation to read: that of the session, or of one subagent. */
export type Transcript = { title: string; messages(): readonly Message[] };

/** Rendered messages that are kept; the others are rendered again when they are needed. */
const MOST_RENDERED = 500;

/**
 * A conversation as blocks of rows, one per prompt or reply. A block is rendered when it is asked for, so that a
 * long conversation opens at once.
 */
export class PagerDocument {
  readonly #transcript: Transcript;
  readonly #parts: HistoryParts;
  readonly #answers = new Map<string, ToolMessage>();
  /** The block of each call. */
  readonly #callers = new Map<string, number>();
  readonly #rendered = new Map<number, Line[]>();
  #blocks: Message[] = [];
  #known: readonly Message[] = [];
  #count = 0;
  #room: Room | null = null;

  constructor(transcript: Transcript, parts: Omit<HistoryParts, 'answerTo'>) {
    this.#transcript = transcript;
    this.#parts = { ...parts, answerTo: (callId) => this.#answers.get(callId) };
  }

  get title(): string {
    return this.#transcript.title;
  }

  get length(): number {
    return this.#blocks.length;
  }

  /** Reads new messages. Returns by how much the blocks moved: the start of a long session is loaded last. */
  update(room: Room): number {
    if (!isSame(room, this.#room)) this.#rendered.clear();
    this.#room = room;
    const messages = this.#transcript.messages();
    const before = this.#blocks.length;
    const isAnother = messages !== this.#known || messages.length < this.#count;
    if (isAnother) this.#forget();
    this.#known = messages;
    for (; this.#count < messages.length; this.#count++) this.#add(messages[this.#count]);
    return isAnother && before > 0 ? this.#blocks.length - before : 0;
  }

  lines(block: number): readonly Line[] {
    const kept = this.#rendered.get(block);
    if (kept) return kept;
    const message = this.#blocks[block];
    const room = this.#room;
    if (!message || !room) return [];
    if (this.#rendered.size >= MOST_RENDERED) this.#rendered.clear();
    const lines = messageItems(message, this.#parts).flatMap((item) => itemLines(item, room));
    this.#rendered.set(block, lines);
    return lines;
  }

  /** What a block contains, unrendered. Null if that is known only from a file. */
  text(block: number): string | null {
    const message = this.#blocks[block];
    if (message?.role !== 'assistant') return message ? textOf(message) : '';
    const texts = message.content.map((part) => (part.type === 'tool_call' ? '' : part.text));
    for (const { id, name, input } of toolCallsOf(message)) {
      const answer = this.#answers.get(id);
      if (answer?.metadata?.fullOutput !== undefined) return null;
      texts.push(name, JSON.stringify(input ?? ''), answer ? textOf(answer) : '');
    }
    return texts.join('\n');
  }

  /** The block with this call; null if there is none. */
  blockOf(callId: string): number | null {
    return this.#callers.get(callId) ?? null;
  }

  #add(message: Message | undefined): void {
    if (!message) return;
    if (message.role === 'tool') {
      this.#answers.set(message.callId, message);
      this.#rendered.delete(this.#callers.get(message.callId) ?? -1);
      return;
    }
    if (message.role === 'assistant')
      for (const { id } of toolCallsOf(message)) this.#callers.set(id, this.#blocks.length);
    this.#blocks.push(message);
  }

  #forget(): void {
    for (const known of [this.#answers, this.#callers, this.#rendered]) known.clear();
    this.#blocks = [];
    this.#count = 0;
  }
}

function isSame(room: Room, before: Room | null): boolean {
  return (
    room.columns === before?.columns && room.theme === before.theme && room.highlighter === before.highlighter
  );
}
