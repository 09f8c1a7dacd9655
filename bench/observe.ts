import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { doors } from '../test/support/aca.ts';
import { calls, says } from '../test/support/model-server/script.ts';
import { startModelServer } from '../test/support/model-server/server.ts';

type Row = { what: string; ms: number; baseline: { what: string; ms: number }; target?: string };

const ROUNDS = 11;
const TURNS = 30;

type Way = { args?: string[]; env?: Record<string, string> };
type Figures = { first: number; gap: number; total: number };

/**
 * A run of many turns: without telemetry, with a collector that answers immediately, and with an endpoint to
 * scrape.
 */
export async function observeRows(main: string): Promise<Row[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'aca-bench-observe-'));
  const collector = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200).end());
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const ways: Record<string, Way> = {
    off: {},
    OTLP: { env: { AI_ASSISTANT_TELEMETRY: '1', OTEL_EXPORTER_OTLP_ENDPOINT: url } },
    '--metrics-port': { args: ['--metrics-port', '0'] },
  };
  try {
    await writeFile(path.join(folder, 'a.txt'), 'alpha\n');
    const found = new Map<string, Figures[]>(Object.keys(ways).map((name) => [name, []]));
    // Interleaved, so that a busy moment of the machine affects all equally; the first round is a warm-up.
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [name, way] of Object.entries(ways)) {
        const figures = await measure(main, folder, way);
        if (round > 0) found.get(name)?.push(figures);
      }
    }
    const medianOf = (name: string, key: keyof Figures) =>
      median((found.get(name) ?? []).map((figures) => figures[key]));
    return (['OTLP', '--metrics-port'] as const).flatMap((name) =>
      (['first', 'gap', 'total'] as const).map((key) => ({
        what: `observability, ${name}: ${WORDS[key]}`,
        ms: medianOf(name, key),
        baseline: { what: 'off', ms: medianOf('off', key) },
      })),
    );
  } finally {
    collector.closeAllConnections();
    collector.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const WORDS = {
  first: 'spawn to first request',
  gap: 'loop gap',
  total: `spawn to exit of ${TURNS} turns`,
} as const;

async function measure(main: string, folder: string, { args = [], env = {} }: Way): Promise<Figures> {
  // Each call differs: a model that repeats the same call is stopped.
  const reads = Array.from({ length: TURNS - 1 }, (_, i) =>
    calls(['Read', { file_path: 'a.txt', limit: i + 1 }]),
  );
  await using server = await startModelServer([...reads, says('ok')]);
  const door = doors.anthropic(server.url);
  const started = performance.now();
  const child = spawn(process.execPath, [main, '-p', 'hello', '--model', door.model, ...args], {
    cwd: folder,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      AI_ASSISTANT_HOME: path.join(folder, 'data'),
      ...door.env,
      ...env,
    },
    stdio: 'ignore',
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  const total = performance.now() - started;
  const [request] = server.requests;
  if (code !== 0 || !request) throw new Error(`The run ended with ${String(code)}.`);
  const gaps = server.requests
    .slice(1)
    .map(({ receivedAt }, i) => receivedAt - (server.requests[i]?.endedAt ?? Number.NaN));
  return { first: request.receivedAt - started, gap: median(gaps), total };
}

function median(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN;
}
