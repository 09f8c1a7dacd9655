type Env = Readonly<Record<string, string | undefined>>;

type Signal = 'traces' | 'metrics';

export type OtlpEndpoint = {
  url: string;
  protocol: 'http/json' | 'http/protobuf';
  headers: Record<string, string>;
  timeoutMs: number;
};

/** Destination and protocol; a null signal is not sent. `warnings` explains surprising cases. */
export type OtelSettings = {
  traces: OtlpEndpoint | null;
  metrics: OtlpEndpoint | null;
  resource: Record<string, string>;
  metricIntervalMs: number;
  captureContent: boolean;
  warnings: string[];
};

const SERVICE_NAME = 'ai-code-assistant';
const DEFAULT_ENDPOINT = 'http://localhost:4318';
const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_INTERVAL_MS = 60_000;

/** From OpenTelemetry's own variables and defaults. Empty variables count as unset. */
export function otelSettings(
  env: Env,
  { version, offline }: { version: string; offline: boolean },
): OtelSettings {
  const warnings: string[] = [];
  const resource = {
    'service.name': SERVICE_NAME,
    'service.version': version,
    ...pairs(env.OTEL_RESOURCE_ATTRIBUTES),
    ...(env.OTEL_SERVICE_NAME && { 'service.name': env.OTEL_SERVICE_NAME }),
  };
  const endpoint = (signal: Signal) =>
    isTrue(env.OTEL_SDK_DISABLED) ? null : endpointOf(signal, { env, offline, warnings });
  return {
    traces: endpoint('traces'),
    metrics: endpoint('metrics'),
    resource,
    metricIntervalMs: milliseconds(env.OTEL_METRIC_EXPORT_INTERVAL) ?? DEFAULT_INTERVAL_MS,
    captureContent: isTrue(env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT),
    // Both signals may have the same problem.
    warnings: [...new Set(warnings)],
  };
}

function endpointOf(
  signal: Signal,
  { env, offline, warnings }: { env: Env; offline: boolean; warnings: string[] },
): OtlpEndpoint | null {
  const upper = signal.toUpperCase();
  const exporter = env[`OTEL_${upper}_EXPORTER`] || 'otlp';
  if (exporter === 'none') return null;
  if (exporter !== 'otlp') {
    warnings.push(
      `OTEL_${upper}_EXPORTER=${exporter} is not supported, so no ${signal} are sent. Use otlp or none.`,
    );
    return null;
  }
  const setting = (name: string) =>
    env[`OTEL_EXPORTER_OTLP_${upper}_${name}`] || env[`OTEL_EXPORTER_OTLP_${name}`];
  const protocol = setting('PROTOCOL') || 'http/protobuf';
  if (protocol !== 'http/json' && protocol !== 'http/protobuf') {
    warnings.push(
      `OTLP over ${protocol} is not supported, so no ${signal} are sent. Set OTEL_EXPORTER_OTLP_PROTOCOL to http/protobuf or http/json.`,
    );
    return null;
  }
  const url =
    env[`OTEL_EXPORTER_OTLP_${upper}_ENDPOINT`] ||
    `${(env.OTEL_EXPORTER_OTLP_ENDPOINT || DEFAULT_ENDPOINT).replace(/\/+$/, '')}/v1/${signal}`;
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    warnings.push(`${url} is not a valid URL for ${signal}. Correct OTEL_EXPORTER_OTLP_ENDPOINT.`);
    return null;
  }
  if (offline && !isLoopback(url)) {
    warnings.push(`Offline: ${new URL(url).host} is not on this machine, so nothing is sent there.`);
    return null;
  }
  return {
    url,
    protocol,
    headers: pairs(setting('HEADERS')),
    timeoutMs: milliseconds(setting('TIMEOUT')) ?? DEFAULT_TIMEOUT_MS,
  };
}

function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i.test(hostname);
}

function isTrue(text: string | undefined): boolean {
  return text?.trim().toLowerCase() === 'true';
}

function milliseconds(text: string | undefined): number | null {
  const value = Number(text);
  return text && Number.isInteger(value) && value > 0 ? value : null;
}

/** `key=value,key=value`, percent-encoded. Skips anything else. */
function pairs(text = ''): Record<string, string> {
  return Object.fromEntries(
    text.split(',').flatMap((pair): [string, string][] => {
      const at = pair.indexOf('=');
      const key = pair.slice(0, at).trim();
      return at < 1 || key === '' ? [] : [[decode(key), decode(pair.slice(at + 1).trim())]];
    }),
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}
