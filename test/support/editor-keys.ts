import { KeyDecoder } from '../../src/frontends/terminal/keyboard/key-decoder.ts';
import type { Key } from '../../src/frontends/terminal/view/types.ts';

/** Keys as written in the keymap; everything else is typed character by character. */
export function keysOf(...strokes: string[]): Key[] {
  return strokes.flatMap((stroke) => {
    const match = /^<((?:(?:ctrl|alt|shift)\+)*)(.+)>$/.exec(stroke);
    if (!match) return new KeyDecoder().push(stroke);
    const [, held = '', name = ''] = match;
    return [
      {
        type: 'key',
        name,
        text: '',
        ctrl: held.includes('ctrl'),
        alt: held.includes('alt'),
        shift: held.includes('shift'),
      },
    ];
  });
}

export function pasteOf(text: string): Key {
  return { type: 'paste', text };
}
