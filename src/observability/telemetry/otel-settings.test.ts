import { describe, expect, test } from 'vitest';
import { otelSettings } from './otel-settings.ts';

const here = { version: '1.2', offline: false };
const endpoint = { protocol: 'http/protobuf', headers: {}, timeoutMs: 10_000 };

test('nothing set: the defaults of OpenTelemetry', () => {
  expect(otelSettings({}, here)).toEqual({
    traces: { ...endpoint, url: 'http://localhost:4318/v1/traces' },
    metrics: { ...endpoint, url: 'http://localhost:4318/v1/metrics' },
    resource: { 'service.name': 'ai-code-assistant', 'service.version': '1.2' },
    metricIntervalMs: 60_000,
    captureContent: false,
    warnings: [],
  });
});

test('everything set; signal-specific variables take precedence', () => {
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example/otel/',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example/exactly/here',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'http/protobuf',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc, x-a = 1 ,broken,=none',
    OTEL_EXPORTER_OTLP_TIMEOUT: '500',
    OTEL_SERVICE_NAME: 'mine',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,team=a%2Cb,odd=%zz',
    OTEL_METRIC_EXPORT_INTERVAL: '2000',
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'TRUE',
  };
  const headers = { authorization: 'Bearer abc', 'x-a': '1' };
  expect(otelSettings(env, here)).toEqual({
    traces: { url: 'https://traces.example/exactly/here', protocol: 'http/json', headers, timeoutMs: 500 },
    metrics: {
      url: 'https://collector.example/otel/v1/metrics',
      protocol: 'http/protobuf',
      headers,
      timeoutMs: 500,
    },
    resource: { 'service.name': 'mine', 'service.version': '1.2', team: 'a,b', odd: '%zz' },
    metricIntervalMs: 2000,
    captureContent: true,
    warnings: [],
  });
});

describe('what is not sent, and why', () => {
  const silent = (env: Record<string, string>, offline = false) => {
    const { traces, metrics, warnings } = otelSettings(env, { ...here, offline });
    return { sends: [traces?.url, metrics?.url].filter(Boolean), warnings };
  };

  test('signals that the user disabled cause no warning', () => {
    expect(silent({ OTEL_SDK_DISABLED: 'true' })).toEqual({ sends: [], warnings: [] });
    expect(silent({ OTEL_TRACES_EXPORTER: 'none' })).toEqual({
      sends: ['http://localhost:4318/v1/metrics'],
      warnings: [],
    });
  });

  test.each([
    [{ OTEL_METRICS_EXPORTER: 'console', OTEL_TRACES_EXPORTER: 'none' }, /console is not supported/],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /OTLP over grpc is not supported/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, /is not a valid URL/],
  ])('%o is reported', (env, words) => {
    const { sends, warnings } = silent(env);
    expect(sends).toEqual([]);
    expect(warnings[0]).toMatch(words);
  });

  test.each([
    'http://collector.example:4318',
    'http://10.0.0.1:4318',
    'http://localhost.example',
    'http://127.0.0.1.nip.io',
  ])('offline, %s is not contacted, with one warning', (url) => {
    const { sends, warnings } = silent({ OTEL_EXPORTER_OTLP_ENDPOINT: url }, true);
    expect(sends).toEqual([]);
    expect(warnings).toEqual([
      `Offline: ${new URL(url).host} is not on this machine, so nothing is sent there.`,
    ]);
  });

  test.each(['http://localhost:4318', 'http://127.0.0.1:4318', 'http://[::1]:4318'])(
    'offline, %s counts as this machine',
    (url) => {
      expect(silent({ OTEL_EXPORTER_OTLP_ENDPOINT: url }, true)).toEqual({
        sends: [`${url}/v1/traces`, `${url}/v1/metrics`],
        warnings: [],
      });
    },
  );
});
