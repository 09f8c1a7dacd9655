import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cleanEnv, doors } from '../test/support/aca.ts';
import { calls, says, slowly } from '../test/support/model-server/script.ts';
import { startModelServer } from '../test/support/model-server/server.ts';
import type { ToolRow } from './tools.ts';

const COMMANDS = 8;
const RUNS = 7;
/** Time to the first token; real models take longer. */
const THINKING_MS = 400;
/** How long each command took, as printed by bash. */
const REAL = /real\\t(\d+)m([\d.]+)s/g;

/** One reply with commands: the time to the next request, and the longest command by its own clock. */
type Batch = { gap: number; longest: number };
type Places = { root: string; home: string };

/**
 * Eight sandboxed commands of half a second in one reply: the time from its last byte to the next request,
 * compared with the longest of the commands. The first reply of a process loads modules; the second is like
 * all later ones.
 */
export async function parallelRows(main: string): Promise<ToolRow[]> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'aca-bench-parallel-')));
  try {
    const places = { root: path.join(folder, 'project'), home: path.join(folder, 'home') };
    await Promise.all([mkdir(places.root), mkdir(places.home)]);
    await writeFile(path.join(places.root, 'a.txt'), 'alpha\n');
    // Compiles the program and tests the sandbox, once for this data root.
    await oneRun(main, places);
    const runs: Batch[][] = [];
    for (let run = 0; run < RUNS; run++) runs.push(await oneRun(main, places));
    return ['first reply', 'later reply'].map((which, at) => {
      const batches = runs.flatMap((run) => run[at] ?? []).toSorted((a, b) => ratio(a) - ratio(b));
      const { gap, longest } = batches[batches.length >> 1] ?? { gap: Number.NaN, longest: Number.NaN };
      return {
        what: `${COMMANDS} sandboxed commands of 500 ms to the next request, ${which}`,
        ms: gap,
        baseline: { what: 'the longest of them', ms: longest },
        target: '1.25x',
      };
    });
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function ratio({ gap, longest }: Batch): number {
  return gap / longest;
}

async function oneRun(main: string, { root, home }: Places): Promise<Batch[]> {
  const replies = ['first', 'second'].map((reply) =>
    calls(
      ...Array.from({ length: COMMANDS }, (_, i): [string, object] => [
        'Bash',
        { command: `time sleep 0.5 # ${reply} ${i}` },
      ]),
    ),
  );
  await using server = await startModelServer([
    ...replies.map((reply) => slowly(reply, { firstMs: THINKING_MS })),
    says('ok'),
  ]);
  const { model, env } = doors.anthropic(server.url);
  const child = spawn(process.execPath, [main, '-p', 'go', '--mode', 'auto', '--model', model], {
    cwd: root,
    env: cleanEnv({ root, home, tree: async () => ({}) }, env),
    stdio: 'ignore',
  });
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (code !== 0) throw new Error(`The run with ${COMMANDS} commands ended with ${code}.`);
  return server.requests.slice(1).map(({ receivedAt, body }, i) => {
    const printed = [...JSON.stringify(body).matchAll(REAL)].slice(i * COMMANDS);
    if (printed.length !== COMMANDS)
      throw new Error(`${printed.length} of ${COMMANDS} commands told their time.`);
    return {
      gap: receivedAt - (server.requests[i]?.endedAt ?? Number.NaN),
      longest: Math.max(
        ...printed.map(([, minutes, seconds]) => (Number(minutes) * 60 + Number(seconds)) * 1000),
      ),
    };
  });
}
