import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { UserError } from '../../contract/errors.ts';
import { type MetricDefinition, metricDefinitions } from './metric-definitions.ts';

type Measured = { metric: string; value: number; labels: Readonly<{ [name: string]: string }> };

export type Prometheus = {
  url: string;
  record(observations: readonly Measured[]): void;
  close(): Promise<void>;
};

type Record = (value: number, labels: Measured['labels']) => void;

const LOOPBACK = '127.0.0.1';
const HEALTH = '/health';
const OWN_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

export type PrometheusOptions = {
  /** Without it, only this machine is served. */
  host?: string;
  definitions?: readonly MetricDefinition[];
  /** Called before the metrics are served. */
  refresh?(): Promise<void>;
};

/**
 * Serves the metrics to a Prometheus on this machine; rejects requests with another host name, e.g. from web
 * pages, unless it serves others on purpose.
 */
export async function servePrometheus(port: number, options: PrometheusOptions = {}): Promise<Prometheus> {
  const { host, definitions = metricDefinitions, refresh } = options;
  const registry = new Registry();
  const record = new Map<string, Record>(definitions.map((definition) => recorder(definition, registry)));
  const textOf = async () => {
    await refresh?.();
    return registry.metrics();
  };
  const server = createServer((request, response) => {
    const refusal = refusalOf(request, { isPublic: host !== undefined });
    if (refusal) {
      response.writeHead(refusal.status).end(`${refusal.because}\n`);
      return;
    }
    // Whether it runs, without any other server.
    if (request.url === HEALTH) {
      response.writeHead(200).end('ok\n');
      return;
    }
    textOf().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      (error: Error) => response.writeHead(500).end(`${error.message}\n`),
    );
  });
  await listen(server, port, host ?? LOOPBACK);
  // The server must not keep a finished program running.
  server.unref();
  return {
    url: `http://${host ?? LOOPBACK}:${(server.address() as AddressInfo).port}/metrics`,
    record(observations) {
      for (const { metric, value, labels } of observations) record.get(metric)?.(value, labels);
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

function recorder(definition: MetricDefinition, registry: Registry): [string, Record] {
  const { name, help, labels: labelNames } = definition;
  const settings = { name, help, labelNames, registers: [registry] };
  switch (definition.type) {
    case 'counter': {
      const { alias } = definition;
      const names = [name, ...(alias === undefined ? [] : [alias])];
      const counters = names.map((each) => new Counter({ ...settings, name: each }));
      return [
        name,
        (value, labels) => {
          for (const counter of counters) counter.inc(labels, value);
        },
      ];
    }
    case 'gauge': {
      const gauge = new Gauge(settings);
      // Unknown is not zero: a ratio of zero would trigger an alert.
      if (labelNames.length === 0) gauge.remove();
      return [name, (value, labels) => gauge.set(labels, value)];
    }
    case 'histogram': {
      const histogram = new Histogram({ ...settings, buckets: [...definition.buckets] });
      return [name, (value, labels) => histogram.observe(labels, value)];
    }
    default:
      return definition satisfies never;
  }
}

function refusalOf(
  { method, url, headers }: IncomingMessage,
  { isPublic }: { isPublic: boolean },
): { status: number; because: string } | null {
  if (!isPublic && !OWN_HOST.test(headers.host ?? ''))
    return { status: 403, because: 'Only requests from this machine are accepted.' };
  if (url !== HEALTH && url?.split('?')[0] !== '/metrics')
    return { status: 404, because: 'The metrics are at /metrics.' };
  return method === 'GET' ? null : { status: 405, because: 'Only GET is allowed.' };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const because = error.code === 'EADDRINUSE' ? 'it is already in use' : error.message;
      reject(
        new UserError(
          `Cannot serve metrics on port ${port}: ${because}.`,
          'Use another --metrics-port, or 0 for any free port.',
          { cause: error },
        ),
      );
    });
    server.listen(port, host, resolve);
  });
}
