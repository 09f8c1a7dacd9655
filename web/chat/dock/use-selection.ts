import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** The frame of a question. */
export type AskKeys = {
  frame: RefObject<HTMLElement | null>;
  /** False just after the question appeared: what was clicked was something else. */
  mayAnswer(): boolean;
  /** False within a second of typing, too. */
  mayTakeKey(): boolean;
};

type Choices = AskKeys & { count: number; take(index: number): void };

/** Keys that begin a character of an input method. */
const COMPOSING = new Set(['Process', 'Dead', 'Unidentified']);

/**
 * Digits and arrows select one of the choices, Enter takes it. Other text goes to the prompt, together with the digits
 * before it. In a text field only a digit with Alt selects.
 */
export function useSelection({ frame, mayTakeKey, count, take }: Choices): number | null {
  const [selected, select] = useState<number | null>(null);
  const picked = useRef('');
  // Before the next key can arrive: it would answer a second time.
  useLayoutEffect(() => {
    const choose = (index: number, text: string) => {
      picked.current = text;
      select(index);
      frame.current?.focus({ preventScroll: true });
    };
    const passOn = (text = '') => {
      writeInPrompt(picked.current + text);
      picked.current = '';
      select(null);
    };
    const onKey = (event: KeyboardEvent) => {
      const { key, target, altKey } = event;
      const isField = isTextField(target);
      if (event.ctrlKey || event.metaKey || isField !== altKey) return;
      const isFree = isField || target === frame.current || target === document.body;
      const index = digitOf(event) - 1;
      if (index < count && !event.shiftKey && !event.repeat && mayTakeKey()) {
        event.preventDefault();
        choose(index, isField ? '' : picked.current + key);
      } else if (isField || !isFree) return;
      else if (key === 'ArrowDown' || key === 'ArrowUp') {
        event.preventDefault();
        choose(moved(selected, { by: key === 'ArrowDown' ? 1 : -1, count }), '');
      } else if (key === 'Enter') {
        if (selected === null || event.repeat || !mayTakeKey()) return;
        event.preventDefault();
        take(selected);
      } else if ((key.length === 1 || COMPOSING.has(key)) && target === frame.current) passOn();
    };
    const onPaste = (event: ClipboardEvent) => {
      if (event.target !== frame.current) return;
      event.preventDefault();
      passOn(event.clipboardData?.getData('text'));
    };
    document.addEventListener('keydown', onKey);
    document.addEventListener('paste', onPaste);
    return () => {
      document.removeEventListener('keydown', onKey);
      document.removeEventListener('paste', onPaste);
    };
  });
  return selected;
}

export function promptBox(): HTMLTextAreaElement | null {
  return document.querySelector<HTMLTextAreaElement>('.composer textarea');
}

/** Moves the focus to the prompt: the key that is being pressed writes there, after this text. */
function writeInPrompt(text: string): void {
  const box = promptBox();
  if (!box) return;
  box.focus();
  if (text === '') return;
  box.setRangeText(text, box.selectionStart, box.selectionEnd, 'end');
  box.dispatchEvent(new Event('input', { bubbles: true }));
}

function digitOf({ code, key }: KeyboardEvent): number {
  const digit = /^(?:Digit|Numpad)([1-9])$/.exec(code)?.[1];
  return Number(digit ?? (/^[1-9]$/.test(key) ? key : Number.NaN));
}

function moved(selected: number | null, { by, count }: { by: 1 | -1; count: number }): number {
  if (selected === null) return by === 1 ? 0 : count - 1;
  return (selected + by + count) % count;
}

function isTextField(target: EventTarget | null): boolean {
  return target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
}
