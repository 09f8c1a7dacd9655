import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { doors, protocolNames } from '../test/support/aca.ts';
import { buildProgram } from '../test/support/build-program.ts';
import { calls, says } from '../test/support/model-server/script.ts';
import { type ModelServer, startModelServer } from '../test/support/model-server/server.ts';
import { cacheRows } from './cache.ts';
import { completeRows } from './complete.ts';
import { diagnosticsRows } from './diagnostics.ts';
import { embeddedRows } from './embedded.ts';
import { judgeRows } from './judge.ts';
import { memoryRows } from './memory.ts';
import { observeRows } from './observe.ts';
import { parallelRows } from './parallel-commands.ts';
import { publish } from './publish.ts';
import { sandboxRows } from './sandbox.ts';
import { sessionRows } from './sessions.ts';
import { toolRows } from './tools.ts';
import { tuiRows } from './tui.ts';
import { undoRows } from './undo.ts';

/**
 * Startup and loop overhead of the built program, and the tools, compared with the bare runtime's startup in
 * the same run, because machines differ and are shared. `npm run bench -- --record` appends the table to
 * bench/results.md.
 */

const ROUNDS = 15;
const TURNS = 40;
/** A single run may hit a busy moment of the machine. */
const RUNS = 5;
/** Like the first start after an installation. */
const NOTHING_KEPT = { NODE_DISABLE_COMPILE_CACHE: '1' };
/**
 * A separate build, next to package.json like an installed one: elsewhere Node would have to guess the module
 * type.
 */
const outdir = '.bench-dist';
const main = path.resolve(outdir, 'main.cjs');

type Row = { what: string; ms: number; baseline?: { what: string; ms: number }; target?: string };

async function bench(): Promise<void> {
  buildProgram('--outDir', outdir);
  const folder = await mkdtemp(path.join(tmpdir(), 'aca-bench-'));
  try {
    await writeFile(path.join(folder, 'a.txt'), 'alpha\n');
    const bare = await medianOf(ROUNDS, () => spawnToExit(['-e', '0'], folder));
    const version = await medianOf(ROUNDS, () => spawnToExit([main, '--version'], folder));
    const rows: Row[] = [
      { what: 'bare runtime, spawn to exit', ms: bare },
      { what: '--version, over the bare runtime', ms: version - bare },
    ];
    const bareGap = { what: 'bare fetch loop', ms: await bareLoopGap(folder) };
    for (const protocol of protocolNames) {
      const first = await medianOf(ROUNDS, () => spawnToFirstRequest(protocol, folder));
      rows.push({
        what: `${protocol}: spawn to first request, over the bare runtime`,
        ms: first - bare,
        target: 'under 150',
      });
      if (protocol === 'anthropic') {
        const cold = await medianOf(ROUNDS, () => spawnToFirstRequest(protocol, folder, NOTHING_KEPT));
        rows.push({ what: `${protocol}: the same, no compiled code kept`, ms: cold - bare });
      }
      rows.push({
        what: `${protocol}: loop gap`,
        ms: await medianOf(RUNS, () => loopGap(protocol, folder)),
        baseline: bareGap,
        target: 'under 5',
      });
    }
    await report([
      ...rows,
      ...(await toolRows()),
      ...(await sandboxRows()),
      ...(await parallelRows(main)),
      ...(await memoryRows()),
      ...(await cacheRows()),
      ...(await judgeRows(main)),
      ...(await sessionRows(main)),
      ...(await undoRows()),
      ...(await tuiRows(main)),
      ...(await completeRows()),
      ...(await diagnosticsRows()),
      ...(await observeRows(main)),
      ...(await embeddedRows()),
    ]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function envOf(folder: string, env: Record<string, string> = {}): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH ?? '', HOME: folder, AI_ASSISTANT_HOME: path.join(folder, 'data'), ...env };
}

function exitOf(args: string[], folder: string, env: Record<string, string> = {}): Promise<number> {
  const child = spawn(process.execPath, args, { cwd: folder, env: envOf(folder, env), stdio: 'ignore' });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? -1));
  });
}

async function spawnToExit(args: string[], folder: string): Promise<number> {
  const started = performance.now();
  const code = await exitOf(args, folder);
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}`);
  return performance.now() - started;
}

async function spawnToFirstRequest(
  protocol: (typeof protocolNames)[number],
  folder: string,
  settings: Record<string, string> = {},
): Promise<number> {
  await using server = await startModelServer([says('ok')]);
  const { model, env } = doors[protocol](server.url);
  const started = performance.now();
  const code = await exitOf([main, '-p', 'hello', '--model', model], folder, { ...env, ...settings });
  const [request] = server.requests;
  if (code !== 0 || !request) throw new Error(`${protocol} ended with ${code}`);
  return request.receivedAt - started;
}

/** The minimum a client does between two requests: the runtime's own fetch, no library, tools or journal. */
async function bareLoopGap(folder: string): Promise<number> {
  await using server = await startModelServer(Array.from({ length: TURNS }, () => says('ok')));
  const script = `for (let turn = 0; turn < ${TURNS}; turn++) await (await fetch('${server.url}/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer x' },
    body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }] }),
  })).text();`;
  const code = await exitOf(['--input-type=module', '-e', script], folder);
  if (code !== 0) throw new Error(`the bare loop ended with ${code}`);
  return median(gapsOf(server));
}

function gapsOf({ requests }: ModelServer): number[] {
  return requests.slice(1).map((request, i) => request.receivedAt - (requests[i]?.endedAt ?? Number.NaN));
}

/**
 * From the last byte of a reply to the arrival of the next request, with one Read in between; the median over
 * a run.
 */
async function loopGap(protocol: (typeof protocolNames)[number], folder: string): Promise<number> {
  // Each call differs: a model that repeats the same call is stopped.
  const reads = Array.from({ length: TURNS }, (_, i) =>
    calls(['Read', { file_path: 'a.txt', limit: i + 1 }]),
  );
  await using server = await startModelServer([...reads, says('ok')]);
  const { model, env } = doors[protocol](server.url);
  const code = await exitOf([main, '-p', 'hello', '--model', model], folder, env);
  if (code !== 0) throw new Error(`${protocol} ended with ${code}`);
  return median(gapsOf(server));
}

async function medianOf(rounds: number, measure: () => Promise<number>): Promise<number> {
  await measure();
  const figures: number[] = [];
  for (let round = 0; round < rounds; round++) figures.push(await measure());
  return median(figures);
}

function median(figures: number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN;
}

async function report(rows: Row[]): Promise<void> {
  const bare = { what: 'bare runtime', ms: rows[0]?.ms ?? Number.NaN };
  const lines = rows.map(({ what, ms, baseline = bare, target = '' }) => {
    const beside = `${baseline.what}, ${baseline.ms.toFixed(1)}`;
    return `| ${what} | ${ms.toFixed(1)} | ${beside} | ${(ms / baseline.ms).toFixed(2)} | ${target} |`;
  });
  const head = ['| what | median ms | beside, ms | ratio | target ms |', '|---|---|---|---|---|'];
  const text = [...head, ...lines].join('\n');
  await publish('', text);
}

await bench();
