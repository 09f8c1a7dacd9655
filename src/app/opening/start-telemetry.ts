import { version } from '../../lib/version.ts';
import type { Telemetry } from '../../observability/telemetry/telemetry.ts';
import type { Host } from '../host.ts';
import type { SessionOptions } from '../options.ts';
import type { Settings } from '../settings.ts';

/** For the whole process; `notices` are shown in the first session. */
export type StartedTelemetry = { telemetry: Telemetry; notices: string[] };

/**
 * Loads nothing unless telemetry is enabled. A collector address in the environment alone does not enable it.
 */
export async function startTelemetry(
  { config }: Pick<Settings, 'config'>,
  { metricsPort }: Partial<SessionOptions>,
  { env }: Host,
): Promise<StartedTelemetry | undefined> {
  const { enabled, farewellMs } = config.telemetry;
  if (!enabled && metricsPort === undefined) return undefined;
  const [{ Telemetry }, prometheus, otel] = await Promise.all([
    import('../../observability/telemetry/telemetry.ts'),
    metricsPort === undefined
      ? null
      : import('../../observability/telemetry/prometheus.ts').then(({ servePrometheus }) =>
          servePrometheus(metricsPort),
        ),
    enabled ? import('../../observability/telemetry/otel-settings.ts') : null,
  ]);
  const settings = otel?.otelSettings(env, { version, offline: config.offline }) ?? null;
  const sends = settings !== null && (settings.traces !== null || settings.metrics !== null);
  return {
    telemetry: new Telemetry({ version, prometheus, farewellMs, otel: sends ? settings : null }),
    notices: [
      ...(prometheus ? [`Metrics are served at ${prometheus.url}.`] : []),
      ...(settings?.warnings ?? []),
    ],
  };
}
