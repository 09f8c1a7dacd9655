import { type Action, aboutOf, type Keymap, keyLabel } from '../keyboard/keymap.ts';
import { fitTo, widthOf } from '../text/measure.ts';
import type { Theme } from '../theme/theme.ts';
import type { Line } from '../view/types.ts';

type Section = { title: string; actions: readonly Action[] };

const sections: readonly Section[] = [
  {
    title: 'Conversation',
    actions: [
      'submit',
      'submit-after',
      'newline',
      'interrupt',
      'rewind',
      'cancel',
      'delete-right-or-quit',
      'cycle-mode',
      'transcript',
      'suspend',
      'redraw',
      'help-keys',
    ],
  },
  {
    title: 'History and completion',
    actions: [
      'up',
      'down',
      'history-previous',
      'history-next',
      'search',
      'complete',
      'edit-externally',
      'paste-image',
    ],
  },
  {
    title: 'Moving',
    actions: [
      'char-left',
      'char-right',
      'word-left',
      'word-right',
      'line-start',
      'line-end',
      'text-start',
      'text-end',
    ],
  },
  {
    title: 'Editing',
    actions: [
      'undo',
      'redo',
      'delete-left',
      'delete-right',
      'kill-word-left',
      'kill-big-word-left',
      'kill-word-right',
      'kill-line-left',
      'kill-line-right',
      'yank',
      'yank-pop',
      'transpose',
      'upper-word',
      'lower-word',
      'capital-word',
    ],
  },
];

const signs: readonly (readonly [string, string])[] = [
  ['/', 'commands'],
  ['@', 'files and folders'],
  ['!', 'run a shell command; the model sees its output'],
];

/** Maximum number of keys shown per action. */
const MOST_SHOWN = 2;

type Row = readonly [keys: string, about: string];

/** Every key and what it does, including the user's own bindings. */
export function helpLines(keymap: Keymap, { columns, theme }: { columns: number; theme: Theme }): Line[] {
  const rowOf = (action: Action): Row[] => {
    const keys = keymap.keysOf(action);
    if (keys.length === 0) return [];
    return [[keys.slice(0, MOST_SHOWN).map(keyLabel).join(', '), aboutOf(action)]];
  };
  const groups: { title: string; rows: Row[] }[] = [
    { title: 'At the start of a prompt', rows: signs.map(([sign, about]): Row => [sign, about]) },
    ...sections.map(({ title, actions }) => ({ title, rows: actions.flatMap(rowOf) })),
  ];
  const widest = Math.max(...groups.flatMap(({ rows }) => rows.map(([keys]) => widthOf(keys))));
  const width = Math.min(widest, Math.max(6, Math.floor(columns / 2)));
  const { accent, heading, text } = theme.styles;
  return groups.flatMap(({ title, rows }, i) => [
    ...(i > 0 ? [[]] : []),
    [{ text: fitTo(title, columns), style: heading }],
    ...rows.map(([keys, about]): Line => {
      const label = fitTo(keys, width);
      return [
        { text: `  ${label}${' '.repeat(width - widthOf(label))}`, style: accent },
        { text: `  ${fitTo(about, Math.max(1, columns - width - 4))}`, style: text },
      ];
    }),
  ]);
}
