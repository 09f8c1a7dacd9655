import { readLoose } from '../../lib/loose/loose-json.ts';
import { rawCall, readCalls } from './calls.ts';
import { markedAttempt, readMarked, unescapedTags } from './marked.ts';
import { mayStartLine, type Opening, openingOf } from './opening.ts';
import type { TextCall } from './text-call.ts';

/** What any reader of replies does. */
export type CallReader = Pick<CallParser, 'push' | 'end'>;

/** A block being parsed. The body starts after `head`; offsets count from the first character of the head. */
type Block = Opening & {
  searched: number;
  tracked: number;
  quote: string;
  /** The first end marker that seemed to be inside a string. */
  doubtful?: End;
};

type End = { at: number; after: number };

/** What some servers leave at the end of a reply. */
const END_OF_TURN = /(?:\s|<\|(?:im_end|eot_id|eom_id|end)\|>|<\/s>)+$/;

/** Bare JSON or Python that cannot be read, but was meant as a call of a tool. */
function looseAttempt(body: string, tools: readonly string[]): TextCall | undefined {
  const json = body.trim().startsWith('{') && !readLoose(body, { from: 0, fill: false }) && rawCall(body);
  if (json)
    return /arguments|parameters|input|args/.test(body) && tools.includes(json.name) ? json : undefined;
  const name = /^\s*\[?(?:print\()?(?:\w+\.)?(\w+)\(\w+\s*=/.exec(body)?.[1];
  if (name === undefined || !tools.includes(name) || readMarked(body, tools)) return undefined;
  return { name, json: body.trim() };
}

const CLOSERS = { tag: /<\/?tool_call>/g, fence: /`{3,}/g };
const LONGEST_CLOSER = '</tool_call>'.length;

/**
 * Finds the calls that a model wrote into its text, as `<tool_call>` or fenced, well-formed or not, in chunks
 * of any size. A block is removed from the text with the white space around it; a block that is not a call
 * stays. Holds back only text that may turn out to be a block.
 */
export class CallParser {
  readonly #tools: readonly string[];
  readonly #calls: TextCall[] = [];
  #pending = '';
  #ended = false;
  #cut = false;
  #block: Block | undefined;
  #out = '';
  /** White space that counts as text only if more text follows. */
  #gap = '';
  #hasText = false;
  #afterBlock = false;
  #lineStart = true;
  #inCode = false;
  /** The last two characters that were not white space. */
  #last = '';
  /** The last block's tag was inside a fence that is still open. */
  #wrapped = false;

  constructor(tools: readonly string[]) {
    this.#tools = tools;
  }

  /** Takes the next chunk of the reply; returns the text that is certainly not part of a call. */
  push(text: string): string {
    this.#pending += text;
    return this.#advance();
  }

  /**
   * The rest of the text, and all calls in order. In a `cut` reply, an unterminated block is not text: it
   * becomes a call as far as it can be parsed, or is dropped.
   */
  end(how?: { cut: boolean }): { text: string; calls: TextCall[] } {
    this.#ended = true;
    this.#cut = how?.cut ?? false;
    const text = this.#advance();
    return { text: this.#afterBlock ? text : text + this.#gap, calls: this.#calls };
  }

  #say(length: number): void {
    const said = this.#pending.slice(0, length);
    this.#pending = this.#pending.slice(length);
    const text = this.#afterBlock ? said.trimStart() : said;
    if (text === '') return;
    this.#afterBlock = false;
    const solid = (this.#gap + text).trimEnd();
    this.#gap = (this.#gap + text).slice(solid.length);
    this.#out += solid;
    if (solid !== '') {
      this.#hasText = true;
      this.#last = (this.#last + solid).slice(-2);
    }
    const line = said.slice(said.lastIndexOf('\n') + 1);
    this.#lineStart = line.trim() === '' && (this.#lineStart || said.includes('\n'));
  }

  /** Emits what looked like the start of a block but is not. */
  #emitHead(head: string): void {
    if (head.startsWith('```') && this.#lineStart) this.#inCode = !this.#inCode;
    this.#say(head.length);
  }

  #accept(found: TextCall[], length: number): void {
    if (this.#block?.type === 'tag' && this.#block.head.startsWith('`')) this.#wrapped = true;
    this.#calls.push(...found);
    this.#pending = this.#pending.slice(length);
    this.#block = undefined;
    this.#gap = this.#hasText ? this.#gap || '\n' : '';
    this.#afterBlock = true;
    this.#lineStart = true;
  }

  #refuse({ head }: Opening): void {
    this.#block = undefined;
    this.#emitHead(head === '' ? this.#pending.slice(0, 1) : head);
  }

  /** Looks for a block at the start of the pending text; false if more text is needed. */
  #open(): boolean {
    const fence = /^`+/.exec(this.#pending)?.[0] ?? '';
    if (this.#wrapped && fence.length >= 3) {
      const sameLine = this.#pending.slice(fence.length).replace(/^[ \t]+/, '');
      if (sameLine === '' && !this.#ended) return false;
      this.#wrapped = false;
      if (!/^\w/.test(sameLine)) {
        this.#pending = this.#pending.slice(fence.length);
        return true;
      }
    }
    const opening = openingOf(this.#pending, {
      tools: this.#tools,
      lineStart: this.#lineStart,
      announced: /[\w)][:.!?]/.test(this.#last),
      inCode: this.#inCode,
    });
    if (opening === 'wait' && !this.#ended) return false;
    if (opening === 'wait' && this.#cut) this.#pending = '';
    else if (typeof opening === 'object') {
      const { length } = opening.head;
      this.#block = { ...opening, searched: length, tracked: length, quote: '' };
    } else if (this.#afterBlock && this.#pending.startsWith('<tool_call>')) {
      // An opening tag in place of the closing one.
      this.#pending = this.#pending.slice('<tool_call>'.length);
    } else this.#emitHead(fence || this.#pending.slice(0, 1));
    return true;
  }

  /** Continues parsing the block; false if more text is needed. */
  #read(current: Block): boolean {
    if (current.type === 'loose' || current.type === 'marked') {
      if (!this.#ended) return false;
      if (current.type === 'loose') this.#readToEnd(current);
      else this.#readMarked(current);
      return true;
    }
    const closer = CLOSERS[current.type];
    closer.lastIndex = current.searched;
    for (let match = closer.exec(this.#pending); match; match = closer.exec(this.#pending)) {
      const end = { at: match.index, after: closer.lastIndex };
      if (current.type === 'fence' && end.after === this.#pending.length && !this.#ended) {
        current.searched = end.at;
        return false;
      }
      current.searched = end.after;
      if (!current.tagged) trackQuote(current, this.#pending, end.at);
      if (current.quote === '') return this.#close(current, end);
      current.doubtful ??= end;
    }
    current.searched = Math.max(current.searched, this.#pending.length - LONGEST_CLOSER);
    return this.#ended && this.#closeAtEnd(current);
  }

  /** Bare JSON or Python is a call if nothing follows it, and all its names are tools. */
  #readToEnd(current: Block): void {
    const body = this.#pending.slice(current.head.length).replace(END_OF_TURN, '');
    const isJson = /^\s*\[?\s*\{/.test(body);
    const marked = isJson ? undefined : readMarked(body, this.#tools);
    const found =
      readCalls(body, { closed: false, explicit: true, tools: this.#tools }) ??
      (marked?.end === body.length ? marked.calls : undefined);
    const attempt = looseAttempt(body, this.#tools);
    if (found?.every(({ name }) => this.#tools.includes(name))) this.#accept(found, this.#pending.length);
    else if (this.#cut) this.#acceptCut(current);
    else if (attempt) this.#accept([attempt], this.#pending.length);
    else this.#refuse(current);
  }

  #readMarked(current: Block): void {
    const plain = unescapedTags(this.#pending.trimEnd());
    if (plain !== undefined && readMarked(plain, this.#tools)) {
      this.#pending = plain;
      this.#block = undefined;
      return;
    }
    const found = readMarked(this.#pending, this.#tools);
    const attempt = markedAttempt(this.#pending, this.#tools);
    if (found) this.#accept(found.calls, found.end);
    else if (this.#cut) this.#acceptCut(current);
    else if (attempt) this.#accept([attempt], this.#pending.length);
    else this.#refuse(current);
  }

  #close(current: Block, end: End): true {
    const bodyTo = ({ at }: End) => this.#pending.slice(current.head.length, at);
    const found = this.#callsIn(bodyTo(end), { closed: true });
    const last = found ? end : (current.doubtful ?? end);
    const raw = found ?? rawCall(bodyTo(last));
    if (!raw) this.#refuse(current);
    else this.#accept([raw].flat(), this.#isOpeningTag(last) ? last.at : last.after);
    return true;
  }

  #closeAtEnd(current: Block): true {
    const body = this.#pending.slice(current.head.length);
    const found = this.#callsIn(body, { closed: false });
    if (!found && current.doubtful) return this.#close(current, current.doubtful);
    const raw = found ?? rawCall(body);
    if (raw) this.#accept([raw].flat(), this.#pending.length);
    else if (this.#cut) this.#acceptCut(current);
    else this.#refuse(current);
    return true;
  }

  #callsIn(body: string, { closed }: { closed: boolean }): TextCall[] | undefined {
    const calls = readCalls(body, { closed, explicit: false, tools: this.#tools });
    if (calls || /^\s*[{`]/.test(body)) return calls;
    const marked = readMarked(body, this.#tools);
    return marked?.end === body.length ? marked.calls : undefined;
  }

  #acceptCut({ head }: Block): void {
    const raw = rawCall(this.#pending.slice(head.length));
    this.#accept(raw ? [raw] : [], this.#pending.length);
  }

  #isOpeningTag({ at }: End): boolean {
    return this.#pending.startsWith('<tool_call>', at);
  }

  /** Where the next block may start. */
  #candidate(): number {
    const bracket = this.#pending.search(/[<`{[&]/);
    const end = bracket < 0 ? this.#pending.length : bracket;
    const starts = [...this.#pending.slice(0, end).matchAll(/(^|\n)[ \t]*(?=[^\s])/g)];
    for (const { index, 0: space } of starts) {
      const at = index + space.length;
      const isStart = index > 0 || space.startsWith('\n') || this.#lineStart;
      if (isStart && mayStartLine(this.#pending.slice(at), this.#tools)) return at;
    }
    return end;
  }

  #advance(): string {
    let moved = true;
    while (moved && this.#pending !== '') {
      if (this.#block) {
        moved = this.#read(this.#block);
        continue;
      }
      this.#say(this.#candidate());
      if (this.#pending !== '') moved = this.#open();
    }
    const text = this.#out;
    this.#out = '';
    return text;
  }
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
