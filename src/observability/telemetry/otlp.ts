import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  MeterProvider,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics';
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import { metricDefinitions } from './metric-definitions.ts';
import type { Observation } from './metrics.ts';
import type { OtelSettings, OtlpEndpoint } from './otel-settings.ts';
import { AGENT_NAME, type FinishedSpan } from './spans.ts';
import { type OperationIds, otelSpanId, otelTraceId } from './trace-ids.ts';

export type Otlp = {
  record(observations: readonly Observation[]): void;
  finish(spans: readonly FinishedSpan[]): void;
  /** Sends what is pending. */
  close(): Promise<void>;
};

type OtlpOptions = {
  version: string;
  /** Called on every send failure. */
  onTrouble(url: string, because: string): void;
};

/** Exports metrics and spans to a collector with the official libraries. Registers nothing globally. */
export async function openOtlp(settings: OtelSettings, options: OtlpOptions): Promise<Otlp> {
  const resource = resourceFromAttributes(settings.resource);
  const [traces, metrics] = await Promise.all([
    settings.traces && spanWriter(settings.traces, resource, options),
    settings.metrics && metricWriter(settings.metrics, { resource, settings, ...options }),
  ]);
  return {
    record: (observations) => metrics?.record(observations),
    finish: (spans) => traces?.finish(spans),
    close: async () => void (await Promise.all([traces?.close(), metrics?.close()])),
  };
}

type Resource = ReturnType<typeof resourceFromAttributes>;

async function spanWriter(
  endpoint: OtlpEndpoint,
  resource: Resource,
  { version, onTrouble }: OtlpOptions,
): Promise<Pick<Otlp, 'finish' | 'close'>> {
  const { OTLPTraceExporter } =
    endpoint.protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  const exporter: SpanExporter = new OTLPTraceExporter(exporterOptions(endpoint));
  reportTrouble(exporter, (because) => onTrouble(endpoint.url, because));
  // Ids come with the events: logs refer to the same operations by them.
  let next: OperationIds = { traceId: '', spanId: '', parentId: null };
  const provider = new BasicTracerProvider({
    resource,
    sampler: new AlwaysOnSampler(),
    idGenerator: {
      generateTraceId: () => otelTraceId(next.traceId),
      generateSpanId: () => otelSpanId(next.spanId),
    },
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer(AGENT_NAME, version);
  return {
    finish(spans) {
      for (const { ids, name, kind, startMs, endMs, attributes, error } of spans) {
        next = ids;
        const span = tracer.startSpan(
          name,
          { kind: kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL, startTime: startMs, attributes },
          parentOf(ids),
        );
        if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end(endMs);
      }
    },
    close: () => provider.shutdown(),
  };
}

function parentOf({ traceId, parentId }: OperationIds) {
  if (parentId === null) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId: otelTraceId(traceId),
    spanId: otelSpanId(parentId),
    traceFlags: TraceFlags.SAMPLED,
  });
}

async function metricWriter(
  endpoint: OtlpEndpoint,
  { resource, settings, version, onTrouble }: { resource: Resource; settings: OtelSettings } & OtlpOptions,
): Promise<Pick<Otlp, 'record' | 'close'>> {
  const { OTLPMetricExporter } =
    endpoint.protocol === 'http/json'
      ? await import('@opentelemetry/exporter-metrics-otlp-http')
      : await import('@opentelemetry/exporter-metrics-otlp-proto');
  const exporter: PushMetricExporter = new OTLPMetricExporter(exporterOptions(endpoint));
  reportTrouble(exporter, (because) => onTrouble(endpoint.url, because));
  const { metricIntervalMs } = settings;
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: metricIntervalMs,
    exportTimeoutMillis: Math.min(endpoint.timeoutMs, metricIntervalMs),
  });
  const provider = new MeterProvider({ resource, readers: [reader] });
  const meter = provider.getMeter(AGENT_NAME, version);
  const record = new Map<string, (value: number, labels: Observation['labels']) => void>(
    metricDefinitions.map((definition) => {
      const { name, help: description } = definition;
      switch (definition.type) {
        case 'counter': {
          const counter = meter.createCounter(name, { description });
          return [name, (value, labels) => counter.add(value, labels)];
        }
        case 'gauge': {
          const gauge = meter.createGauge(name, { description });
          return [name, (value, labels) => gauge.record(value, labels)];
        }
        case 'histogram': {
          const { unit, buckets } = definition;
          const advice = { explicitBucketBoundaries: [...buckets] };
          const histogram = meter.createHistogram(name, { description, unit, advice });
          return [name, (value, labels) => histogram.record(value, labels)];
        }
        default:
          return definition satisfies never;
      }
    }),
  );
  return {
    record(observations) {
      for (const { metric, value, labels } of observations) record.get(metric)?.(value, labels);
    },
    close: () => provider.shutdown(),
  };
}

function exporterOptions({ url, headers, timeoutMs }: OtlpEndpoint) {
  return { url, headers, timeoutMillis: timeoutMs };
}

/** The libraries report failures only to a process-wide logger. */
function reportTrouble<Items>(
  exporter: { export(items: Items, done: (result: { code: number; error?: Error }) => void): void },
  onTrouble: (because: string) => void,
): void {
  const send = exporter.export.bind(exporter);
  exporter.export = (items, done) =>
    send(items, (result) => {
      if (result.code !== 0) onTrouble(result.error?.message ?? 'no reason was given');
      done(result);
    });
}
