import { fitTo } from '../text/measure.ts';
import type { Theme } from '../theme/theme.ts';
import type { Line, VoiceState } from '../view/types.ts';

type VoiceLook = { columns: number; theme: Theme };

const BARS = '▁▂▃▄▅▆▇█';
/** How many levels the meter shows. */
export const METER_COLUMNS = 12;

/** What is being dictated, in one row: the length, a meter, where it goes, and the keys. */
export function voiceLine(state: VoiceState, { columns, theme }: VoiceLook): Line {
  const { styles } = theme;
  const to = state.destination === null ? '' : ` to ${state.destination}`;
  if (state.type === 'transcribing')
    return [{ text: fitTo(`Transcribing${to}… Esc to cancel`, columns), style: styles.accent }];
  const { levels, ms, isHeld } = state;
  const keys = isHeld ? 'release to finish' : 'Enter to finish, Esc to cancel';
  const head = `● Recording${to} ${clock(ms)} `;
  const meter = meterOf(levels);
  const room = columns - head.length - meter.length;
  // Who hears it matters more than how loud it is.
  if (room < 1) return [{ text: fitTo(head.trimEnd(), columns), style: styles.error }];
  return [
    { text: head, style: styles.error },
    { text: meter, style: styles.success },
    { text: fitTo(` ${keys}`, room), style: styles.muted },
  ];
}

function meterOf(levels: readonly number[]): string {
  const bars = levels
    .slice(-METER_COLUMNS)
    .map((level) => BARS[Math.round(level * (BARS.length - 1))] ?? ' ');
  return bars.join('').padStart(METER_COLUMNS, BARS[0]);
}

/** `0:07`, `1:30`. */
function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
