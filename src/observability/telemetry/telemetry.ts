import type { AgentEvent } from '../../contract/event.ts';
import type { Watcher } from '../watcher.ts';
import { EventMetrics, type Lookups, type Observation } from './metrics.ts';
import type { OtelSettings } from './otel-settings.ts';
import type { Otlp } from './otlp.ts';
import type { Prometheus } from './prometheus.ts';
import { type FinishedSpan, SpanFold } from './spans.ts';

export type TelemetryOptions = {
  version: string;
  /** Null: nothing is sent. */
  otel: OtelSettings | null;
  /** Null: nothing is served. */
  prometheus: Prometheus | null;
  /** How long an unresponsive collector may delay the exit. */
  farewellMs: number;
};

/**
 * After any of these the first request has been sent: loading the libraries delays nothing the user waits
 * for.
 */
const UNDER_WAY = new Set<AgentEvent['type']>(['text', 'thinking', 'call_start', 'model_call', 'tool_start']);

/** The metrics and traces of a process, over all its sessions. */
export class Telemetry {
  readonly #options: TelemetryOptions;
  readonly #lookups: Lookups = { hits: 0, misses: 0 };
  readonly #spans = new SpanFold();
  /** Buffered until the libraries are loaded. */
  readonly #early: { observations: Observation[]; spans: FinishedSpan[] } = { observations: [], spans: [] };
  #otlp: Otlp | undefined;
  #loading: Promise<Otlp> | undefined;
  #warn: (text: string) => void = () => undefined;
  #warned = false;

  constructor(options: TelemetryOptions) {
    this.#options = options;
  }

  /** Watches another session. From now on failures are reported there, and only the first one. */
  join({ warn }: { warn(text: string): void }): Watcher {
    this.#warn = warn;
    const { otel } = this.#options;
    const metrics = new EventMetrics(this.#lookups);
    return (event, { ids, hide }) => {
      const capture = otel?.captureContent ? hide : null;
      this.#record(metrics.take(event));
      if (otel?.traces) this.#finish(this.#spans.take(event, { ids, atMs: Date.now(), capture }));
      if (otel && UNDER_WAY.has(event.type)) void this.#load();
    };
  }

  /** An operation outside of sessions. */
  report(span: FinishedSpan): void {
    if (this.#options.otel?.traces) this.#finish([span]);
  }

  /** Sends what is pending, within the time limit. */
  async close(): Promise<void> {
    this.#finish(this.#spans.close(Date.now()));
    await Promise.all([this.#options.prometheus?.close(), this.#sendRest()]);
  }

  async #sendRest(): Promise<void> {
    const { observations, spans } = this.#early;
    if (!this.#loading && observations.length + spans.length === 0) return;
    const otlp = await this.#load();
    const sent = otlp?.close().then(
      () => true,
      () => true,
    );
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, this.#options.farewellMs, false);
    });
    const isOver = await Promise.race([sent, late]);
    clearTimeout(timer);
    const { traces, metrics } = this.#options.otel ?? {};
    if (!isOver) this.#trouble((traces ?? metrics)?.url ?? '', 'timed out');
  }

  #record(observations: Observation[]): void {
    if (observations.length === 0) return;
    this.#options.prometheus?.record(observations);
    if (this.#otlp) this.#otlp.record(observations);
    else if (this.#options.otel) this.#early.observations.push(...observations);
  }

  #finish(spans: FinishedSpan[]): void {
    if (this.#otlp) this.#otlp.finish(spans);
    else if (this.#options.otel) this.#early.spans.push(...spans);
  }

  async #load(): Promise<Otlp | undefined> {
    const { otel, version } = this.#options;
    if (!otel) return undefined;
    const onTrouble = (url: string, because: string) => this.#trouble(url, because);
    this.#loading ??= import('./otlp.ts').then(({ openOtlp }) => openOtlp(otel, { version, onTrouble }));
    const otlp = await this.#loading;
    if (!this.#otlp) {
      this.#otlp = otlp;
      otlp.record(this.#early.observations.splice(0));
      otlp.finish(this.#early.spans.splice(0));
    }
    return otlp;
  }

  #trouble(url: string, because: string): void {
    if (this.#warned) return;
    this.#warned = true;
    this.#warn(
      `Could not send telemetry to ${url} (${because}). Is the collector running? Everything else still works.`,
    );
  }
}
