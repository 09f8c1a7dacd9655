import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json, lineTo, readJson } from './http.ts';
import { defaults, type ModelServerOptions, type Settled } from './options.ts';
import { play } from './play.ts';
import type { Head, Json, Protocol, Refusal, SeenRequest } from './protocol.ts';
import { likelyProtocol, type Route, routeOf } from './routes.ts';
import type { Reply, Step } from './script.ts';
import type { Degradation } from './vendors/judge.ts';
import { judge } from './vendors/judge.ts';
import type { VendorRequest } from './vendors/rule.ts';
import { SentReplies } from './vendors/sent-replies.ts';

export type { ModelServerOptions } from './options.ts';

export type ModelServer = {
  /** `http://127.0.0.1:PORT`; OpenAI clients append `/v1`. */
  url: string;
  /** Requests to a model, in order of arrival, including refused ones. */
  requests: SeenRequest[];
  /** Requests about the server: model lists, token counts. */
  asides: { method: string; path: string; body: Json }[];
  /** Why requests were refused by the server itself, not by the script. */
  refusals: string[];
  /** What vendors answer worse than they could, without an error. `close` fails if there is any. */
  degradations: Degradation[];
  /** A request arrived after the last step. */
  readonly exhausted: boolean;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** Serves the script over every protocol at once: any model request takes the next step. */
export async function startModelServer(
  script: readonly Step[],
  options: ModelServerOptions = {},
): Promise<ModelServer> {
  const state = new Playing(script, { ...defaults, ...options });
  const server = createServer((request, response) => {
    state.handle(request, response).catch((error: unknown) => {
      if (response.destroyed || response.writableEnded) return;
      // A step that throws is a bug in the test: report it where the test will look.
      state.refusals.push(`the script failed: ${String(error)}`);
      if (!response.headersSent)
        response.writeHead(500, { 'content-type': 'text/plain', 'x-should-retry': 'false' });
      response.end(`the script failed: ${String(error)}`);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const close = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
    const { degradations } = state;
    if (degradations.length > 0 && options.degrades === undefined) {
      const lines = degradations.map(({ vendor, rule, detail }) => `- ${vendor}: ${rule} (${detail})`);
      throw new Error(`Vendors would answer these requests worse than they could:\n${lines.join('\n')}`);
    }
  };
  // A listening TCP server has an address with a port; the string form belongs to pipes.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests: state.requests,
    asides: state.asides,
    refusals: state.refusals,
    degradations: state.degradations,
    get exhausted() {
      return state.exhausted;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The progress of a script. */
class Playing {
  readonly requests: SeenRequest[] = [];
  readonly asides: ModelServer['asides'] = [];
  readonly refusals: string[] = [];
  readonly degradations: Degradation[] = [];
  private readonly sent = new SentReplies();
  exhausted = false;
  private readonly script: readonly Step[];
  private readonly settled: Settled;
  private played = 0;
  private asked = 0;

  constructor(script: readonly Step[], settled: Settled) {
    this.script = script;
    this.settled = settled;
  }

  async handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const receivedAt = performance.now();
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://localhost');
    const method = incoming.method ?? 'GET';
    const head: Head = { headers: incoming.headers, path: pathname, query: searchParams };
    const body = await readJson(incoming);
    const route = routeOf({ method, path: pathname, headers: incoming.headers }, this.settled);

    if (route === undefined || body === undefined) {
      const message =
        route === undefined
          ? `Not found: ${method} ${pathname}`
          : 'We could not parse the JSON body of your request.';
      const protocol = route?.protocol ?? likelyProtocol(pathname, incoming.headers);
      return this.refuse({ status: route === undefined ? 404 : 400, message }, { protocol, response });
    }
    const request: VendorRequest = {
      protocol: route.protocol.name,
      body,
      headers: incoming.headers,
      path: pathname,
      model: route.protocol.view(body, pathname).model,
      counting: route.type === 'aside',
      settled: this.settled,
      sent: this.sent,
    };
    const { refusal, degradations } = judge(route, { head, request });
    this.degradations.push(...degradations);
    if (route.type === 'aside') {
      this.asides.push({ method, path: pathname, body });
      if (refusal) return this.refuse(refusal, { protocol: route.protocol, response });
      return json(response, { status: 200, body: route.answer(body) });
    }
    const seen = this.remember(route, { method, head, body, receivedAt });
    // Assigned on arrival: ids must differ even when requests overlap.
    const seq = this.requests.length;
    const line = lineTo(response, seen);
    if (refusal) {
      seen.refused = refusal.message;
      line.onLast();
      return this.refuse(refusal, { protocol: route.protocol, response });
    }
    const reply = await this.nextReply(seen);
    await play(reply, { seen, seq, protocol: route.protocol, line, request }).catch((error: unknown) => {
      if (!line.left.aborted) throw error;
    });
  }

  private remember(
    route: Route,
    request: Pick<SeenRequest, 'method' | 'body' | 'receivedAt'> & { head: Head },
  ): SeenRequest {
    const { head, ...rest } = request;
    const { protocol } = route;
    const view = protocol.view(rest.body, head.path);
    const seen = {
      ...view,
      protocol: protocol.name,
      path: head.path,
      headers: head.headers,
      ...rest,
      aborted: false,
    };
    this.requests.push(seen);
    return seen;
  }

  private async nextReply(seen: SeenRequest): Promise<Reply> {
    this.asked += 1;
    const step = this.script[this.settled.loop ? this.played % this.script.length : this.played];
    if (step === undefined) {
      this.exhausted = true;
      const message = `the script has ${this.script.length} steps, this is request ${this.asked}`;
      return { type: 'failure', status: 500, words: { message } };
    }
    this.played += 1;
    return typeof step === 'function' ? step(seen) : step;
  }

  private refuse(
    { status, ...words }: Refusal,
    { protocol, response }: { protocol: Protocol; response: ServerResponse },
  ): void {
    this.refusals.push(words.message);
    json(response, { status, body: protocol.error(status, words) });
  }
}
