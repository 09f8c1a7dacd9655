import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Step } from '../model-server/script.ts';
import { type ModelServer, startModelServer } from '../model-server/server.ts';
import { chunk } from './event-stream.ts';
import { type AwsKeys, signatureFault } from './signature.ts';

export const AWS_KEYS: AwsKeys = {
  accessKeyId: 'AKIDTESTTESTTESTTEST',
  secretAccessKey: 'secret-of-aws-0123456789abcdefghij',
};
export const REGION = 'eu-west-3';
export const PROJECT = 'my-project';
export const TOKEN = 'token-of-a-cloud-0123456789';

export type CloudFailure = { status: number; type?: string; body: object; headers?: Record<string, string> };

export type CloudServer = {
  url: string;
  /** The vendors' server behind the cloud: what it saw and refused. */
  models: ModelServer;
  /** Paths of all requests, queries included. */
  paths: string[];
  bodies: Record<string, unknown>[];
  close(): Promise<void>;
};

export type CloudServerOptions = {
  keys?: AwsKeys;
  /** Answers instead of the models, in order. */
  failures?: readonly CloudFailure[];
  /** Answers a request about anything but models. */
  other?(request: IncomingMessage, body: string): object | string | null;
};

/**
 * Amazon Bedrock, Vertex AI and Azure OpenAI in front of a scripted model server: checks addresses, bodies and
 * credentials, and passes on the requests as the models' own vendors take them.
 */
export async function startCloudServer(
  script: readonly Step[],
  options: CloudServerOptions = {},
): Promise<CloudServer> {
  const models = await startModelServer(script);
  const failures = [...(options.failures ?? [])];
  const paths: string[] = [];
  const bodies: Record<string, unknown>[] = [];

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await textOf(request);
    const path = request.url ?? '';
    const route = routeOf(path);
    if (!route) {
      const answer = options.other?.(request, text) ?? null;
      if (answer === null)
        return reply(response, { status: 404, body: { message: `No such path: ${path}` } });
      response.writeHead(200, {
        'content-type': typeof answer === 'string' ? 'text/xml' : 'application/json',
        'metadata-flavor': 'Google',
      });
      response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
      return;
    }
    paths.push(path);
    const body: Record<string, unknown> = JSON.parse(text);
    bodies.push(body);
    const failure = failures.shift();
    if (failure) return reply(response, failure);
    const fault = route.fault(request, text, { keys: AWS_KEYS, ...options });
    if (fault) return reply(response, fault);
    await pass(route, body, { models, response });
  }
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      models.refusals.push(`the cloud failed: ${String(error)}`);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    models,
    paths,
    bodies,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await models.close();
    },
  };
}

type Route = {
  /** Where the vendor itself takes this request. */
  target: string;
  headers?: Record<string, string>;
  toVendor(body: Record<string, unknown>): Record<string, unknown>;
  framed?: true;
  fault(request: IncomingMessage, body: string, options: { keys: AwsKeys }): CloudFailure | null;
};

const ANTHROPIC = { 'anthropic-version': '2023-06-01' };

function routeOf(path: string): Route | null {
  const { pathname, searchParams } = new URL(path, 'http://cloud');
  const bedrock = /^\/model\/([^/]+)\/invoke-with-response-stream$/.exec(pathname)?.[1];
  if (bedrock !== undefined) {
    const model = decodeURIComponent(bedrock);
    return {
      target: '/v1/messages',
      headers: ANTHROPIC,
      framed: true,
      fault: awsFault,
      toVendor: ({ anthropic_version, anthropic_beta: _, ...body }) => {
        if (anthropic_version !== 'bedrock-2023-05-31' || 'model' in body || 'stream' in body)
          throw new Error('Malformed input request');
        return { ...body, model, stream: true };
      },
    };
  }
  const place = `/v1/projects/${PROJECT}/locations/[a-z0-9-]+`;
  const vertex = new RegExp(`^${place}/publishers/(anthropic|google)/models/([^/]+):(\\w+)$`).exec(pathname);
  if (vertex?.[1] === 'anthropic' && vertex[3] === 'streamRawPredict') {
    const model = vertex[2];
    return {
      target: '/v1/messages',
      headers: ANTHROPIC,
      fault: bearerFault,
      toVendor: ({ anthropic_version, anthropic_beta: _, ...body }) => {
        if (anthropic_version !== 'vertex-2023-10-16' || 'model' in body)
          throw new Error('Malformed request');
        return { ...body, model };
      },
    };
  }
  if (vertex?.[1] === 'google')
    return {
      target: `/v1beta/models/${vertex[2]}:${vertex[3]}?${searchParams}`,
      fault: bearerFault,
      toVendor: (body) => body,
    };
  const azure = /^\/openai\/(?:deployments\/[^/]+|v1)\/chat\/completions$/.test(pathname);
  if (azure && pathname.startsWith('/openai/v1/') !== searchParams.has('api-version'))
    return { target: '/v1/chat/completions', fault: azureFault, toVendor: (body) => body };
  return null;
}

function awsFault(request: IncomingMessage, body: string, { keys }: { keys: AwsKeys }): CloudFailure | null {
  if (request.headers.authorization === `Bearer ${TOKEN}`) return null;
  const fault = signatureFault(request, body, { keys, region: REGION });
  return fault && { status: 403, type: fault.type, body: { message: fault.message } };
}

function bearerFault({ headers }: IncomingMessage): CloudFailure | null {
  if (headers.authorization === `Bearer ${TOKEN}`) return null;
  const message = 'Request had invalid authentication credentials.';
  return { status: 401, body: { error: { code: 401, message, status: 'UNAUTHENTICATED' } } };
}

function azureFault(request: IncomingMessage): CloudFailure | null {
  if (request.headers['api-key'] === TOKEN || bearerFault(request) === null) return null;
  const message = 'Access denied due to invalid subscription key or wrong API endpoint.';
  return { status: 401, body: { error: { code: '401', message } } };
}

async function pass(
  route: Route,
  body: Record<string, unknown>,
  { models, response }: { models: ModelServer; response: ServerResponse },
): Promise<void> {
  const answer = await fetch(`${models.url}${route.target}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: 'Bearer inside',
      ...route.headers,
      ...(Array.isArray(body.anthropic_beta) && { 'anthropic-beta': body.anthropic_beta.join(',') }),
    },
    body: JSON.stringify(route.toVendor(body)),
  });
  if (!answer.body || !answer.ok || !route.framed) {
    const type = answer.headers.get('content-type') ?? 'application/json';
    response.writeHead(answer.status, { 'content-type': type });
    for await (const bytes of answer.body ?? []) response.write(bytes);
    response.end();
    return;
  }
  response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
  let pending = '';
  const decoder = new TextDecoder();
  for await (const bytes of answer.body) {
    pending += decoder.decode(bytes, { stream: true });
    const events = pending.split('\n\n');
    pending = events.pop() ?? '';
    for (const one of events) {
      const data = /^data: (.*)$/m.exec(one)?.[1];
      if (data !== undefined && !data.includes('"type":"ping"')) response.write(chunk(data));
    }
  }
  response.end();
}

function reply(response: ServerResponse, { status, type, body, headers = {} }: CloudFailure): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(type !== undefined && { 'x-amzn-errortype': `${type}:http://internal.amazon.com/` }),
    ...headers,
  });
  response.end(JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const bytes of request) chunks.push(bytes);
  return Buffer.concat(chunks).toString();
}
