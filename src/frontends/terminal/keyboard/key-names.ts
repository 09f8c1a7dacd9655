/** Terminal key names: by the number before `~`, the final letter of a sequence, or the code point of `u`. */

export const tildeNames: Readonly<Record<number, string>> = {
  1: 'home',
  2: 'insert',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
  11: 'f1',
  12: 'f2',
  13: 'f3',
  14: 'f4',
  15: 'f5',
  17: 'f6',
  18: 'f7',
  19: 'f8',
  20: 'f9',
  21: 'f10',
  23: 'f11',
  24: 'f12',
};

export const letterNames: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  E: 'clear',
  F: 'end',
  H: 'home',
  M: 'return',
  P: 'f1',
  Q: 'f2',
  R: 'f3',
  S: 'f4',
};

/** Keys without text, by their code point in the kitty protocol. */
export const codeNames: Readonly<Record<number, string>> = {
  8: 'backspace',
  9: 'tab',
  13: 'return',
  27: 'escape',
  127: 'backspace',
  57414: 'return',
  57417: 'left',
  57418: 'right',
  57419: 'up',
  57420: 'down',
  57421: 'pageup',
  57422: 'pagedown',
  57423: 'home',
  57424: 'end',
  57425: 'insert',
  57426: 'delete',
  57427: 'clear',
};

/** Keypad characters, in the order of their code points. */
const FIRST_KEYPAD = 57_399;
const keypad = [...'0123456789./*-+'];

/** The character of a keypad key; null for every other key. Its Enter comes between `+` and `=`. */
export function keypadSign(code: number): string | null {
  return code === 57_415 ? '=' : (keypad[code - FIRST_KEYPAD] ?? null);
}

/** Modifiers pressed alone, lock keys, media keys: all are ignored. */
export function isSilent(code: number): boolean {
  return code >= 57_344 && code <= 63_743;
}
