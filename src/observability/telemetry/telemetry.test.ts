import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { startOtlpReceiver } from '../../../test/support/otlp-receiver.ts';
import type { AgentEvent } from '../../contract/event.ts';
import type { Watcher } from '../watcher.ts';
import { otelSettings } from './otel-settings.ts';
import { servePrometheus } from './prometheus.ts';
import { Telemetry } from './telemetry.ts';
import { TraceIds } from './trace-ids.ts';

const begins = (sessionId: string): AgentEvent => ({
  type: 'run_start',
  sessionId,
  provider: 'p',
  model: 'm',
  cwd: '/',
  messages: 0,
});
const answered = (): AgentEvent => ({
  type: 'model_call',
  provider: 'p',
  model: 'm',
  purpose: 'main',
  durationMs: 1,
  contextWindow: 1000,
  stop: 'end',
});
const ends = (): AgentEvent => ({ type: 'end', reason: 'done', turns: 1 });

function sending(url: string, env: Record<string, string> = {}) {
  return otelSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: url, ...env }, { version: '1', offline: false });
}

/** Plays events to a watcher as one session. */
function play(watcher: Watcher, events: readonly AgentEvent[]): void {
  const ids = new TraceIds();
  for (const event of events) watcher(event, { ids: ids.of(event), hide: (value) => value });
}

test('a server of metrics says that it runs, although its metrics are late', async () => {
  const prometheus = await servePrometheus(0, { refresh: () => new Promise(() => undefined) });
  onTestFinished(() => prometheus.close());
  const answer = await fetch(new URL('/health', prometheus.url));
  expect([answer.status, await answer.text()]).toEqual([200, 'ok\n']);
});

describe('the metrics and traces of a process', () => {
  test('cover all its sessions, with one trace per run', async () => {
    const collector = await startOtlpReceiver();
    const prometheus = await servePrometheus(0);
    const telemetry = new Telemetry({
      version: '1',
      otel: sending(collector.url),
      prometheus,
      farewellMs: 20_000,
    });
    const warnings: string[] = [];
    for (const session of ['a', 'b']) {
      const watcher = telemetry.join({ warn: (text) => warnings.push(text) });
      play(watcher, [begins(session), answered(), ends()]);
    }
    const scraped = await (await fetch(prometheus.url)).text();
    await telemetry.close();

    expect(scraped).toContain('llm_api_calls_total{provider="p",model="m"} 2');
    expect(collector.metrics.get('llm_api_calls')?.points).toEqual([
      { labels: { provider: 'p', model: 'm' }, value: 2 },
    ]);
    const sessions = new Map(
      collector.spans.map(({ traceId, attributes }) => [traceId, attributes['gen_ai.conversation.id']]),
    );
    expect([...sessions.values()].sort()).toEqual(['a', 'b']);
    expect(warnings).toEqual([]);
  });

  test('a long run reports while it is running', async () => {
    const collector = await startOtlpReceiver();
    const otel = sending(collector.url, { OTEL_METRIC_EXPORT_INTERVAL: '20', OTEL_TRACES_EXPORTER: 'none' });
    const telemetry = new Telemetry({ version: '1', otel, prometheus: null, farewellMs: 20_000 });
    play(telemetry.join({ warn: () => undefined }), [begins('a'), answered()]);

    await vi.waitFor(() => expect(collector.metrics.has('llm_api_calls')).toBe(true), 20_000);
    expect(collector.spans).toEqual([]);
    await telemetry.close();
  });

  test('an idle process sends nothing', async () => {
    const collector = await startOtlpReceiver();
    const telemetry = new Telemetry({
      version: '1',
      otel: sending(collector.url),
      prometheus: null,
      farewellMs: 20_000,
    });
    telemetry.join({ warn: () => undefined });
    await telemetry.close();
    expect(collector.requests).toEqual([]);
  });

  test('a collector that rejects everything is reported once', async () => {
    const collector = await startOtlpReceiver();
    const wrong = sending(`${collector.url}/elsewhere`);
    const telemetry = new Telemetry({ version: '1', otel: wrong, prometheus: null, farewellMs: 20_000 });
    const warnings: string[] = [];
    play(telemetry.join({ warn: (text) => warnings.push(text) }), [begins('a'), answered(), ends()]);
    await telemetry.close();
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(
      /^Could not send telemetry to http:.*\/elsewhere\/v1\/(traces|metrics) \(Bad/,
    );
  });
});
