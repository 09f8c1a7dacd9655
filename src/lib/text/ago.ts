import { counted } from './counted.ts';

const UNITS = [
  ['day', 24 * 60 * 60 * 1000],
  ['hour', 60 * 60 * 1000],
  ['minute', 60 * 1000],
] as const;

/** How long ago a time is, in the largest unit that fits: `3 hours ago`. */
export function ago(time: string, now = Date.now()): string {
  const passed = now - Date.parse(time);
  const unit = UNITS.find(([, ms]) => passed >= ms);
  if (!unit) return 'just now';
  const [name, ms] = unit;
  const count = Math.floor(passed / ms);
  return `${counted(count, name)} ago`;
}
