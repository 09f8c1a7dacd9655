import { didYouMean } from '../../../lib/text/nearest.ts';
import type { Key, ScreenAction } from '../view/types.ts';

/**
 * Where a key is pressed. An open completion list or search comes first, then the prompt; in vim's normal
 * mode only what is marked `always`.
 */
type Place = 'prompt' | 'list' | 'search';

type Binding = {
  place: Place;
  /** Key sequences are written with a space: `ctrl+x ctrl+e`. */
  keys: readonly string[];
  about: string;
  /** Also applies in vim's normal mode. */
  always?: true;
};

const bind = (place: Place) => (keys: string, about: string) => ({
  place,
  keys: keys === '' ? [] : keys.split(', '),
  about,
});
const prompt = bind('prompt');
const list = bind('list');
const search = bind('search');
const always = (keys: string, about: string) => ({ ...prompt(keys, about), always: true as const });

/**
 * All default keys. `return` and `escape` are also known as `enter` and `esc`. Some terminals report a
 * character by its physical key, so `alt+<` may arrive as `alt+,`.
 */
export const bindings = {
  submit: always('return', 'send'),
  'submit-after': always('alt+q, ctrl+q', 'send after the current run'),
  newline: prompt('shift+return, alt+return, ctrl+return, ctrl+j', 'new line (or \\ before Enter)'),

  'char-left': prompt('left, ctrl+b', 'back one character'),
  'char-right': prompt('right, ctrl+f', 'forward one character'),
  'word-left': prompt('alt+b, ctrl+left, alt+left', 'back one word'),
  'word-right': prompt('alt+f, ctrl+right, alt+right', 'forward one word'),
  'line-start': prompt('ctrl+a, home', 'start of line'),
  'line-end': prompt('ctrl+e, end', 'end of line'),
  'text-start': prompt('ctrl+home, alt+<, alt+,', 'start of text'),
  'text-end': prompt('ctrl+end, alt+>, alt+.', 'end of text'),
  up: always('up, ctrl+p', 'line up, or previous prompt'),
  down: always('down, ctrl+n', 'line down, or next prompt'),
  'history-previous': always('pageup', 'previous prompt'),
  'history-next': always('pagedown', 'next prompt'),

  'delete-left': prompt('backspace, ctrl+h, shift+backspace', 'delete backward'),
  'delete-right': prompt('delete', 'delete forward'),
  'delete-right-or-quit': always('ctrl+d', 'delete forward; quit if the prompt is empty'),
  'kill-word-left': prompt('alt+backspace, ctrl+backspace', 'cut the previous word'),
  'kill-big-word-left': prompt('ctrl+w', 'cut back to the last space'),
  'kill-word-right': prompt('alt+d, ctrl+delete, alt+delete', 'cut the next word'),
  'kill-line-left': prompt('ctrl+u', 'cut to start of line'),
  'kill-line-right': prompt('ctrl+k', 'cut to end of line'),
  yank: prompt('ctrl+y', 'paste the last cut text'),
  'yank-pop': prompt('alt+y', 'replace it with earlier cut text'),
  transpose: prompt('ctrl+t', 'swap two characters'),
  'upper-word': prompt('alt+u', 'uppercase the word'),
  'lower-word': prompt('alt+l', 'lowercase the word'),
  'capital-word': prompt('alt+c', 'capitalize the word'),
  undo: prompt('ctrl+_, ctrl+/, ctrl+-, ctrl+x ctrl+u', 'undo'),
  redo: prompt('alt+_, alt+-, alt+/', 'redo'),

  complete: prompt('tab', 'complete'),
  search: always('ctrl+r', 'search history'),
  'edit-externally': always('ctrl+g, ctrl+x ctrl+e', 'edit in your editor'),
  'paste-image': always('ctrl+v, alt+v', 'paste an image from the clipboard'),
  voice: always('ctrl+space, f5', 'dictate: hold it, or press it twice'),
  'help-keys': always('?, f1', 'show keys (? if the prompt is empty)'),
  interrupt: always('escape', 'stop the current run'),
  rewind: always('escape escape', 'rewind to an earlier prompt'),
  cancel: always('ctrl+c', 'clear the prompt; press twice to quit'),
  suspend: always('ctrl+z', 'suspend'),
  'cycle-mode': always('shift+tab', 'switch permission mode'),
  transcript: always('ctrl+o', 'show the whole conversation'),
  redraw: always('ctrl+l', 'redraw the screen'),

  'list-up': list('up, ctrl+p, shift+tab', 'previous completion'),
  'list-down': list('down, ctrl+n', 'next completion'),
  'list-accept': list('tab', 'accept the completion'),
  'list-accept-and-submit': list('return', 'accept it; commands are sent'),
  'list-close': list('escape', 'close the list'),

  'search-older': search('ctrl+r, up', 'older match'),
  'search-newer': search('ctrl+s, down', 'newer match'),
  'search-accept': search('return, tab, left, right, ctrl+a, ctrl+e', 'accept the match'),
  'search-cancel': search('escape, ctrl+g, ctrl+c', 'cancel the search'),
  'search-shorten': search('backspace, ctrl+h', 'delete a character'),
} satisfies Record<string, Binding>;

export type Action = keyof typeof bindings;

/** The user's settings: one or several keys for an action, an empty list for none. */
export type KeySettings = Readonly<Record<string, string | readonly string[]>>;

export type Keymap = {
  /**
   * The action of a key or key sequence; null if there is none. `strokes` may be two, separated by a space.
   */
  find(place: Place, strokes: string): Action | null;
  countsInNormalMode(action: Action): boolean;
  keysOf(action: Action): readonly string[];
};

const screenActions: ReadonlySet<string> = new Set<ScreenAction>([
  'interrupt',
  'rewind',
  'suspend',
  'cycle-mode',
  'transcript',
  'redraw',
  'help-keys',
  'voice',
]);

/** Whether the screen handles it instead of the editor. */
export function isScreenAction(action: Action): action is Action & ScreenAction {
  return screenActions.has(action);
}

const actionNames = Object.keys(bindings) as Action[];

/** The built-in keys with the user's own. Invalid settings are reported in `problems`. */
export function createKeymap(settings: KeySettings = {}): { keymap: Keymap; problems: string[] } {
  const problems: string[] = [];
  const chosen = new Map<Action, string[]>();
  for (const [name, wanted] of Object.entries(settings)) {
    const action = actionNames.find((one) => one === name);
    if (!action) {
      problems.push(`keys: unknown action "${name}".${didYouMean(name, actionNames)}`);
      continue;
    }
    const strokes = [wanted].flat().map((text) => ({ text, read: readStrokes(text) }));
    for (const { text, read } of strokes) {
      if (read === null)
        problems.push(`keys.${name}: "${text}" is not a key. Use names like ctrl+k, alt+enter or f5.`);
    }
    chosen.set(
      action,
      strokes.flatMap(({ read }) => read ?? []),
    );
  }
  const taken = new Map<string, Action>();
  for (const [action, keys] of chosen) {
    for (const strokes of keys) taken.set(`${bindings[action].place} ${strokes}`, action);
  }
  const found = new Map(taken);
  for (const action of actionNames) {
    if (chosen.has(action)) continue;
    const { place, keys } = bindings[action];
    for (const strokes of keys) {
      if (!found.has(`${place} ${strokes}`)) found.set(`${place} ${strokes}`, action);
    }
  }
  return {
    keymap: {
      find: (place, strokes) => found.get(`${place} ${strokes}`) ?? null,
      countsInNormalMode: (action) => 'always' in bindings[action],
      keysOf: (action) => {
        const { place } = bindings[action];
        const keys: readonly string[] = chosen.get(action) ?? bindings[action].keys;
        return keys.filter((strokes) => found.get(`${place} ${strokes}`) === action);
      },
    },
    problems,
  };
}

export function aboutOf(action: Action): string {
  return bindings[action].about;
}

/** How a press is written in the keymap. A typed character is written as itself. */
export function strokeOf({ name, text, ctrl, alt, shift }: Key & { type: 'key' }): string {
  if (text !== '' && !ctrl && !alt) return text === ' ' ? 'space' : text;
  const isSign = name.length === 1 && name.toLowerCase() === name.toUpperCase();
  return `${ctrl ? 'ctrl+' : ''}${alt ? 'alt+' : ''}${shift && !isSign ? 'shift+' : ''}${name}`;
}

/** A key for display: `Ctrl+X Ctrl+E`. */
export function keyLabel(strokes: string): string {
  const shown: Record<string, string> = {
    return: 'Enter',
    escape: 'Esc',
    pageup: 'PageUp',
    pagedown: 'PageDown',
  };
  const one = (stroke: string) =>
    partsOf(stroke)
      .map((part) => shown[part] ?? `${part.slice(0, 1).toUpperCase()}${part.slice(1)}`)
      .join('+');
  return strokes.split(' ').map(one).join(' ');
}

const otherNames: Readonly<Record<string, string>> = {
  enter: 'return',
  esc: 'escape',
  control: 'ctrl',
  meta: 'alt',
  option: 'alt',
  del: 'delete',
  pgup: 'pageup',
  pgdn: 'pagedown',
};

const namedKeys =
  /^(return|escape|tab|backspace|delete|space|up|down|left|right|home|end|pageup|pagedown|insert|clear|f([1-9]|1[0-2]))$/;

/** Normalizes a user's key; null if it is invalid. */
function readStrokes(text: string): string | null {
  const strokes = text.trim().split(/\s+/).map(readStroke);
  return strokes.length > 2 || strokes.includes(null) ? null : strokes.join(' ');
}

function readStroke(stroke: string): string | null {
  const parts = partsOf(stroke).map((part) => {
    const small = part.length > 1 ? part.toLowerCase() : part;
    return otherNames[small] ?? small;
  });
  const name = parts.pop() ?? '';
  const isSign = [...name].length === 1;
  if (!(isSign || namedKeys.test(name)) || parts.some((part) => !['ctrl', 'alt', 'shift'].includes(part)))
    return null;
  const held = ['ctrl', 'alt', 'shift'].filter((one) => parts.includes(one));
  return [...held, held.length > 0 ? name.toLowerCase() : name].join('+');
}

/** `+` is also a key. */
function partsOf(stroke: string): string[] {
  if (stroke === '+') return ['+'];
  return stroke.endsWith('++') ? [...stroke.slice(0, -2).split('+'), '+'] : stroke.split('+');
}
