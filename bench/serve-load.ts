import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { serverMethods, serverNotifications } from '../src/frontends/server/server-methods.ts';
import { startPageServer } from '../test/support/page-server.ts';
import type { Workspace } from '../test/support/workspace.ts';
import { cpuMs, median, quantile, residentMb } from './process-figures.ts';
import type { ServeRow } from './serve.ts';
import { startTimedStream } from './timed-stream.ts';

const SESSIONS = 50;
const CLIENTS = 200;
/** What a fast model sends. */
const PER_SECOND = 20;
const SECONDS = 20;
const REATTACHES = 200;
const WORDS = PER_SECOND * SECONDS;
const IDLE_MS = 5_000;
/** As in the page. */
const LIST_MS = 300;

/**
 * 50 sessions that answer at the same time while 200 clients watch, then one session that all 200 watch. The words of
 * the model say when they were sent, so that clients know how long they took.
 */
export async function loadRows(space: Workspace): Promise<ServeRow[]> {
  await using model = await startTimedStream(
    WORDS,
    PER_SECOND,
    (index) => `w${index}w${performance.now().toFixed(2)}w`,
  );
  const server = await startPageServer(space, model);
  const clients: Client[] = [];
  try {
    const empty = await residentMb(server.pid);
    const token = (await readFile(path.join(space.home, '.ai-assistant/serve/token'), 'utf8')).trim();
    const url = `${server.url.replace('http', 'ws')}/acp`;
    while (clients.length < CLIENTS) clients.push(await Client.connect(url, token));
    const [first] = clients;
    if (!first) throw new Error('No client connected.');
    const sessions: string[] = [];
    while (sessions.length < SESSIONS) sessions.push(await first.create(space.root));
    for (const client of clients) await client.loadList();
    for (const [i, client] of clients.entries()) await client.attach(sessions[i % SESSIONS] ?? '');
    const watched = await residentMb(server.pid);
    const idle = await cpuShare(server.pid, () => sleep(IDLE_MS));
    const many = await answering(server.pid, clients, sessions);
    const busy = await residentMb(server.pid);
    const [shared = ''] = sessions;
    const [joining, before] = [performance.now(), await cpuMs(server.pid)];
    await Promise.all(clients.map((client) => client.attach(shared)));
    const [joined, used] = [performance.now() - joining, (await cpuMs(server.pid)) - before];
    const again = await comeBack(url, token, { session: shared, times: REATTACHES });
    const one = await answering(server.pid, clients, [shared]);
    return [
      { what: 'memory after the start, MB', figure: empty },
      { what: '50 sessions and 200 clients: memory, MB', figure: watched },
      { what: '50 sessions and 200 clients: CPU while nothing happens, %', figure: idle },
      ...latencyRows('50 sessions answer', many),
      { what: '50 sessions answer: memory at the end, MB', figure: busy, target: 'under 1000' },
      { what: '200 clients on one session: all join at once, ms', figure: joined, target: 'under 2000' },
      { what: '200 clients on one session: all join at once, CPU ms', figure: used },
      {
        what: '200 clients on one session: one was cut off and comes back, 99 of 100, ms',
        figure: quantile(again, 0.99),
        target: 'under 2000',
      },
      {
        what: '200 clients on one session: one was cut off and comes back, longest, ms',
        figure: Math.max(...again),
      },
      ...latencyRows('200 clients on one session', one),
      { what: '200 clients on one session: memory at the end, MB', figure: await residentMb(server.pid) },
    ];
  } finally {
    for (const client of clients) client.close();
    await server.close();
  }
}

/** How long a client that was cut off takes to follow its session again, in milliseconds. */
async function comeBack(
  url: string,
  token: string,
  { session, times }: { session: string; times: number },
): Promise<number[]> {
  const took: number[] = [];
  while (took.length < times) {
    const started = performance.now();
    const client = await Client.connect(url, token);
    await client.attach(session);
    took.push(performance.now() - started);
    client.close();
  }
  return took;
}

type Figures = { latencies: number[]; cpu: number };

function latencyRows(what: string, { latencies, cpu }: Figures): ServeRow[] {
  return [
    { what: `${what}: CPU, % of a core`, figure: cpu, target: 'under 100' },
    { what: `${what}: model to last client, median, ms`, figure: median(latencies), target: 'under 100' },
    { what: `${what}: model to last client, 99 of 100, ms`, figure: quantile(latencies, 0.99) },
  ];
}

/** Prompts all these sessions, and waits until every client has every word. */
async function answering(
  pid: number,
  clients: readonly Client[],
  sessions: readonly string[],
): Promise<Figures> {
  for (const client of clients) client.startOver();
  const cpu = await cpuShare(pid, async () => {
    const watching = new Map(clients.map((client) => [client.session, client]));
    for (const session of sessions) watching.get(session)?.prompt();
    while (clients.some(({ arrived }) => arrived.size < WORDS)) await sleep(100);
  });
  const last = new Map<string, number>();
  for (const { session, arrived } of clients)
    for (const [word, latency] of arrived) {
      const key = `${session} ${word}`;
      last.set(key, Math.max(last.get(key) ?? 0, latency));
    }
  return { latencies: [...last.values()], cpu };
}

async function cpuShare(pid: number, during: () => Promise<unknown>): Promise<number> {
  const [before, started] = [await cpuMs(pid), performance.now()];
  await during();
  return (((await cpuMs(pid)) - before) / (performance.now() - started)) * 100;
}

/** Only what it takes to measure: the clients share the processor with the server. */
class Client {
  /** How long each word took, in milliseconds. */
  readonly arrived = new Map<string, number>();
  /** Older words are sent again to clients that attach. */
  #since = 0;
  session = '';
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (result: unknown) => void>();
  #last = 0;
  #soon: NodeJS.Timeout | undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer) => this.#take(data.toString()));
  }

  static async connect(url: string, token: string): Promise<Client> {
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const client = new Client(socket);
    await client.#request('initialize', { protocolVersion: 1, clientCapabilities: {} });
    return client;
  }

  async create(cwd: string): Promise<string> {
    const { sessionId } = (await this.#request('session/new', { cwd, mcpServers: [] })) as {
      sessionId: string;
    };
    await this.#request(serverMethods.detach, { sessionId });
    return sessionId;
  }

  async attach(sessionId: string): Promise<void> {
    if (this.session !== '') await this.#request(serverMethods.detach, { sessionId: this.session });
    this.session = sessionId;
    await this.#request(serverMethods.attach, { sessionId });
  }

  /** From then on it is loaded again when it changes, as the page does. */
  async loadList(): Promise<void> {
    await this.#request(serverMethods.overview, {});
    this.#soon = undefined;
  }

  startOver(): void {
    this.arrived.clear();
    this.#since = performance.now();
  }

  /** Its answer comes when the turn ends. */
  prompt(): void {
    const prompt = [{ type: 'text', text: 'go' }];
    void this.#request('session/prompt', { sessionId: this.session, prompt });
  }

  close(): void {
    this.#socket.terminate();
  }

  #request(method: string, params: object): Promise<unknown> {
    this.#last++;
    const id = this.#last;
    this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }

  #take(text: string): void {
    const now = performance.now();
    for (const [, word = '', sent] of text.matchAll(/w(\d+)w([\d.]+)w/g))
      if (Number(sent) > this.#since) this.arrived.set(word, now - Number(sent));
    if (text.includes('"session/update"')) return;
    const { id, method, result } = JSON.parse(text) as { id?: number; method?: string; result?: unknown };
    if (method === serverNotifications.sessionsChanged)
      this.#soon ??= setTimeout(() => void this.loadList(), LIST_MS);
    if (method === undefined && id !== undefined) this.#waiting.get(id)?.(result);
  }
}
