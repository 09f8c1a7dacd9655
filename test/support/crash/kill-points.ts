import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { killAfter, killAtLine, noStrace, type Treatment } from './program.ts';
import { play, type Stage } from './round.ts';

/** A moment to kill the process, with a name for failure messages. */
export type KillPoint = { name: string; treatment(stage: Stage): Treatment };

/** In a complete scenario; a round whose moment never comes ends by itself. */
const JOURNAL_LINES = 80;

/** System calls that persist or display something. */
const CALLS = 'write,fdatasync,fsync,rename,renameat,renameat2,unlink,linkat';

/**
 * Plays the scenario once and finds moments to kill the process, up to a maximum: every write to a journal,
 * every sync and rename, and as many writes to the screen as allowed. Without strace: every line of the
 * journal.
 */
export async function killPoints(stage: Stage, atMost: number): Promise<KillPoint[]> {
  if (noStrace !== null) {
    await through(stage, {});
    return Array.from({ length: JOURNAL_LINES }, (_, i) => atLine(i + 1));
  }
  const log = path.join(stage.space.home, 'strace.txt');
  await through(stage, { strace: ['-o', log, '-e', `trace=${CALLS}`, '-s', '16'] });
  const lines = readFileSync(log, 'utf8').split('\n');
  const [program] = lines[0]?.split(' ') ?? [];
  const own = lines.filter((line) => line.startsWith(`${program} `));
  const writes = own.filter((line) => line.includes(' write(')).map((line, i) => ({ line, nth: i + 1 }));
  const [kept, shown] = [writes.filter(isToFile), writes.filter((write) => !isToFile(write))];
  const lasting = [
    ...kept.map(({ nth }) => atCall('write', nth)),
    ...own.filter((line) => line.includes(' fdatasync(')).map((_, i) => atCall('fdatasync', i + 1)),
    ...['fsync', 'rename', 'renameat2'].map((call) => atCall(call, 1)),
  ];
  const every = Math.max(1, Math.ceil(shown.length / Math.max(1, atMost - lasting.length)));
  const rest = shown.filter((_, i) => i % every === 0).map(({ nth }) => atCall('write', nth));
  return [...lasting, ...rest];
}

/** Excludes writes to the screen and the runtime's internal ones. */
function isToFile({ line }: { line: string }): boolean {
  return !line.includes(' write(1,') && /write\(\d+, "(\{|[0-9a-f]{16})/.test(line);
}

/** `share` is the position in the run, from 0 to 1. */
export function atMoment(share: number, tookMs: number): KillPoint {
  const ms = Math.round(share * tookMs);
  return { name: `after ${ms} ms`, treatment: () => ({ at: killAfter(ms) }) };
}

function atLine(lines: number): KillPoint {
  return { name: `at line ${lines}`, treatment: ({ space }) => ({ at: killAtLine(space, lines) }) };
}

function atCall(call: string, nth: number): KillPoint {
  const inject = `inject=${call}:signal=KILL:when=${nth}`;
  return {
    name: `at ${call} ${nth}`,
    treatment: () => ({ strace: ['-o', '/dev/null', '-e', `trace=${call}`, '-e', inject] }),
  };
}

async function through(stage: Stage, treatment: Treatment): Promise<void> {
  const { code, stderr } = await play(stage, treatment);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
}
