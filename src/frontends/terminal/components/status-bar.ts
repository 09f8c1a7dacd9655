import { dollars } from '../../../commands/format/dollars.ts';
import { shortModel } from '../../../commands/format/model-name.ts';
import { counted } from '../../../lib/text/counted.ts';
import { elapsed } from '../../../lib/text/elapsed.ts';
import { fitTo, widthOf } from '../text/measure.ts';
import type { Role, Theme } from '../theme/theme.ts';
import type { Line, Span, Status, StatusPart } from '../view/types.ts';

const SEPARATOR = ' · ';
/** Fewest columns between the halves. */
const GAP = 2;

/** From this share of the context window on, older messages will soon be compacted. */
const NEARLY_FULL = 0.7;

/** The half of each part, and which parts stay when there is little room: those with a higher number. */
const PARTS = {
  mode: { side: 'left', priority: 9 },
  sandbox: { side: 'left', priority: 8 },
  model: { side: 'right', priority: 7 },
  context: { side: 'right', priority: 6 },
  cost: { side: 'right', priority: 5 },
  shells: { side: 'left', priority: 4 },
  branch: { side: 'left', priority: 3 },
  cache: { side: 'right', priority: 2 },
  elapsed: { side: 'right', priority: 1 },
} as const satisfies Record<StatusPart, { side: 'left' | 'right'; priority: number }>;

/** A warning outlasts every part that is not one. */
const WARNING_PRIORITY = 10;

export type StatusLook = {
  parts: readonly StatusPart[];
  columns: number;
  theme: Theme;
  /** The key that switches the mode, such as `shift+tab`; empty if there is none. */
  modeKey: string;
};

type Shown = { side: 'left' | 'right'; text: string; role: Role; hint?: string; priority: number };

/** The status line: the mode on the left, model, context and cost on the right. Normal states are not shown. */
export function statusLine(status: Status, { parts, columns, theme, modeKey }: StatusLook): Line {
  let shown = parts.flatMap((part): Shown[] => {
    const described = describe(part, status, modeKey);
    if (!described) return [];
    const { side, priority } = PARTS[part];
    const warns = described.role === 'warning' ? WARNING_PRIORITY : 0;
    return [{ ...described, side, priority: priority + warns }];
  });
  if (widthOfAll(shown) > columns) shown = shown.map(({ hint: _, ...part }) => part);
  while (shown.length > 1 && widthOfAll(shown) > columns) {
    const least = shown.reduce((a, b) => (b.priority < a.priority ? b : a));
    shown = shown.filter((part) => part !== least);
  }
  const [only] = shown;
  if (only && shown.length === 1)
    shown = [{ ...only, text: fitTo(only.text, columns - widthOf(only.hint ?? '')) }];
  return spansOf(shown, columns, theme);
}

function spansOf(shown: readonly Shown[], columns: number, theme: Theme): Span[] {
  const half = (side: Shown['side']): Span[] =>
    shown
      .filter((part) => part.side === side)
      .flatMap(({ text, role, hint }, i) => [
        ...(i === 0 ? [] : [{ text: SEPARATOR, style: theme.styles.border }]),
        { text, style: theme.styles[role] },
        ...(hint === undefined ? [] : [{ text: hint, style: theme.styles.muted }]),
      ]);
  const right = half('right');
  if (right.length === 0) return half('left');
  const room = columns - widthOfSide(shown, 'left') - widthOfSide(shown, 'right');
  return [...half('left'), { text: ' '.repeat(Math.max(0, room)) }, ...right];
}

function widthOfAll(shown: readonly Shown[]): number {
  const [left, right] = [widthOfSide(shown, 'left'), widthOfSide(shown, 'right')];
  return left + right + (left > 0 && right > 0 ? GAP : 0);
}

function widthOfSide(shown: readonly Shown[], side: Shown['side']): number {
  const parts = shown.filter((part) => part.side === side);
  const texts = parts.map(({ text, hint = '' }) => widthOf(text) + widthOf(hint));
  return texts.reduce((sum, width) => sum + width, 0) + SEPARATOR.length * Math.max(0, parts.length - 1);
}

const MODES = {
  'read-only': { text: 'read-only on', role: 'accent' },
  plan: { text: 'plan mode on', role: 'accent' },
  default: { text: 'asks before changes', role: 'muted' },
  'accept-edits': { text: 'accept edits on', role: 'accent' },
  auto: { text: 'auto mode on', role: 'warning' },
} as const satisfies Record<Status['mode'], { text: string; role: Role }>;

export function modeText(mode: Status['mode']): string {
  return MODES[mode].text;
}

type Described = Pick<Shown, 'text' | 'role' | 'hint'>;

function describe(part: StatusPart, status: Status, modeKey: string): Described | null {
  switch (part) {
    case 'model':
      return muted(shortModel(status.model));
    case 'mode':
      return { ...MODES[status.mode], ...(modeKey !== '' && { hint: ` (${modeKey})` }) };
    case 'sandbox':
      return status.sandboxed ? null : { text: 'no sandbox', role: 'warning' };
    case 'context': {
      if (!status.context || status.context.tokens === 0) return null;
      const share = status.context.tokens / status.context.window;
      const text = `${Math.max(1, Math.round(share * 100))}% context`;
      return { text, role: share > NEARLY_FULL ? 'warning' : 'muted' };
    }
    case 'cost':
      return status.costUsd === null || status.costUsd === 0 ? null : muted(dollars(status.costUsd));
    case 'cache':
      return status.cacheHit ? muted(`${Math.round(status.cacheHit * 100)}% cached`) : null;
    case 'branch':
      return status.branch === null ? null : muted(`⎇ ${status.branch}`);
    case 'shells':
      if (status.shells === 0) return null;
      return muted(counted(status.shells, 'shell'));
    case 'elapsed':
      return status.elapsedMs === null ? null : muted(elapsed(status.elapsedMs));
    default:
      return part satisfies never;
  }
}

function muted(text: string): Described | null {
  const row = fitTo(text, Number.POSITIVE_INFINITY);
  return row === '' ? null : { text: row, role: 'muted' };
}
