import {
  type Alignment,
  alignmentsIn,
  beginsHtml,
  cellsOf,
  closesFence,
  type Fence,
  fenceIn,
  headingIn,
  indentOf,
  isRule,
  type Marker,
  markerIn,
  underline,
} from './block-starts.ts';

/** A container block. `shown` is whether an item's marker is on the screen. */
export type Container =
  | { type: 'quote' }
  | { type: 'item'; indent: number; marker: string; task: 'open' | 'done' | null; shown: boolean };

/** Finished output. A long block is emitted in pieces: `first` marks its start. */
export type Piece =
  | { type: 'paragraph'; text: string }
  | { type: 'heading'; level: number; text: string }
  | { type: 'code'; text: string; language: string; first: boolean }
  | { type: 'html'; text: string }
  | { type: 'rule' }
  | { type: 'table'; head: string[]; alignments: Alignment[]; rows: string[][] }
  /** More rows of the previous table, whose column widths are fixed. */
  | { type: 'rows'; rows: string[][] }
  /** An empty list item. */
  | { type: 'nothing' };

/** `gap`: an empty row before it; `shared` is how many containers that row is still in. */
export type Emit = (piece: Piece, place: { containers: Container[]; gap: boolean; shared: number }) => void;

type Table = { type: 'table'; head: string[]; alignments: Alignment[]; rows: string[][]; settled: boolean };

type Leaf =
  | { type: 'paragraph'; lines: string[]; length: number }
  | ({ type: 'fence'; begun: boolean } & Fence)
  | { type: 'indented'; blanks: number; begun: boolean }
  | { type: 'html' }
  | Table;

/** The state of the line parser: bounded, however long the text, so that it can be copied at any time. */
export type BlockState = {
  containers: Container[];
  leaf: Leaf | null;
  /** The last list at each depth: the number of its next item. */
  lists: { sign: string; next: number }[];
  blank: boolean;
  last: { type: Piece['type']; containers: Container[] } | null;
};

/** Longer paragraphs are emitted in parts: open content must stay small. */
const PARAGRAPH_LENGTH = 4000;
/** A table this long keeps its column widths: later rows must fit. */
const SETTLED_ROWS = 40;
const MAX_DEPTH = 12;
const BULLETS = ['•', '◦', '▪'];

export function startBlocks(): BlockState {
  return { containers: [], leaf: null, lists: [], blank: false, last: null };
}

export function copyBlocks(state: BlockState): BlockState {
  const { leaf, last } = state;
  const copies = new Map(state.containers.map((container) => [container, { ...container }]));
  return {
    ...state,
    containers: [...copies.values()],
    // Open blocks are compared by identity.
    last: last && { ...last, containers: last.containers.map((old) => copies.get(old) ?? old) },
    lists: [...state.lists],
    leaf:
      leaf?.type === 'paragraph'
        ? { ...leaf, lines: [...leaf.lines] }
        : leaf?.type === 'table'
          ? { ...leaf, rows: [...leaf.rows] }
          : leaf && { ...leaf },
  };
}

/** Reads one line. `continued` is the rest of an overlong line: it starts no block. */
export function readLine(state: BlockState, line: { text: string; continued: boolean }, emit: Emit): void {
  new LineReader(state, emit).read(line);
}

/** Call at the end of the text. */
export function endBlocks(state: BlockState, emit: Emit): void {
  new LineReader(state, emit).closeTo(0);
}

class LineReader {
  readonly #state: BlockState;
  readonly #emit: Emit;

  constructor(state: BlockState, emit: Emit) {
    this.#state = state;
    this.#emit = emit;
  }

  read({ text, continued }: { text: string; continued: boolean }): void {
    if (continued) {
      this.#goOn(text);
      return;
    }
    const { rest, matched } = this.#enter(text);
    const all = matched === this.#state.containers.length;
    if (all && this.#inVerbatim(rest)) return;
    const begun = this.#begin(rest, { matched });
    if (begun === null) return;
    this.#addText(begun.rest, begun.matched);
  }

  /** Consumes the prefixes of the open containers; returns how many of them continue. */
  #enter(text: string): { rest: string; matched: number } {
    let rest = text;
    let matched = 0;
    for (const container of this.#state.containers) {
      if (container.type === 'quote') {
        const inner = quoted(rest);
        if (inner === null) break;
        rest = inner;
      } else if (rest.trim() === '') rest = '';
      else if (indentOf(rest) >= container.indent) rest = rest.slice(container.indent);
      else break;
      matched++;
    }
    return { rest, matched };
  }

  /** Code and HTML are taken verbatim. False when the line is not part of them. */
  #inVerbatim(rest: string): boolean {
    const { leaf } = this.#state;
    if (leaf?.type === 'fence') {
      if (closesFence(rest, leaf)) this.#closeLeaf();
      else this.#code(rest.slice(Math.min(leaf.indent, indentOf(rest))), leaf);
      return true;
    }
    if (leaf?.type === 'indented') {
      if (rest.trim() === '') {
        leaf.blanks++;
        return true;
      }
      if (indentOf(rest) < 4) return false;
      for (; leaf.blanks > 0; leaf.blanks--) this.#code('', leaf);
      this.#code(rest.slice(4), leaf);
      return true;
    }
    if (leaf?.type !== 'html' || rest.trim() === '') return false;
    this.#give({ type: 'html', text: rest });
    return true;
  }

  /** Opens the blocks that start here. Null when the line is consumed. */
  #begin(text: string, { matched: before }: { matched: number }): { rest: string; matched: number } | null {
    let rest = text;
    let matched = before;
    for (;;) {
      const { containers, leaf } = this.#state;
      const open = leaf?.type === 'paragraph' ? leaf : null;
      const here = open !== null && matched === containers.length;
      if (rest.trim() === '') return { rest, matched };
      if (indentOf(rest) >= 4) {
        if (open) return { rest, matched };
        this.closeTo(matched);
        this.#state.leaf = { type: 'indented', blanks: 0, begun: false };
        return this.#inVerbatim(rest) ? null : { rest, matched };
      }
      const inner = containers.length < MAX_DEPTH || matched < containers.length ? quoted(rest) : null;
      if (inner !== null) {
        this.closeTo(matched);
        this.#state.lists.length = Math.min(this.#state.lists.length, matched);
        containers.push({ type: 'quote' });
        rest = inner;
        matched++;
        continue;
      }
      if (this.#beginsLeaf(rest, { matched, here })) return null;
      const marker = matched < MAX_DEPTH ? markerIn(rest) : null;
      if (!marker || (here && !mayInterrupt(marker))) return { rest, matched };
      this.closeTo(matched);
      containers.push(this.#item(marker));
      rest = marker.rest;
      matched++;
    }
  }

  #beginsLeaf(rest: string, { matched, here }: { matched: number; here: boolean }): boolean {
    const { leaf } = this.#state;
    const level = here ? underline(rest) : null;
    if (level !== null && leaf?.type === 'paragraph' && leaf.lines.length > 0) {
      this.#state.leaf = null;
      this.#give({ type: 'heading', level, text: leaf.lines.join(' ') });
      return true;
    }
    if (leaf?.type === 'paragraph' && this.#beginsTable(rest, { lines: leaf.lines, matched })) return true;
    const heading = headingIn(rest);
    const fence = fenceIn(rest);
    const html = beginsHtml(rest, { inParagraph: leaf?.type === 'paragraph' });
    const rule = isRule(rest);
    if (!heading && !fence && !html && !rule) return false;
    this.closeTo(matched);
    if (heading) this.#give({ type: 'heading', ...heading });
    else if (fence) this.#state.leaf = { type: 'fence', begun: false, ...fence };
    else if (rule) this.#give({ type: 'rule' });
    else {
      this.#give({ type: 'html', text: rest });
      this.#state.leaf = { type: 'html' };
    }
    return true;
  }

  /** The previous line turns out to be a table header. */
  #beginsTable(rest: string, { lines, matched }: { lines: string[]; matched: number }): boolean {
    const head = lines.at(-1);
    const alignments = head?.includes('|') ? alignmentsIn(rest) : null;
    if (head === undefined || !alignments || cellsOf(head).length !== alignments.length) return false;
    lines.pop();
    this.closeTo(matched);
    this.#state.leaf = { type: 'table', head: cellsOf(head), alignments, rows: [], settled: false };
    return true;
  }

  #addText(rest: string, matched: number): void {
    const { containers, leaf } = this.#state;
    if (rest.trim() === '') {
      this.closeTo(matched);
      this.#state.blank = true;
      return;
    }
    if (leaf?.type === 'paragraph') this.#say(rest.trim(), leaf);
    else if (leaf?.type === 'table' && matched === containers.length) this.#row(rest, leaf);
    else {
      this.closeTo(matched);
      const paragraph: Leaf = { type: 'paragraph', lines: [], length: 0 };
      this.#state.leaf = paragraph;
      this.#say(rest.trim(), paragraph);
    }
  }

  #say(text: string, leaf: Extract<Leaf, { type: 'paragraph' }>): void {
    leaf.lines.push(text);
    leaf.length += text.length;
    if (leaf.length < PARAGRAPH_LENGTH) return;
    this.#give({ type: 'paragraph', text: leaf.lines.join('\n') });
    leaf.lines = [];
    leaf.length = 0;
  }

  #row(text: string, leaf: Table): void {
    const cells = cellsOf(text).slice(0, leaf.head.length);
    while (cells.length < leaf.head.length) cells.push('');
    if (leaf.settled) {
      this.#give({ type: 'rows', rows: [cells] });
      return;
    }
    leaf.rows.push(cells);
    if (leaf.rows.length < SETTLED_ROWS) return;
    const { head, alignments, rows } = leaf;
    this.#give({ type: 'table', head, alignments, rows });
    leaf.settled = true;
    leaf.rows = [];
  }

  #goOn(text: string): void {
    const { leaf } = this.#state;
    if (leaf?.type === 'fence' || leaf?.type === 'indented') this.#code(text, leaf);
    else if (leaf?.type === 'html') this.#give({ type: 'html', text });
    else this.#addText(text, this.#state.containers.length);
  }

  #code(text: string, leaf: Extract<Leaf, { type: 'fence' | 'indented' }>): void {
    const language = leaf.type === 'fence' ? leaf.language : '';
    const first = !leaf.begun;
    leaf.begun = true;
    this.#give({ type: 'code', text, language, first });
  }

  #item({ indent, ordered, bullet, task }: Marker): Container {
    const { containers, lists } = this.#state;
    const depth = containers.length;
    const sign = ordered?.sign ?? bullet;
    const open = lists[depth];
    const number = open?.sign === sign ? open.next : (ordered?.number ?? 0);
    lists.length = Math.min(lists.length, depth);
    while (lists.length < depth) lists.push({ sign: '', next: 0 });
    lists.push({ sign, next: number + 1 });
    const items = containers.filter(({ type }) => type === 'item').length;
    const marker = ordered ? `${number}${sign}` : (BULLETS[items % BULLETS.length] ?? '•');
    return { type: 'item', indent, marker, task, shown: false };
  }

  #closeLeaf(): void {
    const { leaf } = this.#state;
    this.#state.leaf = null;
    if (leaf?.type === 'paragraph' && leaf.lines.length > 0) {
      this.#give({ type: 'paragraph', text: leaf.lines.join('\n') });
    } else if (leaf?.type === 'table' && !leaf.settled) {
      const { head, alignments, rows } = leaf;
      this.#give({ type: 'table', head, alignments, rows });
    } else if (leaf?.type === 'indented' && leaf.blanks > 0) this.#state.blank = true;
  }

  /** Closes open blocks until only this many containers are left. */
  closeTo(depth: number): void {
    this.#closeLeaf();
    const { containers } = this.#state;
    while (containers.length > depth) {
      const last = containers.at(-1);
      if (last?.type === 'item' && !last.shown) this.#give({ type: 'nothing' });
      containers.pop();
    }
  }

  #give(piece: Piece): void {
    const { containers, last, blank, lists } = this.#state;
    const shared = last ? containers.filter((container, i) => container === last.containers[i]).length : 0;
    const gap = last !== null && (blank || (containers.length === 0 && wantsGap(last, piece)));
    this.#emit(piece, { containers, gap: gap && !goesOn(piece), shared });
    for (const container of containers) if (container.type === 'item') container.shown = true;
    if (containers.length < lists.length) lists.length = containers.length;
    this.#state.last = { type: piece.type, containers: [...containers] };
    this.#state.blank = false;
  }
}

function quoted(text: string): string | null {
  return /^ {0,3}> ?(.*)$/.exec(text)?.[1] ?? null;
}

/** Inside a paragraph, "1986. A year" is text. */
function mayInterrupt({ rest, ordered }: Marker): boolean {
  return rest.trim() !== '' && (ordered === null || ordered.number === 1);
}

function goesOn(piece: Piece): boolean {
  return piece.type === 'rows' || (piece.type === 'code' && !piece.first);
}

/** Blocks that are separated even without an empty line in the text. */
function wantsGap(last: { type: Piece['type'] }, piece: Piece): boolean {
  const apart = ['heading', 'code', 'table', 'rule'];
  if (last.type === 'heading') return piece.type === 'heading';
  return piece.type !== last.type
    ? apart.includes(piece.type) || apart.includes(last.type) || last.type === 'rows'
    : apart.includes(piece.type);
}
