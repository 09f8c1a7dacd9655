import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { metricsRequest, traceRequest } from './otlp-schema.ts';
import { decode } from './protobuf.ts';

type Values = Record<string, unknown>;

type ReceivedSpan = {
  traceId: string;
  spanId: string;
  parentSpanId: string | null;
  name: string;
  /** 1 internal, 3 client. */
  kind: number;
  attributes: Values;
  isError: boolean;
  milliseconds: number;
};

/** The last value of each point; for a histogram, the count. */
type ReceivedMetric = { name: string; type: string; points: { labels: Values; value: number }[] };

export type OtlpReceiver = {
  url: string;
  requests: { path: string; contentType: string; headers: IncomingHttpHeaders; text: string }[];
  spans: ReceivedSpan[];
  metrics: Map<string, ReceivedMetric>;
  resource: Values;
};

/**
 * A collector: parses what it receives, in protobuf or JSON, and records errors. `silent` accepts and never
 * answers.
 */
export async function startOtlpReceiver({ silent = false } = {}): Promise<OtlpReceiver> {
  const seen: OtlpReceiver = { url: '', requests: [], spans: [], metrics: new Map(), resource: {} };
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const contentType = request.headers['content-type'] ?? '';
      const path = request.url ?? '';
      seen.requests.push({ path, contentType, headers: request.headers, text: body.toString('latin1') });
      if (silent) return;
      try {
        take(seen, path, read(body, path, contentType));
        response.writeHead(200, { 'content-type': contentType }).end();
      } catch (error) {
        response.writeHead(400).end((error as Error).message);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  seen.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return seen;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function read(body: Buffer, path: string, contentType: string): Values {
  if (contentType === 'application/json') return JSON.parse(body.toString('utf8')) as Values;
  if (contentType !== 'application/x-protobuf') throw new Error(`${contentType} is not read here.`);
  return decode(body, path.endsWith('/traces') ? traceRequest : metricsRequest);
}

function take(seen: OtlpReceiver, path: string, request: Values): void {
  if (path === '/v1/traces') {
    for (const { resource, scopeSpans } of list(request.resourceSpans)) {
      seen.resource = attributesOf(resource as Values);
      for (const { spans } of list(scopeSpans)) seen.spans.push(...list(spans).map(spanOf));
    }
  } else if (path === '/v1/metrics') {
    for (const { resource, scopeMetrics } of list(request.resourceMetrics)) {
      seen.resource = attributesOf(resource as Values);
      for (const { metrics } of list(scopeMetrics)) {
        for (const metric of list(metrics).map(metricOf)) seen.metrics.set(metric.name, metric);
      }
    }
  } else throw new Error(`Nothing is taken at ${path}.`);
}

function list(value: unknown): Values[] {
  return (value as Values[] | undefined) ?? [];
}

function spanOf(span: Values): ReceivedSpan {
  const nanos = BigInt(String(span.endTimeUnixNano)) - BigInt(String(span.startTimeUnixNano));
  return {
    traceId: String(span.traceId),
    spanId: String(span.spanId),
    parentSpanId: span.parentSpanId ? String(span.parentSpanId) : null,
    name: String(span.name),
    kind: Number(span.kind),
    attributes: attributesOf(span),
    isError: (span.status as Values | undefined)?.code === 2,
    milliseconds: Number(nanos / 1_000_000n),
  };
}

function metricOf(metric: Values): ReceivedMetric {
  const type = ['gauge', 'sum', 'histogram'].find((kind) => kind in metric) ?? 'unknown';
  const points = list((metric[type] as Values | undefined)?.dataPoints).map((point) => ({
    labels: attributesOf(point),
    value: Number(point.asDouble ?? point.asInt ?? point.count),
  }));
  return { name: String(metric.name), type, points };
}

function attributesOf({ attributes }: Values): Values {
  return Object.fromEntries(list(attributes).map(({ key, value }) => [String(key), plain(value as Values)]));
}

function plain(value: Values): unknown {
  if (value.arrayValue) return list((value.arrayValue as Values).values).map(plain);
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.boolValue ?? value.doubleValue;
}
