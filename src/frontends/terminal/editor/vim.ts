import type { Key } from '../view/types.ts';
import { after, before, lineEnd, lineStart, settledBack } from './graphemes.ts';
import {
  changed,
  inserted,
  killed,
  movedTo,
  redone,
  replaced,
  type TextBuffer,
  undone,
} from './text-buffer.ts';
import {
  type Find,
  findMotion,
  firstInk,
  type Motion,
  motionOf,
  pairObject,
  wordObject,
} from './vim-motions.ts';
import { operated, operatedLines, put, swapped } from './vim-operators.ts';
import { type Operator, type Vim, type VimStep, vimInsert } from './vim-state.ts';
import { isVisualKey, overwritten, selected, visualKey } from './vim-visual.ts';

const isWay = (name: string): name is Find['way'] => ['f', 'F', 't', 'T'].includes(name);
const isOperator = (name: string): name is Operator => ['d', 'c', 'y'].includes(name);

/** Leaves insert mode: the caret moves to the character before it. */
export function leftInsert(buffer: TextBuffer, vim: Vim): VimStep {
  const { text, at } = buffer;
  const place = Math.max(lineStart(text, at), before(text, at));
  return { buffer: movedTo(buffer, place), vim: { ...vimInsert, mode: 'normal', find: vim.find } };
}

/** One key in normal mode. */
export function normalKey(buffer: TextBuffer, vim: Vim, key: Key & { type: 'key' }): VimStep {
  const idle: Vim = { ...vimInsert, mode: 'normal', find: vim.find };
  if (key.name === 'escape') return { buffer, vim: idle };
  if (key.ctrl && key.name === 'r') return { buffer: onCharacter(redone(buffer)), vim: idle };
  const name = nameOf(key);
  if (name === null) return { buffer, vim: idle };
  if (vim.waiting) return onCaret(waited(buffer, vim, name));
  if (vim.visual && isVisualKey(name))
    return onCaret(visualKey(buffer, { ...idle, visual: vim.visual }, name));
  if (/[1-9]/.test(name) || (name === '0' && vim.count !== ''))
    return { buffer, vim: { ...vim, count: (vim.count + name).slice(0, 4) } };
  if (name === 'g' || isWay(name)) return { buffer, vim: { ...vim, waiting: name } };
  if ((vim.operator || vim.visual) && (name === 'i' || name === 'a'))
    return { buffer, vim: { ...vim, waiting: name } };
  const count = Number(vim.count || 1);
  if (vim.operator === name) return onCaret(overLines(buffer, vim, count));
  if (vim.operator === null && !vim.visual && (name === 'j' || name === 'k'))
    return { buffer, vim: idle, action: name === 'j' ? 'down' : 'up' };
  const motion =
    motionOf(vim.operator === 'c' && name === 'w' ? 'e' : name, buffer, count) ?? again(buffer, vim, name);
  if (motion) return onCaret(moved(buffer, vim, motion));
  if (vim.visual) return { buffer, vim: { ...idle, visual: vim.visual } };
  if (isOperator(name) && vim.operator === null) return { buffer, vim: { ...vim, operator: name } };
  return vim.operator ? { buffer, vim: idle } : onCaret(command(buffer, { vim: idle, name, count }));
}

/** The text of the key; null for keys without text. */
function nameOf({ name, text, ctrl, alt }: Key & { type: 'key' }): string | null {
  if (ctrl || alt) return null;
  const others: Record<string, string> = {
    left: 'h',
    right: 'l',
    backspace: 'h',
    home: '0',
    end: '$',
    delete: 'x',
  };
  return text === '' ? (others[name] ?? null) : text;
}

/** The key after one that waits. */
function waited(buffer: TextBuffer, vim: Vim, name: string): VimStep {
  const idle: Vim = { ...vimInsert, mode: 'normal', find: vim.find, visual: vim.visual };
  const count = Number(vim.count || 1);
  const { waiting } = vim;
  if (waiting === 'g') {
    const motion = name === 'g' ? motionOf('gg', buffer, count) : null;
    return motion ? moved(buffer, vim, motion) : { buffer, vim: idle };
  }
  if (waiting === 'r' && vim.visual) return overwritten(buffer, vim, name);
  if (waiting === 'r') {
    const { text, at } = buffer;
    if (at >= lineEnd(text, at)) return { buffer, vim: idle };
    const draft = replaced(buffer, { from: at, to: after(text, at), text: name });
    return { buffer: changed(buffer, { ...draft, at: settledBack(draft.text, at) }), vim: idle };
  }
  if (waiting === 'i' || waiting === 'a') {
    const isAround = waiting === 'a';
    const found = name === 'w' ? wordObject(buffer, isAround) : pairObject(buffer, name, isAround);
    if (!found) return { buffer, vim: idle };
    return vim.visual ? selected(buffer, vim, found) : operated(buffer, vim, found);
  }
  if (waiting === null) return { buffer, vim: idle };
  const find: Find = { way: waiting, character: name };
  const motion = findMotion(buffer, find, count);
  return motion ? moved(buffer, { ...vim, find }, motion) : { buffer, vim: { ...idle, find } };
}

/** `;` repeats the last find, `,` in the other direction. */
function again(buffer: TextBuffer, { find, count }: Vim, name: string): Motion | null {
  if (!find || (name !== ';' && name !== ',')) return null;
  const other: Record<Find['way'], Find['way']> = { f: 'F', F: 'f', t: 'T', T: 't' };
  return findMotion(buffer, name === ';' ? find : { ...find, way: other[find.way] }, Number(count || 1));
}

function moved(buffer: TextBuffer, vim: Vim, { at, reach }: Motion): VimStep {
  const idle: Vim = { ...vimInsert, mode: 'normal', find: vim.find, visual: vim.visual };
  const { text } = buffer;
  if (!vim.operator) return { buffer: movedTo(buffer, at), vim: idle };
  const [low, high] = [Math.min(at, buffer.at), Math.max(at, buffer.at)];
  if (reach !== 'lines')
    return operated(buffer, vim, { from: low, to: reach === 'whole' ? after(text, high) : high });
  return operatedLines(buffer, vim, { from: lineStart(text, low), to: lineEnd(text, high) });
}

/** `dd` and the like. */
function overLines(buffer: TextBuffer, vim: Vim, count: number): VimStep {
  const { text, at } = buffer;
  const last = count > 1 ? (motionOf('j', buffer, count - 1)?.at ?? at) : at;
  return operatedLines(buffer, vim, { from: lineStart(text, at), to: lineEnd(text, last) });
}

/** Keys that are a complete command. */
function command(
  buffer: TextBuffer,
  { vim, name, count }: { vim: Vim; name: string; count: number },
): VimStep {
  const { text, at } = buffer;
  const [start, end] = [lineStart(text, at), lineEnd(text, at)];
  const insert = (place: TextBuffer): VimStep => ({ buffer: place, vim: { ...vimInsert, find: vim.find } });
  const stay = (place: TextBuffer): VimStep => ({ buffer: place, vim });
  const right = motionOf('l', buffer, count)?.at ?? at;
  const left = motionOf('h', buffer, count)?.at ?? at;
  switch (name) {
    case 'i':
      return insert(buffer);
    case 'a':
      return insert(movedTo(buffer, Math.min(end, after(text, at))));
    case 'I':
      return insert(movedTo(buffer, firstInk(text, at)));
    case 'A':
      return insert(movedTo(buffer, end));
    case 'o':
      return insert(inserted(movedTo(buffer, end), '\n'));
    case 'O':
      return insert(movedTo(inserted(movedTo(buffer, start), '\n'), start));
    case 'x':
      return stay(killed({ ...buffer, last: 'other' }, at, right));
    case 'X':
      return stay(killed({ ...buffer, last: 'other' }, left, at));
    case 's':
      return insert(killed({ ...buffer, last: 'other' }, at, right));
    case 'D':
      return stay(killed({ ...buffer, last: 'other' }, at, end));
    case 'C':
      return insert(killed({ ...buffer, last: 'other' }, at, end));
    case 'S':
      return operatedLines(buffer, { ...vim, operator: 'c' }, { from: start, to: end });
    case 'Y':
      return operatedLines(buffer, { ...vim, operator: 'y' }, { from: start, to: end });
    case 'v':
    case 'V':
      return { buffer, vim: { ...vim, visual: { from: at, lines: name === 'V' } } };
    case 'r':
      return { buffer, vim: { ...vim, waiting: 'r' } };
    case 'J':
      if (end >= text.length) return stay(buffer);
      return stay(movedTo(changed(buffer, replaced(buffer, { from: end, to: end + 1, text: ' ' })), end));
    case '~':
      return stay(
        changed(buffer, replaced(buffer, { from: at, to: right, text: swapped(text.slice(at, right)) })),
      );
    case 'p':
    case 'P':
      return stay(put(buffer, name));
    case 'u':
      return stay(undone(buffer));
    default:
      return stay(buffer);
  }
}

function onCaret(step: VimStep): VimStep {
  return step.vim.mode === 'normal' ? { ...step, buffer: onCharacter(step.buffer) } : step;
}

/** In normal mode the caret is on a character, not after the last. */
export function onCharacter(buffer: TextBuffer): TextBuffer {
  const { text, at } = buffer;
  const start = lineStart(text, at);
  return at === lineEnd(text, at) && at > start
    ? { ...buffer, at: Math.max(start, before(text, at)) }
    : buffer;
}
