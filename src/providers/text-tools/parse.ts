import { rawCall, readCalls } from './calls.ts';
import { type Opening, openingOf } from './opening.ts';
import type { TextCall } from './text-call.ts';

export type CallParser = {
  /** Takes the next chunk of the reply; returns the text that is certainly not part of a call. */
  push(text: string): string;
  /**
   * The rest of the text, and all calls in order. In a `cut` reply, an unterminated block is not text: it
   * becomes a call as far as it can be parsed, or is dropped.
   */
  end(how?: { cut: boolean }): { text: string; calls: TextCall[] };
};

/** A block being parsed. The body starts after `head`; offsets count from the first character of the head. */
type Block = Opening & {
  searched: number;
  tracked: number;
  quote: string;
  /** The first end marker that seemed to be inside a string. */
  doubtful?: End;
};

type End = { at: number; after: number };

const CLOSERS = { tag: /<\/?tool_call>/g, fence: /`{3,}/g };
const LONGEST_CLOSER = '</tool_call>'.length;

/**
 * Finds the calls that a model wrote into its text, as `<tool_call>` or fenced, well-formed or not, in chunks
 * of any size. A block is removed from the text with the white space around it; a block that is not a call
 * stays. Holds back only text that may turn out to be a block.
 */
export function createCallParser(tools: readonly string[]): CallParser {
  const calls: TextCall[] = [];
  let pending = '';
  let ended = false;
  let cut = false;
  let block: Block | undefined;
  let out = '';
  /** White space that counts as text only if more text follows. */
  let gap = '';
  let spoke = false;
  let afterBlock = false;
  let lineStart = true;
  let inCode = false;
  /** The last block's tag was inside a fence that is still open. */
  let wrapped = false;

  function say(length: number): void {
    const said = pending.slice(0, length);
    pending = pending.slice(length);
    const text = afterBlock ? said.trimStart() : said;
    if (text === '') return;
    afterBlock = false;
    const solid = (gap + text).trimEnd();
    gap = (gap + text).slice(solid.length);
    out += solid;
    if (solid !== '') spoke = true;
    const line = said.slice(said.lastIndexOf('\n') + 1);
    lineStart = line.trim() === '' && (lineStart || said.includes('\n'));
  }

  /** Emits what looked like the start of a block but is not. */
  function sayHead(head: string): void {
    if (head.startsWith('```') && lineStart) inCode = !inCode;
    say(head.length);
  }

  function accept(found: TextCall[], length: number): void {
    if (block?.type === 'tag' && block.head.startsWith('`')) wrapped = true;
    calls.push(...found);
    pending = pending.slice(length);
    block = undefined;
    gap = spoke ? gap || '\n' : '';
    afterBlock = true;
    lineStart = true;
  }

  function refuse({ head }: Opening): void {
    block = undefined;
    sayHead(head === '' ? pending.slice(0, 1) : head);
  }

  /** Looks for a block at the start of the pending text; false if more text is needed. */
  function open(): boolean {
    const fence = /^`+/.exec(pending)?.[0] ?? '';
    if (wrapped && fence.length >= 3) {
      const sameLine = pending.slice(fence.length).replace(/^[ \t]+/, '');
      if (sameLine === '' && !ended) return false;
      wrapped = false;
      if (!/^\w/.test(sameLine)) {
        pending = pending.slice(fence.length);
        return true;
      }
    }
    const opening = openingOf(pending, { tools, lineStart, inCode });
    if (opening === 'wait' && !ended) return false;
    if (opening === 'wait' && cut) pending = '';
    else if (typeof opening === 'object') {
      const { length } = opening.head;
      block = { ...opening, searched: length, tracked: length, quote: '' };
    } else if (afterBlock && pending.startsWith('<tool_call>')) {
      // An opening tag in place of the closing one.
      pending = pending.slice('<tool_call>'.length);
    } else sayHead(fence || pending.slice(0, 1));
    return true;
  }

  /** Continues parsing the block; false if more text is needed. */
  function read(current: Block): boolean {
    if (current.type === 'loose') {
      if (!ended) return false;
      const found = readCalls(pending.slice(current.head.length), { closed: false, explicit: true });
      if (found?.every(({ name }) => tools.includes(name))) accept(found, pending.length);
      else if (cut) acceptCut(current);
      else refuse(current);
      return true;
    }
    const closer = CLOSERS[current.type];
    closer.lastIndex = current.searched;
    for (let match = closer.exec(pending); match; match = closer.exec(pending)) {
      const end = { at: match.index, after: closer.lastIndex };
      if (current.type === 'fence' && end.after === pending.length && !ended) {
        current.searched = end.at;
        return false;
      }
      current.searched = end.after;
      if (!current.tagged) trackQuote(current, pending, end.at);
      if (current.quote === '') return close(current, end);
      current.doubtful ??= end;
    }
    current.searched = Math.max(current.searched, pending.length - LONGEST_CLOSER);
    return ended && closeAtEnd(current);
  }

  function close(current: Block, end: End): true {
    const bodyTo = ({ at }: End) => pending.slice(current.head.length, at);
    const found = readCalls(bodyTo(end), { closed: true, explicit: false });
    const last = found ? end : (current.doubtful ?? end);
    const raw = found ?? rawCall(bodyTo(last));
    if (!raw) refuse(current);
    else accept([raw].flat(), isOpeningTag(last) ? last.at : last.after);
    return true;
  }

  function closeAtEnd(current: Block): true {
    const body = pending.slice(current.head.length);
    const found = readCalls(body, { closed: false, explicit: false });
    if (!found && current.doubtful) return close(current, current.doubtful);
    const raw = found ?? rawCall(body);
    if (raw) accept([raw].flat(), pending.length);
    else if (cut) acceptCut(current);
    else refuse(current);
    return true;
  }

  function acceptCut({ head }: Block): void {
    const raw = rawCall(pending.slice(head.length));
    accept(raw ? [raw] : [], pending.length);
  }

  const isOpeningTag = ({ at }: End) => pending.startsWith('<tool_call>', at);

  function advance(): string {
    let moved = true;
    while (moved && pending !== '') {
      if (block) {
        moved = read(block);
        continue;
      }
      const candidate = pending.search(/[<`{[]/);
      say(candidate < 0 ? pending.length : candidate);
      if (pending !== '') moved = open();
    }
    const text = out;
    out = '';
    return text;
  }

  return {
    push(text) {
      pending += text;
      return advance();
    },
    end(how) {
      ended = true;
      cut = how?.cut ?? false;
      const text = advance();
      return { text: afterBlock ? text : text + gap, calls };
    },
  };
}

/** Advances `quote` to position `to`: the quote character of the string at that position, if any. */
function trackQuote(block: Block, text: string, to: number): void {
  for (; block.tracked < to; block.tracked++) {
    const char = text.charAt(block.tracked);
    if (block.quote !== '' && char === '\\') block.tracked++;
    else if (char === block.quote) block.quote = '';
    else if (block.quote === '' && (char === '"' || char === "'")) block.quote = char;
  }
}
