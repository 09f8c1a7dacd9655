import { didYouMean } from '../../../lib/text/nearest.ts';
import type { Key, ScreenAction } from '../view/types.ts';

/**
 * Where a key is pressed. A list of completions or a search that is open is asked first, then the prompt; in vim's
 * normal mode only what is marked as `always`.
 */
type Place = 'prompt' | 'list' | 'search';

type Binding = {
  place: Place;
  /** Keys one after the other are written with a space between: `ctrl+x ctrl+e`. */
  keys: readonly string[];
  about: string;
  /** Counts in vim's normal mode, too. */
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
 * Every key there is. `return` and `escape` are also known as `enter` and `esc`. Some terminals name a sign by the
 * key it is on, so `alt+<` may come as `alt+,`.
 */
export const bindings = {
  submit: always('return', 'send'),
  newline: prompt('shift+return, alt+return, ctrl+return, ctrl+j', 'new line; so does \\ before Enter'),

  'char-left': prompt('left, ctrl+b', 'back one character'),
  'char-right': prompt('right, ctrl+f', 'forward one character'),
  'word-left': prompt('alt+b, ctrl+left, alt+left', 'back one word'),
  'word-right': prompt('alt+f, ctrl+right, alt+right', 'forward one word'),
  'line-start': prompt('ctrl+a, home', 'to the start of the line'),
  'line-end': prompt('ctrl+e, end', 'to the end of the line'),
  'text-start': prompt('ctrl+home, alt+<, alt+,', 'to the start of the text'),
  'text-end': prompt('ctrl+end, alt+>, alt+.', 'to the end of the text'),
  up: always('up, ctrl+p', 'line up; at the first, the prompt before'),
  down: always('down, ctrl+n', 'line down; at the last, the next prompt'),
  'history-previous': always('pageup', 'the prompt before'),
  'history-next': always('pagedown', 'the next prompt'),

  'delete-left': prompt('backspace, ctrl+h, shift+backspace', 'delete backwards'),
  'delete-right': prompt('delete', 'delete forwards'),
  'delete-right-or-quit': always('ctrl+d', 'delete forwards; quit when nothing is typed'),
  'kill-word-left': prompt('alt+backspace, ctrl+backspace', 'cut the word before'),
  'kill-big-word-left': prompt('ctrl+w', 'cut back to the last space'),
  'kill-word-right': prompt('alt+d, ctrl+delete, alt+delete', 'cut the word after'),
  'kill-line-left': prompt('ctrl+u', 'cut to the start of the line'),
  'kill-line-right': prompt('ctrl+k', 'cut to the end of the line'),
  yank: prompt('ctrl+y', 'paste what was cut'),
  'yank-pop': prompt('alt+y', 'instead, what was cut before'),
  transpose: prompt('ctrl+t', 'swap two characters'),
  'upper-word': prompt('alt+u', 'word in capitals'),
  'lower-word': prompt('alt+l', 'word in small letters'),
  'capital-word': prompt('alt+c', 'word with a capital'),
  undo: prompt('ctrl+_, ctrl+/, ctrl+-, ctrl+x ctrl+u', 'undo'),
  redo: prompt('alt+_, alt+-, alt+/', 'redo'),

  complete: prompt('tab', 'complete'),
  search: always('ctrl+r', 'search what was typed before'),
  'edit-externally': always('ctrl+g, ctrl+x ctrl+e', 'write in your own editor'),
  'paste-image': always('ctrl+v, alt+v', 'attach the image that was copied'),
  'help-keys': always('?, f1', 'show keys (? when nothing is typed)'),
  interrupt: always('escape', 'stop what is running'),
  rewind: always('escape escape', 'go back to an earlier prompt'),
  cancel: always('ctrl+c', 'clear what is typed; twice, quit'),
  suspend: always('ctrl+z', 'suspend'),
  'cycle-mode': always('shift+tab', 'change what may happen without asking'),
  unfold: always('ctrl+o', 'show what is folded'),
  redraw: always('ctrl+l', 'draw the screen again'),

  'list-up': list('up, ctrl+p, shift+tab', 'the completion above'),
  'list-down': list('down, ctrl+n', 'the completion below'),
  'list-accept': list('tab', 'take the completion'),
  'list-accept-and-submit': list('return', 'take it; a command is sent'),
  'list-close': list('escape', 'close the list'),

  'search-older': search('ctrl+r, up', 'an older match'),
  'search-newer': search('ctrl+s, down', 'a newer match'),
  'search-accept': search('return, tab, left, right, ctrl+a, ctrl+e', 'take the match'),
  'search-cancel': search('escape, ctrl+g, ctrl+c', 'back to what was typed'),
  'search-shorten': search('backspace, ctrl+h', 'one character less'),
} satisfies Record<string, Binding>;

export type Action = keyof typeof bindings;

/** As the settings have them: one key or several for an action, an empty list for none. */
export type KeySettings = Readonly<Record<string, string | readonly string[]>>;

export type Keymap = {
  /** What a chord means there; null when nothing. `strokes` may be two, with a space between. */
  find(place: Place, strokes: string): Action | null;
  countsInNormalMode(action: Action): boolean;
  keysOf(action: Action): readonly string[];
};

const screenActions: ReadonlySet<string> = new Set<ScreenAction>([
  'interrupt',
  'rewind',
  'suspend',
  'cycle-mode',
  'unfold',
  'redraw',
  'help-keys',
]);

/** Whether it is none of the editor's business. */
export function isScreenAction(action: Action): action is Action & ScreenAction {
  return screenActions.has(action);
}

const actionNames = Object.keys(bindings) as Action[];

/** The built-in keys with the user's own. What the settings ask for and cannot have is told in `problems`. */
export function createKeymap(settings: KeySettings = {}): { keymap: Keymap; problems: string[] } {
  const problems: string[] = [];
  const chosen = new Map<Action, string[]>();
  for (const [name, wanted] of Object.entries(settings)) {
    const action = actionNames.find((one) => one === name);
    if (!action) {
      problems.push(`keys: there is no action "${name}".${didYouMean(name, actionNames)}`);
      continue;
    }
    const strokes = [wanted].flat().map((text) => ({ text, read: readStrokes(text) }));
    for (const { text, read } of strokes) {
      if (read === null)
        problems.push(`keys.${name}: "${text}" is no key. Write it as ctrl+k, alt+enter or f5.`);
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

/** How a press is written in the keymap. A sign that is typed stands for itself. */
export function strokeOf({ name, text, ctrl, alt, shift }: Key & { type: 'key' }): string {
  if (text !== '' && !ctrl && !alt) return text === ' ' ? 'space' : text;
  const isSign = name.length === 1 && name.toLowerCase() === name.toUpperCase();
  return `${ctrl ? 'ctrl+' : ''}${alt ? 'alt+' : ''}${shift && !isSign ? 'shift+' : ''}${name}`;
}

/** How a key is shown to people: `Ctrl+X Ctrl+E`. */
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

/** The keymap's own spelling of what a user wrote; null when it is no key. */
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
