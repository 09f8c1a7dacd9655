import type { Key } from '../view/types.ts';
import { codeNames, isSilent, keypadSign, letterNames, tildeNames } from './key-names.ts';

const ESC = '\x1b';
const PASTE_BEGIN = `${ESC}[200~`;
const PASTE_END = `${ESC}[201~`;

/** Reports from the terminal: cursor position, capabilities, focus; and incomplete ones. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one.
const TOLD = /^\x1b(?:\[(?:[IO]|\d+;\d+R|[?>=<][0-9;:]*[ -/]*[@-~])|[\]P_][^\x07\x1b]*(?:\x07|\x1b\\))/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one.
const TOLD_BEGUN = /^\x1b(?:\[[0-?]*[ -/]*|[\]P_][^\x07\x1b]*\x1b?)?$/;

/** Ctrl-C by itself ends a paste whose end was lost: the keyboard must not stay blocked. */
const CANCEL: readonly string[] = ['\x03', `${ESC}[99;5u`];

/** Longer input is not a reply. */
const LONGEST_REPLY = 4_096;

/** Cursor positions are requested all the time; no user types this. */
const PLACE_BEGUN = /^.\[\d+;?\d*$/;

type PressedKey = Extract<Key, { type: 'key' }>;

type Modifiers = { ctrl: boolean; alt: boolean; shift: boolean };

const plain: Modifiers = { ctrl: false, alt: false, shift: false };

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Parses key presses from terminal input, however it is split into chunks. */
export class KeyDecoder {
  /** The start of an incomplete sequence. */
  #pending = '';
  /** Pieces of the current paste; null outside a paste. */
  #paste: string[] | null = null;
  /**
   * Whether its end mark has arrived. What follows immediately was pasted, too: the text itself may contain
   * the mark.
   */
  #ending = false;

  /** Whether timing decides: Escape itself and the start of a sequence look the same. */
  get undecided(): boolean {
    return this.#pending !== '' || this.#ending;
  }

  get isInPaste(): boolean {
    return this.#paste !== null;
  }

  /** Whether the paste ends if nothing more arrives. */
  get endsPaste(): boolean {
    return this.#ending;
  }

  push(chunk: string): Key[] {
    const keys: Key[] = [];
    if (this.#paste && CANCEL.includes(chunk)) {
      this.#ending = true;
      return keys;
    }
    let rest = this.#pending + chunk;
    this.#pending = '';
    while (rest !== '') {
      const taken = this.#paste ? this.#takePasted(rest, keys) : this.#take(rest, keys);
      if (taken === 0) {
        this.#pending = rest;
        break;
      }
      rest = rest.slice(taken);
    }
    return keys;
  }

  /** Call when nothing more has arrived: treats pending input as complete. */
  flush(): Key[] {
    const pending = this.#pending;
    if (this.#paste) {
      const keys: Key[] = [];
      if (!this.#ending) return keys;
      this.#paste.push(pending);
      this.#pending = '';
      this.#endPaste(keys);
      return keys;
    }
    // The end of a reply is still coming, however slow the connection.
    const isReply = pending.length > 2 && (']P_'.includes(pending[1] ?? '[') || PLACE_BEGUN.test(pending));
    if (isReply && pending.length < LONGEST_REPLY) return [];
    this.#pending = '';
    if (pending === `${ESC}${ESC}`) return [press('escape'), press('escape')];
    if (pending.length === 2) return [altOf(pending.slice(1))];
    return pending === ESC ? [press('escape')] : [];
  }

  /** How many characters were parsed; 0 when more input is needed. */
  #take(text: string, keys: Key[]): number {
    if (text[0] !== ESC) return takeText(text, keys);
    const second = text[1];
    if (second === undefined) return 0;
    if (second === '[') return this.#takeControl(text, keys);
    if (second === 'O') return takeShort(text, keys);
    if (second === ']' || second === 'P' || second === '_') return takeReply(text, keys);
    if (second === ESC) return this.#takeTwo(text, keys);
    const [first = second] = split(text.slice(1, 20));
    keys.push(altOf(first));
    return 1 + first.length;
  }

  /** Escape twice, or Alt with a key that has its own sequence. */
  #takeTwo(text: string, keys: Key[]): number {
    if (text.length === 2) return 0;
    if (text[2] !== '[' && text[2] !== 'O') {
      keys.push(press('escape'));
      return 1;
    }
    const found: Key[] = [];
    const taken = this.#take(text.slice(1), found);
    if (taken === 0) return 0;
    // A terminal report arrived right after Escape.
    if (found.some(({ type }) => type !== 'key')) keys.push(press('escape'));
    keys.push(...found.map((key) => (key.type === 'key' ? { ...key, alt: true } : key)));
    return 1 + taken;
  }

  #takeControl(text: string, keys: Key[]): number {
    // Function keys of the Linux console: ESC [ [ A.
    if (text[2] === '[') {
      if (text[3] === undefined) return 0;
      const at = 'ABCDE'.indexOf(text[3]);
      if (at >= 0) keys.push(press(`f${at + 1}`));
      return 4;
    }
    const body = text.slice(2, LONGEST_REPLY);
    const [inner = '', parameters = '', between = '', final = ''] =
      /^([0-?]*)([ -/]*)([@-~]?)/.exec(body) ?? [];
    // A broken sequence is dropped up to the character that broke it.
    if (final === '') return inner.length === text.length - 2 ? 0 : 2 + inner.length;
    const sequence = text.slice(0, 2 + inner.length);
    if (parameters === '200' && final === '~') this.#paste = [];
    else keys.push(...readControl({ sequence, parameters, between, final }));
    return sequence.length;
  }

  #endPaste(keys: Key[]): void {
    keys.push({ type: 'paste', text: (this.#paste ?? []).join('') });
    this.#paste = null;
    this.#ending = false;
  }

  /** Everything up to the last end mark of a burst is text, without the marks. */
  #takePasted(text: string, keys: Key[]): number {
    for (const [mark, ends] of [
      [PASTE_END, true],
      [PASTE_BEGIN, false],
    ] as const) {
      if (!text.startsWith(mark)) continue;
      this.#ending = ends;
      return mark.length;
    }
    const told = this.#ending ? TOLD.exec(text)?.[0] : undefined;
    if (told !== undefined) return this.#take(told, keys);
    if (isMarkBegun(text) || (this.#ending && TOLD_BEGUN.test(text) && text.length < LONGEST_REPLY)) return 0;
    const next = text.indexOf(ESC, 1);
    const piece = next === -1 ? text : text.slice(0, next);
    this.#paste?.push(piece);
    return piece.length;
  }
}

function isMarkBegun(text: string): boolean {
  return PASTE_END.startsWith(text) || PASTE_BEGIN.startsWith(text);
}

type Control = { sequence: string; parameters: string; between: string; final: string };

function readControl({ sequence, parameters, between, final }: Control): Key[] {
  if (parameters === '' && final === 'I') return [{ type: 'focus', focused: true }];
  if (parameters === '' && final === 'O') return [{ type: 'focus', focused: false }];
  const isReply = /^[?>=<]/.test(parameters) || between !== '' || 'cnty'.includes(final);
  if (isReply) return [{ type: 'reply', text: sequence }];
  const [first = [], second = [], third = []] = parameters
    .split(';')
    .map((part) => part.split(':').map(Number));
  const [code = 0] = first;
  const [bits = 1, event] = second;
  // Cursor positions end with the letter of F3, which has a 1 before it and 2 to 16 after it.
  if (final === 'R' && (code !== 1 || bits === 1 || bits > 16)) return [{ type: 'reply', text: sequence }];
  // Keys with Command or Super belong to the terminal.
  if (isSuper(bits)) return [];
  const keys = pressOf({ final, code, shifted: first[1], third, modifiers: modifiersOf(bits) });
  if (event === RELEASED) return keys.map(({ name }) => ({ type: 'release', name }));
  return event === REPEATED ? keys.map((key) => ({ ...key, repeated: true })) : keys;
}

const REPEATED = 2;
const RELEASED = 3;

type Parsed = {
  final: string;
  code: number;
  shifted: number | undefined;
  third: readonly number[];
  modifiers: Modifiers;
};

function pressOf({ final, code, shifted, third, modifiers }: Parsed): PressedKey[] {
  if (final === 'Z') return [press('tab', { ...modifiers, shift: true })];
  if (final === 'u') return byCode(code, { modifiers, shifted, text: third });
  if (final === '~') {
    if (code === 27) return byCode(third[0] ?? 0, { modifiers, shifted: undefined, text: [] });
    const name = tildeNames[code];
    return name === undefined ? [] : [press(name, modifiers)];
  }
  const name = letterNames[final];
  return name === undefined ? [] : [press(name, modifiers)];
}

type Coded = { modifiers: Modifiers; shifted: number | undefined; text: readonly number[] };

function byCode(code: number, { modifiers, shifted, text }: Coded): PressedKey[] {
  const name = codeNames[code];
  if (name !== undefined) return [press(name, modifiers)];
  const sign = keypadSign(code) ?? (isSilent(code) ? null : characterOf(code));
  if (sign === null) return [];
  const written = text.map((one) => characterOf(one) ?? '').join('');
  const capital = modifiers.shift ? (characterOf(shifted ?? 0) ?? sign.toUpperCase()) : sign;
  const key = typed(written || capital);
  const isCommand = modifiers.ctrl || modifiers.alt;
  return [{ ...key, ...modifiers, name: nameOf(sign), text: isCommand ? '' : key.text }];
}

/** Keys in application mode: ESC O A. */
function takeShort(text: string, keys: Key[]): number {
  const final = text[2];
  if (final === undefined) return 0;
  const name = letterNames[final];
  if (name === undefined) {
    // Alt with a capital O, then something else.
    keys.push(altOf('O'));
    return 2;
  }
  keys.push(press(name));
  return 3;
}

/** A reply to a query: a string that ends with BEL or ESC \. */
function takeReply(text: string, keys: Key[]): number {
  const ends = ['\x07', `${ESC}\\`].flatMap((mark) => {
    const at = text.indexOf(mark, 2);
    return at < 0 ? [] : [at + mark.length];
  });
  const length = Math.min(...ends);
  if (ends.length === 0) {
    if (text.length < LONGEST_REPLY) return 0;
    keys.push(altOf(text.slice(1, 2)));
    return 2;
  }
  keys.push({ type: 'reply', text: text.slice(0, length) });
  return length;
}

/** Everything up to the next escape character. */
function takeText(text: string, keys: Key[]): number {
  const end = text.indexOf(ESC);
  const run = end < 0 ? text : text.slice(0, end);
  for (const one of split(run)) keys.push(...(one === '\r\n' ? [press('return')] : [typed(one)]));
  return run.length;
}

function split(text: string): string[] {
  return [...graphemes.segment(text)].map(({ segment }) => segment);
}

function press(name: string, modifiers: Modifiers = plain): PressedKey {
  return { type: 'key', name, text: '', ...modifiers };
}

function altOf(character: string): Key {
  return { ...typed(character), alt: true, text: '' };
}

/** The key for one character, including control characters. */
function typed(character: string): PressedKey {
  const code = character.codePointAt(0) ?? 0;
  if (code === 13 || code === 9 || code === 127 || code === 8 || code === 27)
    return press(codeNames[code] ?? 'escape');
  if (code === 0) return press('space', { ...plain, ctrl: true });
  if (code < 32) return press(String.fromCharCode(code + (code < 27 ? 96 : 64)), { ...plain, ctrl: true });
  if (code >= 128 && code < 160) return press('');
  const isCapital = character !== character.toLowerCase();
  return { ...press(nameOf(character), { ...plain, shift: isCapital }), text: character };
}

function nameOf(character: string): string {
  return character === ' ' ? 'space' : character.toLowerCase();
}

function characterOf(code: number): string | null {
  const isCharacter = Number.isInteger(code) && code >= 32 && code <= 0x10_ff_ff && code !== 127;
  return isCharacter && !(code >= 0xd8_00 && code <= 0xdf_ff) ? String.fromCodePoint(code) : null;
}

function modifiersOf(bits: number): Modifiers {
  const held = Math.max(0, bits - 1);
  return { shift: (held & 1) !== 0, alt: (held & (2 | 32)) !== 0, ctrl: (held & 4) !== 0 };
}

function isSuper(bits: number): boolean {
  return (Math.max(0, bits - 1) & (8 | 16)) !== 0;
}
