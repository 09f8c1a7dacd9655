import { setImmediate as turn } from 'node:timers/promises';

/** How long others wait at most, in milliseconds. */
const LONGEST_MS = 10;

/** For long work in one process: awaited now and then, it lets others run. */
export function breathing(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < LONGEST_MS) return;
    await turn();
    since = performance.now();
  };
}
