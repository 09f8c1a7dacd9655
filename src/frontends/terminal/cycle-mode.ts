import { modesByStrictness } from '../../config/schema/schema.ts';
import type { ModeSwitch } from '../../contract/command.ts';

/** Shift+Tab. */
export function cycleMode(mode: ModeSwitch): void {
  const at = modesByStrictness.indexOf(mode.get());
  mode.set(modesByStrictness[(at + 1) % modesByStrictness.length] ?? 'default');
}
