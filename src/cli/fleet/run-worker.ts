import { availableParallelism } from 'node:os';
import { queueVariable, redisVariables } from '../../config/environment.ts';
import type { AttemptEnd } from '../../fleet/queue/attempt.ts';
import { withoutPassword } from '../../fleet/queue/fleet.ts';
import { type FleetMetrics, serveFleetMetrics } from '../../fleet/queue/metrics.ts';
import { FleetWorker, type WorkerEvent } from '../../fleet/queue/worker.ts';
import { runTask } from '../../fleet/run-task.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { programOf } from '../../frontends/shared/this-program.ts';
import { dataRoot, resolvePath } from '../../lib/files/data-root.ts';
import { counted } from '../../lib/text/counted.ts';
import { elapsed } from '../../lib/text/elapsed.ts';
import { visible } from '../../lib/text/printable.ts';
import { createProcessKeeper } from '../../sandbox/shell/process-keeper.ts';
import { connect } from './connect.ts';

export type WorkerFlags = {
  queue?: string;
  concurrency?: number;
  labels: string[];
  grace?: number;
  lease: number;
  trees?: string;
  metricsPort?: number;
  metricsHost?: string;
};

export async function runWorker(flags: WorkerFlags, terminal: Terminal): Promise<void> {
  const { env, stderr } = terminal;
  const {
    concurrency = Math.min(4, availableParallelism()),
    labels,
    lease,
    metricsPort,
    metricsHost,
  } = flags;
  const say = (text: string) => stderr.write(`${new Date().toISOString()} ${text}\n`);
  const fleet = await connect(flags.queue, terminal, say);
  const keeper = createProcessKeeper({ path: env.PATH });
  const trees = flags.trees === undefined ? undefined : resolvePath(flags.trees, terminal.cwd, env);
  let metrics: FleetMetrics | undefined;
  const { drain, leaving } = leavingSignals(flags, terminal);
  try {
    if (metricsPort !== undefined) {
      metrics = await serveFleetMetrics(fleet, {
        port: metricsPort,
        leaseMs: lease * 1000,
        ...(metricsHost !== undefined && { host: metricsHost }),
      });
      say(`Metrics are served at ${metrics.url}.`);
    }
    const worker = new FleetWorker({
      fleet,
      labels,
      concurrency,
      dataRoot: dataRoot(env),
      place: {
        program: programOf(terminal),
        keeper,
        env: childEnvironment(env),
        ...(trees !== undefined && { trees }),
      },
      run: runTask,
      leaseMs: lease * 1000,
      drain,
      leaving,
      onEvent(event) {
        metrics?.take(event);
        say(wordsOf(event));
      },
    });
    say(
      `Worker ${worker.id} takes tasks from ${withoutPassword(fleet.url)}, ${concurrency} at a time${labels.length === 0 ? '' : `, labels ${labels.join(', ')}`}.`,
    );
    await worker.run();
    say('Stopped.');
  } finally {
    await metrics?.close();
    await keeper.close();
    await fleet.close();
  }
}

/** The first signal ends taking tasks; the second one, or the end of the grace period, hands running ones back. */
function leavingSignals({ grace }: WorkerFlags, { onSignal }: Terminal) {
  const drain = new AbortController();
  const leaving = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    onSignal(name, () => {
      if (drain.signal.aborted) return leaving.abort(new Error(name));
      drain.abort(new Error(name));
      if (grace !== undefined)
        setTimeout(() => leaving.abort(new Error('grace period')), grace * 1000).unref();
    });
  return { drain: drain.signal, leaving: leaving.signal };
}

/** Tasks need neither the queue nor its key, and trust nothing of the repositories they check out. */
function childEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const [urlName, keyName] = redisVariables;
  const { [queueVariable]: _queue, [keyName]: key, ...rest } = env;
  return { ...rest, ...(env[urlName] && { [keyName]: key }), AI_ASSISTANT_TRUST: '0' };
}

function endWords(end: AttemptEnd): string {
  switch (end.type) {
    case 'finished':
    case 'dead letter': {
      const { status, reason } = end.result;
      return `${end.type}, ${status}${reason ? `: ${reason}` : ''}`;
    }
    case 'again':
      return `failed, and will run again: ${end.reason}`;
    case 'taken over':
      return 'taken over: its lease ended';
    case 'handed back':
      return end.type;
    case 'skipped':
      return `skipped: ${end.reason}`;
    default:
      return end satisfies never;
  }
}

function wordsOf(event: WorkerEvent): string {
  switch (event.type) {
    case 'started':
      return `${event.task} started after waiting ${elapsed(event.waitMs)}`;
    case 'ended':
      return `${event.task} ${endWords(event.end)} (${elapsed(event.ms)})`;
    case 'draining':
      return `Draining: no more tasks are taken; ${counted(event.running, 'task')} still running.`;
    case 'paused':
      return `Paused for ${elapsed(event.ms)}, because the last tasks all failed: ${visible(event.reason)}`;
    case 'trouble':
      return `Warning: ${event.text}`;
    default:
      return event satisfies never;
  }
}
