import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { doors } from '../test/support/aca.ts';
import { buildProgram } from '../test/support/build-program.ts';
import { median, residentMb } from './process-figures.ts';
import { publish } from './publish.ts';
import { startTimedStream, type TimedStream } from './timed-stream.ts';

/**
 * This program as an agent for editors, on Node and as a binary if one was built: `npm run bench:editor`. Builds take turns,
 * so that a busy moment of the machine affects both. `--record` appends the table to bench/results.md.
 */

const ROUNDS = 15;
const PER_SECOND = 1_000;
const SECONDS = 60;
/** By then everything is loaded, and the heap has the size it needs. */
const SETTLED_SECONDS = 20;
/** What a slow client reads in a second. */
const SLOW_BYTES = 20_000;

type Child = ChildProcessByStdio<Writable, Readable, null>;

async function bench(): Promise<void> {
  buildProgram();
  const binary = path.resolve(`build/aca-${process.platform}-${process.arch}`);
  const node = process.execPath;
  const builds = [
    { name: 'agent, on Node', program: [node, path.resolve('dist/main.cjs')], bare: [node, '-e', '0'] },
    // It prints its version before it loads anything.
    ...(existsSync(binary)
      ? [{ name: 'agent, binary', program: [binary], bare: [binary, '--version'] }]
      : []),
  ];
  const folder = await mkdtemp(path.join(tmpdir(), 'aca-bench-editor-'));
  try {
    const agents = builds.map(({ program, bare }) => ({ program, bare, folder }));
    const rounds: { bare: number[]; started: number[] }[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const bare = await inTurn(agents, spawnToExit);
      rounds.push({ bare, started: await inTurn(agents, spawnToInitialized) });
    }
    // The first round is a warm-up.
    const medians = (of: 'bare' | 'started') =>
      agents.map((_, i) => median(rounds.slice(1).map((round) => round[of][i] ?? Number.NaN)));
    const [bare, started] = [medians('bare'), medians('started')];
    await report(builds, bare[0] ?? Number.NaN, [
      ['spawn to initialized, ms', started],
      [
        'spawn to initialized, over its bare runtime, ms',
        started.map((ms, i) => ms - (bare[i] ?? Number.NaN)),
      ],
      [
        `memory growth in ${SECONDS - SETTLED_SECONDS} s of ${PER_SECOND} updates a second, MB`,
        await inTurn(agents, (agent) => memoryGrowth(agent, 'fast')),
      ],
      ['the same, read slowly, MB', await inTurn(agents, (agent) => memoryGrowth(agent, 'slow'))],
    ]);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

type Agent = { program: readonly string[]; bare: readonly string[]; folder: string };

async function inTurn(
  agents: readonly Agent[],
  measure: (agent: Agent) => Promise<number>,
): Promise<number[]> {
  const figures: number[] = [];
  for (const agent of agents) figures.push(await measure(agent));
  return figures;
}

async function spawnToExit({ bare: [file = '', ...args] }: Agent): Promise<number> {
  const started = performance.now();
  const child = spawn(file, args, {
    stdio: 'ignore',
    env: { PATH: process.env.PATH ?? '' },
  });
  await new Promise((resolve) => child.on('close', resolve));
  return performance.now() - started;
}

async function spawnToInitialized(agent: Agent): Promise<number> {
  const started = performance.now();
  const child = await start(agent, '');
  try {
    await answerOf(child, 1, 'initialize', { protocolVersion: 1 });
    return performance.now() - started;
  } finally {
    await end(child);
  }
}

/** How much more memory an agent has at the end of an answer than once it has settled. */
async function memoryGrowth(agent: Agent, reads: 'fast' | 'slow'): Promise<number> {
  await using stream = await startTimedStream(SECONDS * PER_SECOND, PER_SECOND);
  const child = await start(agent, stream.url);
  try {
    await answerOf(child, 1, 'initialize', { protocolVersion: 1 });
    const place = { cwd: agent.folder, mcpServers: [] };
    const { sessionId } = (await answerOf(child, 2, 'session/new', place)) as { sessionId: string };
    const prompt = { sessionId, prompt: [{ type: 'text', text: 'go' }] };
    send(child, { id: 3, method: 'session/prompt', params: prompt });
    if (reads === 'fast') child.stdout.resume();
    using _slowly = reads === 'slow' ? readSlowly(child) : undefined;
    const settled = await memoryAt(child, stream, SETTLED_SECONDS);
    return (await memoryAt(child, stream, SECONDS)) - settled;
  } finally {
    await end(child);
  }
}

async function memoryAt({ pid = 0 }: Child, { sent }: TimedStream, second: number): Promise<number> {
  while (sent.length < PER_SECOND * second) await sleep(50);
  return residentMb(pid);
}

async function start({ program: [file = '', ...args], folder }: Agent, url: string): Promise<Child> {
  const { model, env } = doors.anthropic(url);
  const home = path.join(folder, 'home');
  await mkdir(home, { recursive: true });
  return spawn(file, [...args, 'acp', '--model', model], {
    cwd: folder,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: home,
      ...env,
      AI_ASSISTANT_KEYCHAIN: '0',
      AI_ASSISTANT_MEMORY: '0',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
}

async function end(child: Child): Promise<void> {
  child.stdin.end();
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null)
    await new Promise((resolve) => child.once('close', resolve));
}

function send(child: Child, message: object): void {
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

/** Leaves everything after the answer in the pipe. */
async function answerOf(child: Child, id: number, method: string, params: object): Promise<unknown> {
  send(child, { id, method, params });
  let received = '';
  for (;;) {
    await new Promise((resolve) => child.stdout.once('readable', resolve));
    received += child.stdout.read()?.toString() ?? '';
    for (const line of received.split('\n').slice(0, -1)) {
      const message = JSON.parse(line) as { id?: number; result?: unknown };
      if (message.id === id && 'result' in message) return message.result;
    }
  }
}

function readSlowly(child: Child): Disposable {
  const read = () => child.stdout.read(Math.min(SLOW_BYTES / 10, child.stdout.readableLength));
  const tick = setInterval(read, 100);
  return { [Symbol.dispose]: () => clearInterval(tick) };
}

async function report(
  builds: readonly { name: string }[],
  bare: number,
  rows: [string, number[]][],
): Promise<void> {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const text = [
    `Bare runtime, spawn to exit: ${bare.toFixed(1)} ms.`,
    '',
    line(['what', ...builds.map(({ name }) => name)]),
    line(['---', ...builds.map(() => '---')]),
    ...rows.map(([what, figures]) => line([what, ...figures.map((figure) => figure.toFixed(1))])),
  ].join('\n');
  await publish('For editors', text);
}

await bench();
