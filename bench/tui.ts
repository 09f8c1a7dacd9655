import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { doors } from '../test/support/aca.ts';
import { type Lab, still } from '../test/support/lab.ts';
import { calls, type Step, says } from '../test/support/model-server/script.ts';
import { startModelServer } from '../test/support/model-server/server.ts';
import type { Workspace } from '../test/support/workspace.ts';
import { withLab } from './lab.ts';
import { cpuMs, median, quantile, residentMb } from './process-figures.ts';
import { startTimedStream } from './timed-stream.ts';
import type { ToolRow } from './tools.ts';

const STARTS = 9;
const DELTAS = 2_000;
const LARGE = 300_000;
const KEYS = 25;
const IDLE_MS = 3_000;
const CALLS_A_TURN = 100;
const TURNS = 100;

/**
 * The terminal frontend in a real terminal. Not every figure is a time: its name includes the unit. `main` is
 * the built program.
 */
export async function tuiRows(main: string): Promise<ToolRow[]> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'aca-bench-tui-')));
  const space: Workspace = {
    root: path.join(folder, 'project'),
    home: path.join(folder, 'home'),
    tree: async () => ({}),
  };
  try {
    await Promise.all([mkdir(space.root), mkdir(space.home)]);
    await writeFile(path.join(space.root, 'a.txt'), 'alpha\n');
    const bench = { main, space };
    return [
      ...(await starting(bench)),
      ...(await streaming(bench)),
      ...(await largeAnswer(bench)),
      ...(await manyMessages(bench)),
    ];
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

type Bench = { main: string; space: Workspace };

async function starting({ main, space }: Bench): Promise<ToolRow[]> {
  await using server = await startModelServer([]);
  const { model, env } = doors.anthropic(server.url);
  // Caches for the next start are written once the first has exited.
  const first = await onScreen({ main, space, args: ['--model', model], env }, async (lab, started) => {
    await seen(lab, '> ');
    const at = performance.now() - started;
    await seen(lab, 'claude');
    lab.type('\u0004');
    await lab.exit;
    return at;
  });
  const painted: number[] = [];
  const echoed: number[] = [];
  for (let round = 0; round < STARTS; round++) {
    await onScreen({ main, space, args: ['--model', model], env }, async (lab, started) => {
      await seen(lab, '> ');
      painted.push(performance.now() - started);
      lab.type('q');
      await lab.waitFor((it) => it.rows().some((row) => row.startsWith('> q')));
      echoed.push(performance.now() - started);
    });
  }
  const sent: number[] = [];
  for (let round = 0; round < STARTS; round++) {
    await using model = await startModelServer([says('ok')]);
    const door = doors.anthropic(model.url);
    await onScreen({ main, space, args: ['--model', door.model], env: door.env }, async (lab, started) => {
      await seen(lab, '> ');
      lab.type('hello\r');
      await lab.waitFor(() => model.requests.length > 0);
      sent.push((model.requests[0]?.receivedAt ?? Number.NaN) - started);
    });
  }
  return [
    { what: 'tui: spawn to prompt painted, the very first start', ms: first },
    { what: 'tui: spawn to prompt painted', ms: median(painted) },
    { what: 'tui: spawn to typed character echoed', ms: median(echoed) },
    { what: 'tui: spawn to request, a prompt typed and sent at once', ms: median(sent) },
  ];
}

async function streaming({ main, space }: Bench): Promise<ToolRow[]> {
  await using stream = await startTimedStream(DELTAS);
  const { sent } = stream;
  const { model, env } = doors.anthropic(stream.url);
  return await onScreen({ main, space, args: ['--model', model], env }, async (lab) => {
    await seen(lab, 'claude');
    await still(lab, 500);
    const arrived: number[] = [];
    lab.onWrite((text) => {
      for (const [, number] of text.matchAll(/w(\d+)w/g)) arrived[Number(number)] ??= performance.now();
    });
    const [cpu, bytes] = [await cpuMs(lab.pid), lab.written().length];
    lab.type('go\r');
    await lab.waitFor((it) => it.written().includes(`w${DELTAS - 1}w`), { limitMs: 60_000 });
    await still(lab, 500);
    const latencies = arrived.flatMap((at, i) => (sent[i] === undefined ? [] : [at - sent[i]]));
    const esc = await interruption(lab, sent);
    return [
      { what: `tui: ${DELTAS} deltas 2 ms apart, CPU time`, ms: (await cpuMs(lab.pid)) - cpu },
      { what: `tui: ${DELTAS} deltas, kilobytes written`, ms: (lab.written().length - bytes) / 1000 },
      { what: 'tui: delta to glyph, median', ms: median(latencies), target: 'under 80' },
      { what: 'tui: delta to glyph, 99 of 100 are faster', ms: quantile(latencies, 0.99) },
      { what: 'tui: Esc to the answer stopped', ms: esc, target: 'under 200' },
    ];
  });
}

async function interruption(lab: Lab, sent: number[]): Promise<number> {
  sent.length = 0;
  lab.type('again\r');
  while (sent.length < 100) await sleep(2);
  const pressed = performance.now();
  lab.type('\u001b');
  await lab.waitFor((it) => it.all().join('\n').includes('Interrupted'));
  return performance.now() - pressed;
}

async function largeAnswer({ main, space }: Bench): Promise<ToolRow[]> {
  const paragraph =
    'Some **bold** words, `code` and a [link](https://example.org) in a paragraph that is long enough.';
  const code = '```ts\nexport const value = read("file") ?? 42; // a line of code\n```';
  const blocks: string[] = [];
  for (let length = 0; length < LARGE; length += paragraph.length + code.length + 4)
    blocks.push(paragraph, code);
  await using server = await startModelServer([
    says(`${blocks.join('\n\n')}\n\nThe very end.`, { pieceLength: 400 }),
  ]);
  const { model, env } = doors.anthropic(server.url);
  return await onScreen({ main, space, args: ['--model', model], env }, async (lab) => {
    await seen(lab, 'claude');
    await still(lab, 500);
    const asked = performance.now();
    lab.type('go\r');
    await lab.waitFor((it) => it.written().includes('The very end.'), { limitMs: 60_000 });
    const shown = performance.now() - asked;
    await still(lab, 500);
    const echoes: number[] = [];
    for (let i = 0; i < KEYS; i++) {
      const from = lab.written().length;
      const pressed = performance.now();
      lab.type('k');
      while (!lab.written(from).includes('k')) await sleep(1);
      echoes.push(performance.now() - pressed);
      await sleep(30);
    }
    const before = await cpuMs(lab.pid);
    await sleep(IDLE_MS);
    const idle = ((await cpuMs(lab.pid)) - before) / (IDLE_MS / 1000);
    return [
      { what: 'tui: 300 KB answer, Enter to its end on the screen', ms: shown },
      { what: 'tui: after it, key to echo, median', ms: median(echoes), target: 'under 50' },
      { what: 'tui: idle, CPU time a second', ms: idle, target: '0' },
    ];
  });
}

/** Tool results are messages, too: they all pass over the screen. */
async function manyMessages({ main, space }: Bench): Promise<ToolRow[]> {
  // Each turn differs: a model that repeats the same call is stopped.
  const reads = (_: unknown, turn: number) => {
    const read: [string, object] = ['Read', { file_path: 'a.txt', limit: turn + 1 }];
    return calls(...Array<[string, object]>(CALLS_A_TURN).fill(read));
  };
  const script: Step[] = [...Array.from({ length: TURNS }, reads), says('All were read.')];
  await using server = await startModelServer(script);
  const { model, env } = doors.google(server.url);
  const args = ['--model', model, '--max-turns', String(TURNS + 10)];
  return await onScreen({ main, space, args, env }, async (lab) => {
    await seen(lab, 'gemini');
    await still(lab, 500);
    const before = await residentMb(lab.pid);
    lab.type('go\r');
    await lab.waitFor((it) => it.written().includes('All were read.'), { limitMs: 600_000 });
    await still(lab, 1000);
    return [
      { what: 'tui: resident megabytes at the prompt', ms: before },
      {
        what: `tui: resident megabytes after ${(TURNS * (CALLS_A_TURN + 1)).toLocaleString('en')} messages`,
        ms: await residentMb(lab.pid),
        target: 'under 250',
      },
    ];
  });
}

function onScreen<Result>(
  { main, space, args, env }: Bench & { args: string[]; env: Record<string, string> },
  use: (lab: Lab, started: number) => Promise<Result>,
): Promise<Result> {
  return withLab({ space, program: [process.execPath, main, ...args], env }, use);
}

async function seen(lab: Lab, text: string): Promise<void> {
  while (!lab.written().includes(text)) await sleep(1);
}
