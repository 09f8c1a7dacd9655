import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type {
  CallToolResult,
  ElicitRequestFormParams,
  ElicitResult,
  GetPromptResult,
  ReadResourceResult,
} from '@modelcontextprotocol/sdk/types.js';
import { raceAbort } from '../../lib/async/abort.ts';
import { type Ask, elicit } from '../elicit.ts';
import { plain } from '../plain.ts';
import { expandSettings, type ServerSettings } from '../settings.ts';
import { listOffers, noOffers, type Offers } from '../tools/offers.ts';
import { isLostSession, needsLogin } from './http.ts';
import { type OpenClient, openClient, type Surroundings, withLastWords } from './open-client.ts';
import { createSilenceTimeout, type SilenceTimeout } from './silence-timeout.ts';
import { within } from './within.ts';

/** `login`: the user must log in first. `off`: disabled, or ended. */
export type Phase = 'connecting' | 'ready' | 'failed' | 'login' | 'off';

export type ConnectionDeps = Surroundings & {
  /** Called if any externally visible state changes. */
  onChange(): void;
  notice(text: string): void;
  /** The first pause before a crashed server is restarted. */
  backoffMs?: number;
};

export type CallOptions = { signal: AbortSignal; progress(text: string): void; ask: Ask };

const START_MS = 30_000;
const CALL_MS = 120_000;
/** After this much uptime, a server's restart attempts are reset. */
const STEADY_MS = 60_000;
const MAX_TRIES = 5;
const MAX_BACKOFF_MS = 30_000;
/** How long a call waits for a restarting server. */
const COMING_BACK_MS = 10_000;
const REFRESH_MS = 200;
const END_SESSION_MS = 500;
const MAX_LOG = 50;
const LONGEST = 2 ** 31 - 1;

type Send<T> = (client: Client, silence: SilenceTimeout) => Promise<T>;

/** One server: connects once, restarts on failure, ends with the hub. Its failures affect nothing else. */
export class Connection {
  readonly name: string;
  readonly settings: ServerSettings;
  readonly #deps: ConnectionDeps;
  readonly #closed = new AbortController();
  readonly #calls = new Set<{ ask: Ask; silence: SilenceTimeout }>();
  #phase: Phase = 'off';
  #trouble = '';
  #offers: Offers = noOffers;
  #log: string[] = [];
  #open: OpenClient | undefined;
  #connecting: Promise<void> | undefined;
  #tries = 0;
  #readySince = 0;
  #refreshing: Promise<void> | undefined;
  #stale = false;

  constructor(name: string, settings: ServerSettings, deps: ConnectionDeps) {
    this.name = name;
    this.settings = settings;
    this.#deps = deps;
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** Why it is not ready. */
  get trouble(): string {
    return this.#trouble;
  }

  get offers(): Offers {
    return this.#offers;
  }

  get log(): readonly string[] {
    return this.#log;
  }

  /** Resolves when it is ready or has failed; never rejects. */
  start(): Promise<void> {
    if (this.settings.disabled || this.#closed.signal.aborted) return Promise.resolve();
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  /** From the beginning, whatever its state. */
  async restart(): Promise<void> {
    await this.#connecting;
    const before = this.#open;
    this.#open = undefined;
    this.#tries = 0;
    await before?.transport.close();
    await this.start();
  }

  async close(): Promise<void> {
    this.#closed.abort();
    const open = this.#open;
    this.#open = undefined;
    this.#phase = 'off';
    if (open) await endSession(open);
    await Promise.all([open?.transport.close(), this.#connecting]);
  }

  async callTool(
    tool: string,
    input: Record<string, unknown>,
    options: CallOptions,
  ): Promise<CallToolResult> {
    const { CallToolResultSchema } = await import('@modelcontextprotocol/sdk/types.js');
    return this.#request(options, (client, silence) =>
      client.request(
        { method: 'tools/call', params: { name: tool, arguments: input } },
        CallToolResultSchema,
        {
          signal: silence.signal,
          timeout: LONGEST,
          onprogress: ({ progress, total, message }) => {
            silence.reset();
            options.progress(`${message ?? (total === undefined ? progress : `${progress} of ${total}`)}\n`);
          },
        },
      ),
    );
  }

  readResource(uri: string, options: CallOptions): Promise<ReadResourceResult> {
    return this.#request(options, (client, { signal }) =>
      client.readResource({ uri }, { signal, timeout: LONGEST }),
    );
  }

  getPrompt(name: string, args: Record<string, string>, options: CallOptions): Promise<GetPromptResult> {
    return this.#request(options, (client, { signal }) =>
      client.getPrompt({ name, arguments: args }, { signal, timeout: LONGEST }),
    );
  }

  async #request<T>(options: CallOptions, send: Send<T>): Promise<T> {
    try {
      return await this.#requestOnce(options, send);
    } catch (error) {
      if (!isLostSession(error)) throw error;
      return this.#requestOnce(options, send);
    }
  }

  async #requestOnce<T>({ signal, ask }: CallOptions, send: Send<T>): Promise<T> {
    const { client, transport } = await this.#ready(signal);
    const silence = createSilenceTimeout(this.settings.timeoutMs ?? CALL_MS, signal);
    const call = { ask, silence };
    this.#calls.add(call);
    try {
      return await raceAbort(send(client, silence), silence.signal);
    } catch (error) {
      if (silence.isOver())
        throw new Error(`MCP server ${this.name} sent ${(silence.signal.reason as Error).message}`);
      this.#consider(error, client);
      throw signal.aborted ? error : withLastWords(error, transport);
    } finally {
      silence.end();
      this.#calls.delete(call);
    }
  }

  /** Waits for a starting server; throws if it is not starting. */
  async #ready(signal: AbortSignal): Promise<OpenClient> {
    if (this.#connecting) await within(this.#connecting, COMING_BACK_MS, signal);
    signal.throwIfAborted();
    if (this.#phase === 'ready' && this.#open) return this.#open;
    throw new Error(notConnected(this.name, this.#phase, this.#trouble));
  }

  async #connect(): Promise<void> {
    for (let isAgain = false; ; isAgain = true) {
      if (isAgain && !(await this.#pause())) return;
      this.#become('connecting');
      try {
        await this.#connectOnce();
        return;
      } catch (error) {
        if (this.#closed.signal.aborted) return;
        if (!this.#mayTryAgain(error)) return this.#fail(error);
      }
    }
  }

  async #connectOnce(): Promise<void> {
    const settings = expandSettings(this.settings, this.#deps.env);
    const timeoutMs = this.settings.timeoutMs ?? START_MS;
    const open = await openClient(settings, this.#deps, {
      handlers: {
        changed: () => this.#refresh(),
        log: (line) => this.#note(line),
        elicit: (form) => this.#elicit(form),
      },
      signal: this.#closed.signal,
      timeoutMs,
    });
    this.#open = open;
    open.client.onclose = () => this.#lost(open);
    // Protocol errors are only worth a line in its log.
    open.client.onerror = (error) => this.#note(`error: ${error.message}`);
    try {
      this.#offers = await listOffers(open.client, { timeout: timeoutMs, wanted: this.settings });
    } catch (error) {
      this.#open = undefined;
      await open.transport.close();
      throw withLastWords(error, open.transport);
    }
    this.#readySince = performance.now();
    this.#trouble = '';
    this.#become('ready');
  }

  /** Only a server that has worked before, and does not crash repeatedly. */
  #mayTryAgain(error: unknown): boolean {
    return this.#readySince > 0 && this.#tries < MAX_TRIES && !needsLogin(error);
  }

  async #pause(): Promise<boolean> {
    const { backoffMs = 500 } = this.#deps;
    const ms = Math.min(MAX_BACKOFF_MS, backoffMs * 2 ** this.#tries++);
    return sleep(ms, true, { signal: this.#closed.signal, ref: false }).catch(() => false);
  }

  #fail(error: unknown): void {
    this.#offers = noOffers;
    if (needsLogin(error)) {
      this.#trouble = `log in with \`aca mcp login ${this.name}\``;
      this.#become('login');
    } else {
      this.#trouble = plain((error as Error).message);
      this.#become('failed');
    }
    this.#deps.notice(
      `${notConnected(this.name, this.#phase, this.#trouble)}. Continuing without its tools.`,
    );
  }

  #lost(open: OpenClient): void {
    if (this.#open !== open || this.#closed.signal.aborted) return;
    this.#open = undefined;
    if (performance.now() - this.#readySince > STEADY_MS) this.#tries = 0;
    const words = 'lastWords' in open.transport ? String(open.transport.lastWords) : '';
    this.#note(`exited unexpectedly${words === '' ? '' : `: ${words}`}`);
    if (this.#tries >= MAX_TRIES) {
      this.#fail(new Error(`it keeps exiting${words && `: ${words}`}`));
      return;
    }
    this.#become('connecting');
    this.#connecting ??= this.#pause()
      .then(async (shouldConnect) => {
        if (shouldConnect) await this.#connect();
      })
      .finally(() => {
        this.#connecting = undefined;
      });
  }

  /** Over HTTP a server's end is noticed only with the next request. */
  #consider(error: unknown, client: Client): void {
    const open = this.#open;
    if (!open || open.client !== client || this.settings.url === undefined) return;
    const isGone = isLostSession(error) || (error instanceof TypeError && /fetch failed/.test(error.message));
    if (needsLogin(error)) {
      this.#open = undefined;
      void open.transport.close();
      this.#fail(error);
    } else if (isGone) {
      void open.transport.close();
      this.#lost(open);
    }
  }

  /** Concurrent changes are merged into one. */
  #refresh(): void {
    this.#stale = true;
    this.#refreshing ??= this.#refreshNow().finally(() => {
      this.#refreshing = undefined;
    });
  }

  async #refreshNow(): Promise<void> {
    while (this.#stale && this.#open) {
      await sleep(REFRESH_MS, undefined, { ref: false });
      this.#stale = false;
      const open = this.#open;
      if (!open || this.#phase !== 'ready') return;
      try {
        const offers = await listOffers(open.client, { timeout: START_MS, wanted: this.settings });
        if (this.#open !== open) return;
        this.#offers = offers;
        this.#deps.onChange();
      } catch (error) {
        this.#note(`error: could not refresh its lists: ${(error as Error).message}`);
      }
    }
  }

  /** Only during a call: a question outside of one has no user to answer it. */
  async #elicit(form: ElicitRequestFormParams): Promise<ElicitResult> {
    const call = [...this.#calls].at(-1);
    if (!call) return { action: 'cancel' };
    const { ask, silence } = call;
    return silence.pause(elicit(this.name, form, { ask, signal: silence.signal }));
  }

  #note(line: string): void {
    this.#log = [...this.#log, plain(line).slice(0, 1000)].slice(-MAX_LOG);
  }

  #become(phase: Phase): void {
    if (this.#closed.signal.aborted) return;
    this.#phase = phase;
    this.#deps.onChange();
  }
}

/** Over HTTP the server keeps the session until it is deleted; an unresponsive one is not waited for. */
async function endSession({ transport }: OpenClient): Promise<void> {
  if (!('terminateSession' in transport) || typeof transport.terminateSession !== 'function') return;
  const ended = Promise.resolve(transport.terminateSession()).catch(() => undefined);
  await Promise.race([ended, sleep(END_SESSION_MS)]);
}

export function notConnected(name: string, phase: Phase, trouble: string): string {
  const why =
    phase === 'connecting' ? 'it is still starting' : phase === 'off' ? 'it is turned off' : trouble;
  return `MCP server ${name} not connected${why === '' ? '' : `: ${why}`}`;
}
