import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Lab, still } from '../test/support/lab.ts';
import { calls, says } from '../test/support/model-server/script.ts';
import { startModelServer } from '../test/support/model-server/server.ts';
import type { Workspace } from '../test/support/workspace.ts';
import { type Contestant, filledIn } from './contestant.ts';
import { withLab } from './lab.ts';
import { cpuMs, median, residentMb } from './process-figures.ts';
import { startTimedStream } from './timed-stream.ts';

/** One figure for every program, in the given order. */
export type RaceRow = { what: string; figures: number[] };

const KEYS = 25;
const DELTAS = 2_000;
const LARGE = 300_000;
const TURNS = 30;
const LIMIT_MS = 180_000;
/** Never on the screen before it is typed. */
const KEY = '§';

type Track = { contestant: Contestant; space: Workspace };
type Figures = Record<string, number>;

/** What is measured, and how often; the first round is a warm-up and not counted. */
const LAPS: { rounds: number; lap: (track: Track) => Promise<Figures> }[] = [
  { rounds: 15, lap: starting },
  { rounds: 15, lap: headless },
  { rounds: 5, lap: atThePrompt },
  { rounds: 5, lap: turns },
  { rounds: 3, lap: streaming },
  { rounds: 3, lap: largeAnswer },
];

/**
 * What users notice about a program, measured the same way for each: it runs in a terminal with a scripted
 * model. The programs take turns in every round, so that a busy moment of the machine affects all of them.
 */
export async function race(contestants: readonly Contestant[]): Promise<RaceRow[]> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'race-')));
  try {
    const tracks = await Promise.all(
      contestants.map((contestant, i) => prepareTrack(contestant, path.join(folder, String(i)))),
    );
    const rows: RaceRow[] = [];
    for (const { rounds, lap } of LAPS) rows.push(...(await medians(tracks, rounds, lap)));
    return rows;
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function prepareTrack(contestant: Contestant, folder: string): Promise<Track> {
  const space = {
    root: path.join(folder, 'project'),
    home: path.join(folder, 'home'),
    tree: async () => ({}),
  };
  await Promise.all([space.root, space.home].map((place) => mkdir(place, { recursive: true })));
  for (let i = 0; i < TURNS; i++) await writeFile(path.join(space.root, `f${i}.txt`), 'alpha\n');
  return { contestant, space };
}

async function medians(
  tracks: readonly Track[],
  rounds: number,
  lap: (track: Track) => Promise<Figures>,
): Promise<RaceRow[]> {
  const results: Figures[][] = tracks.map(() => []);
  for (let round = 0; round <= rounds; round++)
    for (const [i, track] of tracks.entries()) {
      const figures = await lap(track);
      if (round > 0) results[i]?.push(figures);
    }
  const names = Object.keys(results[0]?.[0] ?? {});
  return names.map((what) => ({
    what,
    figures: results.map((all) => median(all.map((one) => one[what] ?? Number.NaN))),
  }));
}

async function starting(track: Track): Promise<Figures> {
  await using server = await startModelServer([]);
  return await onScreen(track, server.url, async (lab, started) => {
    await ready(lab, track);
    const painted = performance.now() - started;
    await echoOf(lab);
    const echoed = performance.now() - started;
    // Programs save what makes their next start faster.
    await still(lab, 500);
    return { 'spawn to prompt painted, ms': painted, 'spawn to first key echoed, ms': echoed };
  });
}

async function atThePrompt(track: Track): Promise<Figures> {
  await using server = await startModelServer([]);
  return await onScreen(track, server.url, async (lab) => {
    await ready(lab, track);
    await still(lab, 500);
    const memory = await residentMb(lab.pid);
    const echoes: number[] = [];
    for (let key = 0; key < KEYS; key++) {
      echoes.push(await echoOf(lab));
      await sleep(30);
    }
    return { 'key to echo, ms': median(echoes), 'memory at the prompt, MB': memory };
  });
}

async function headless(track: Track): Promise<Figures> {
  await using server = await startModelServer([says('All is well.')]);
  const started = performance.now();
  await toEnd(track, server.url);
  return {
    'headless prompt, spawn to exit, ms': performance.now() - started,
    'headless prompt, spawn to request, ms': (server.requests[0]?.receivedAt ?? Number.NaN) - started,
    'system and tool text, KB': fixedKilobytes(server.requests[0]?.body),
  };
}

async function turns(track: Track): Promise<Figures> {
  const { tool, input } = track.contestant.read;
  const reads = Array.from({ length: TURNS }, (_, i) =>
    calls([tool, filledIn(input, { file: path.join(track.space.root, `f${i}.txt`) })]),
  );
  await using server = await startModelServer([...reads, says('All is well.')]);
  await toEnd(track, server.url);
  const gaps = server.requests
    .slice(1)
    .map(({ receivedAt }, i) => receivedAt - (server.requests[i]?.endedAt ?? Number.NaN));
  return { 'end of a reply to the next request, ms': median(gaps) };
}

/** The fixed part of every request, without the user's prompt. */
function fixedKilobytes(body: unknown): number {
  const { system, tools } = (body ?? {}) as { system?: unknown; tools?: unknown };
  return (JSON.stringify(system ?? '').length + JSON.stringify(tools ?? '').length) / 1000;
}

async function streaming(track: Track): Promise<Figures> {
  await using stream = await startTimedStream(DELTAS);
  return await onScreen(track, stream.url, async (lab) => {
    await ready(lab, track);
    await still(lab, 500);
    const arrived: number[] = [];
    lab.onWrite((text) => {
      for (const [, number] of text.matchAll(/w(\d+)w/g)) arrived[Number(number)] ??= performance.now();
    });
    const cpu = await cpuMs(lab.pid);
    lab.type('go\r');
    await lab.waitFor((it) => it.written().includes(`w${DELTAS - 1}w`), { limitMs: LIMIT_MS });
    await still(lab, 500);
    const latencies = arrived.flatMap((at, i) => {
      const sent = stream.sent[i];
      return sent === undefined ? [] : [at - sent];
    });
    return {
      [`${DELTAS} deltas, CPU s`]: ((await cpuMs(lab.pid)) - cpu) / 1000,
      'delta to glyph, ms': median(latencies),
    };
  });
}

async function largeAnswer(track: Track): Promise<Figures> {
  const paragraph =
    'Some **bold** words, `code` and a [link](https://example.org) in a paragraph that is long enough.';
  const code = '```ts\nexport const value = read("file") ?? 42; // a line of code\n```';
  const block = `${paragraph}\n\n${code}\n\n`;
  const text = `${block.repeat(Math.ceil(LARGE / block.length))}The very end.`;
  await using server = await startModelServer([says(text, { pieceLength: 400 })]);
  return await onScreen(track, server.url, async (lab) => {
    await ready(lab, track);
    await still(lab, 500);
    lab.type('go\r');
    await lab.waitFor((it) => it.written().includes('The very end.'), { limitMs: LIMIT_MS });
    const shown = performance.now();
    return {
      '300 KB answer, request to the screen, ms': shown - (server.requests[0]?.receivedAt ?? Number.NaN),
    };
  });
}

async function onScreen<Result>(
  { contestant, space }: Track,
  url: string,
  use: (lab: Lab, started: number) => Promise<Result>,
): Promise<Result> {
  const { interactive: program, env } = await prepared(contestant, space, url);
  return withLab({ space, program, env }, use);
}

async function toEnd({ contestant, space }: Track, url: string): Promise<void> {
  const { headless: command, env, name } = await prepared(contestant, space, url);
  const [file = '', ...args] = command;
  const child = spawn(file, args, {
    cwd: space.root,
    env: { PATH: process.env.PATH ?? '', HOME: space.home, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    words += text;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  if (code !== 0) throw new Error(`${name} ended with ${code}: ${words.trim()}`);
}

/** With placeholders replaced, and the files it needs in its home folder. */
async function prepared(contestant: Contestant, { root, home }: Workspace, url: string): Promise<Contestant> {
  const it = filledIn(contestant, { url, home, cwd: root, prompt: 'Is all well?' });
  for (const [name, text] of Object.entries(it.files ?? {})) {
    const file = path.join(home, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return it;
}

async function ready(lab: Lab, { contestant }: Track): Promise<void> {
  const pattern = new RegExp(contestant.ready);
  await until(lab, () => lab.rows().some((row) => pattern.test(row)));
}

/** The time until a pressed key is on the screen. */
async function echoOf(lab: Lab): Promise<number> {
  const from = lab.written().length;
  const pressed = performance.now();
  lab.type(KEY);
  await until(lab, () => lab.written(from).includes(KEY));
  return performance.now() - pressed;
}

/** Polls every millisecond: the result may be just a few. */
async function until(lab: Lab, there: () => boolean): Promise<void> {
  const limit = performance.now() + LIMIT_MS;
  while (!there()) {
    if (performance.now() > limit) throw new Error(`It did not come. The screen:\n${lab.rows().join('\n')}`);
    await sleep(1);
  }
}
