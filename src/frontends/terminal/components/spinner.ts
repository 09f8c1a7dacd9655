import { elapsed } from '../../../lib/text/elapsed.ts';
import { shortCount } from '../../../lib/text/short-count.ts';
import { fitTo } from '../text/measure.ts';
import type { Theme } from '../theme/theme.ts';
import type { Line, LiveRun } from '../view/types.ts';

const MARKS = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/** How often the spinner moves. */
export const SPIN_MS = 120;

/** What is happening, for how long, and how much was received: the only animated part of the screen. */
export function spinnerLines(
  run: LiveRun,
  { columns, theme: { styles }, now }: { columns: number; theme: Theme; now: number },
): Line[] {
  const since = Math.max(0, now - run.startedAt);
  const facts = [elapsed(Math.max(1000, since)), tokens(run.outputTokens), 'esc to interrupt'];
  const rest = ` · ${facts.filter(Boolean).join(' · ')}`;
  const mark = MARKS[Math.floor(since / SPIN_MS) % MARKS.length] ?? '';
  const line = [
    { text: `${mark} `, style: styles.accent },
    { text: fitTo(capital(run.doing), Math.max(10, columns - 2 - rest.length)), style: styles.text },
    { text: rest.length + 12 < columns ? rest : '', style: styles.muted },
  ];
  return [[], line];
}

function tokens(count: number): string {
  if (count < 1) return '';
  return `↓ ${shortCount(count)} tokens`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
