import { statusLine } from '../components/status-bar.ts';
import { PLACEHOLDER, SIGN } from '../editor/prompt-lines.ts';
import { bindings } from '../keyboard/keymap.ts';
import { paint } from '../painter/paint.ts';
import type { Span, Status, StatusPart } from '../view/types.ts';
import type { Ground, Theme } from './theme.ts';

/** Codes that turn a style on and off. */
type Codes = readonly [on: string, off: string];

/** The initial appearance of the screen: enough to paint it without loading it. */
export type Look = {
  ground: Ground;
  sign: string;
  placeholder: string;
  muted: Codes;
  border: Codes;
  warning: Codes;
  /** The mode a session starts with. */
  mode: string;
  /** The row above the prompt, by mode. */
  heads: Readonly<Record<string, string>>;
};

/** Wider than any initial row. */
const WIDE = 1_000;

/** With other keys, no look is saved. */
const [MODE_KEY = ''] = bindings['cycle-mode'].keys;

type Begin = { theme: Theme; status: Status; statusBar: readonly StatusPart[] };

/** `modes` are those a session may start with. */
export function lookOf({ theme, status, statusBar }: Begin, modes: readonly Status['mode'][]): Look {
  const { styles } = theme;
  const head = (mode: Status['mode']) =>
    paint(statusLine({ ...status, mode }, { parts: statusBar, columns: WIDE, theme, modeKey: MODE_KEY }));
  return {
    ground: theme.ground,
    sign: paint([{ text: SIGN, style: styles.accent }]),
    placeholder: PLACEHOLDER,
    muted: codesOf(styles.muted),
    border: codesOf(styles.border),
    warning: codesOf(styles.warning),
    mode: status.mode,
    heads: Object.fromEntries(modes.map((mode) => [mode, head(mode)])),
  };
}

function codesOf(style: NonNullable<Span['style']>): Codes {
  const [on = '', off = ''] = paint([{ text: '|', style }]).split('|');
  return [on, off];
}
