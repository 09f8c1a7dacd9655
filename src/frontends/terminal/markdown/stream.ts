import { lastGrapheme } from '../text/measure.ts';
import { withoutTabs } from '../text/sanitize.ts';
import type { Theme } from '../theme/theme.ts';
import type { Line, MarkdownStream } from '../view/types.ts';
import { type BlockState, copyBlocks, type Emit, endBlocks, readLine, startBlocks } from './blocks.ts';
import { type DrawState, drawPiece } from './draw.ts';
import { type Highlighter, noHighlighter } from './highlight.ts';

export type MarkdownOptions = {
  width: number;
  theme: Theme;
  /** From `loadHighlighter`; without it code is not highlighted. */
  highlighter?: Highlighter;
  /** Whether to emit terminal hyperlinks (OSC 8). Default: false. */
  links?: boolean;
};

/** A longer line is read in parts: open content must stay small. */
const LONG_LINE = 4000;
/** A part ends at a word boundary if there is one within this many more characters. */
const REACH = 200;

/** May still become the fence, rule or underline it looks like. */
const UNDECIDED = /^\s*(?:`{1,3}|~{1,3}|-+|=+|\*{1,3}|_{1,3}|#{1,6}|\|?[|: -]*-)$/;

/**
 * Streaming Markdown. Blocks are emitted when they are finished, code line by line; the output depends only
 * on the text, not on how it was split. The cost of a piece does not grow with the text before it.
 */
export class StreamingMarkdown implements MarkdownStream {
  readonly #options: Required<MarkdownOptions>;
  readonly #blocks: BlockState = startBlocks();
  #draw: DrawState = { code: null, table: null };
  /** The line that is still arriving. */
  #open = '';
  #continued = false;
  #tail: Line[] | null = null;
  #work = 0;

  constructor(options: MarkdownOptions) {
    this.#options = { highlighter: noHighlighter, links: false, ...options };
  }

  /**
   * Characters read and drawn so far, including repeated draws of the open block: tests use it to bound the
   * cost.
   */
  get work(): number {
    return this.#work;
  }

  push(text: string): Line[] {
    if (text === '') return [];
    this.#tail = null;
    const lines: Line[] = [];
    const all = this.#open + text;
    let start = 0;
    for (;;) {
      const line = takeLine(all, start);
      if (line === null) break;
      this.#read({ text: line.text, continued: this.#continued }, lines);
      this.#continued = line.cut;
      start = line.next;
    }
    this.#open = all.slice(start);
    this.#work += this.#open.length;
    return lines;
  }

  tail(): Line[] {
    if (this.#tail) return this.#tail;
    const lines: Line[] = [];
    const blocks = copyBlocks(this.#blocks);
    const emit = this.#drawInto(lines, this.#draw);
    const open = withoutHalf(this.#open);
    if (open !== '' && !UNDECIDED.test(open)) {
      readLine(blocks, { text: plainBlanks(open), continued: this.#continued }, emit);
    }
    endBlocks(blocks, emit);
    this.#tail = lines;
    return lines;
  }

  end(): Line[] {
    const lines: Line[] = [];
    if (this.#open !== '') this.#read({ text: this.#open, continued: this.#continued }, lines);
    this.#open = '';
    this.#tail = null;
    endBlocks(this.#blocks, this.#drawFinished(lines));
    return lines;
  }

  resize(width: number): void {
    this.#options.width = width;
    this.#tail = null;
  }

  #read({ text, continued }: { text: string; continued: boolean }, lines: Line[]): void {
    this.#work += text.length;
    readLine(this.#blocks, { text: plainBlanks(text), continued }, this.#drawFinished(lines));
  }

  #drawFinished(lines: Line[]): Emit {
    return (piece, place) => {
      const drawn = drawPiece(piece, place, { state: this.#draw, options: this.#options });
      this.#draw = drawn.state;
      this.#count(piece);
      lines.push(...drawn.lines);
    };
  }

  /** Draws them as they would look now, without side effects. */
  #drawInto(lines: Line[], from: DrawState): Emit {
    let state = from;
    return (piece, place) => {
      const drawn = drawPiece(piece, place, { state, options: this.#options });
      state = drawn.state;
      this.#count(piece);
      lines.push(...drawn.lines);
    };
  }

  #count(piece: Parameters<Emit>[0]): void {
    if ('text' in piece) this.#work += piece.text.length;
    if ('rows' in piece) this.#work += piece.rows.flat().reduce((sum, cell) => sum + cell.length, 0);
  }
}

/** The next line from `start` on, or a part of an overlong one; null when neither is available yet. */
function takeLine(all: string, start: number): { text: string; next: number; cut: boolean } | null {
  const newline = all.indexOf('\n', start);
  const longest = start + LONG_LINE + REACH;
  if (newline !== -1 && newline <= longest) {
    return { text: all.slice(start, newline), next: newline + 1, cut: false };
  }
  if (all.length <= longest) return null;
  const blank = all.lastIndexOf(' ', longest);
  const end =
    blank > start + LONG_LINE
      ? blank + 1
      : longest - REACH + lastGrapheme(all.slice(longest - REACH, longest));
  return { text: all.slice(start, end), next: end, cut: true };
}

/** Removes a carriage return before the newline and expands tabs. */
function plainBlanks(line: string): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  return withoutTabs(text);
}

/** Holds back half of a surrogate pair. */
function withoutHalf(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}
