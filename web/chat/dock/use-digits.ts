import { useLayoutEffect } from 'preact/hooks';

/** Calls `choose` with 0 for the key 1, and so on. In a text field, only together with Alt. */
export function useDigits(count: number, choose: (index: number) => void): void {
  // Before the next key can arrive: it would answer a second time.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const digit =
        /^(?:Digit|Numpad)([1-9])$/.exec(event.code)?.[1] ??
        (/^[1-9]$/.test(event.key) ? event.key : undefined);
      const index = Number(digit) - 1;
      if (
        !(index < count) ||
        event.ctrlKey ||
        event.metaKey ||
        event.shiftKey ||
        event.repeat ||
        event.isComposing
      )
        return;
      if (isTextField(event.target) && !event.altKey) return;
      event.preventDefault();
      choose(index);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });
}

function isTextField(target: EventTarget | null): boolean {
  return target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement;
}
