import type { Key } from '../../src/frontends/terminal/view/types.ts';

type Press = Extract<Key, { type: 'key' }>;

/** A key press by name; a single character also has its text. */
export function keyOf(name: string, held: Partial<Pick<Press, 'ctrl' | 'alt' | 'shift'>> = {}): Press {
  const writes = !held.ctrl && !held.alt && [...name].length === 1;
  return { type: 'key', name, text: writes ? name : '', ctrl: false, alt: false, shift: false, ...held };
}

export const keys = {
  return: keyOf('return'),
  escape: keyOf('escape'),
  tab: keyOf('tab'),
  backspace: keyOf('backspace'),
  up: keyOf('up'),
  down: keyOf('down'),
  left: keyOf('left'),
  right: keyOf('right'),
  home: keyOf('home'),
  end: keyOf('end'),
  pageup: keyOf('pageup'),
  pagedown: keyOf('pagedown'),
  space: { ...keyOf('space'), text: ' ' },
} as const;

/** A text as key presses. */
export function typedKeys(text: string): Press[] {
  return Array.from(text, (character) => {
    if (character === ' ') return keys.space;
    const name = character.toLowerCase();
    return { ...keyOf(name, { shift: name !== character }), text: character };
  });
}
