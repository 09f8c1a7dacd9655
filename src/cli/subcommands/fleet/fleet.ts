import { Command } from 'commander';
import { UserError } from '../../../contract/errors.ts';
import type { FleetStatus, GivenUp } from '../../../fleet/queue/control.ts';
import type { Fleet } from '../../../fleet/queue/fleet.ts';
import type { Terminal } from '../../../frontends/shared/terminal.ts';
import { ago } from '../../../lib/text/ago.ts';
import { counted } from '../../../lib/text/counted.ts';
import { visible } from '../../../lib/text/printable.ts';
import { connect, QUEUE_FLAG } from '../../fleet/connect.ts';
import { table, withContext } from '../context.ts';

type Flags = { queue?: string; json?: boolean; remove?: boolean };

/** `aca fleet`: looks after batches that run on many machines. */
export function fleetCommand(terminal: Terminal): Command {
  const { stdout } = terminal;
  const command = withContext(new Command('fleet'), terminal).description(
    'Watch and control batches that run on many machines (`aca batch --queue URL`, `aca worker`)',
  );
  const inner = (name: string, description: string) =>
    withContext(command.command(name), terminal)
      .description(description)
      .option(...QUEUE_FLAG);
  const using = async <T>(
    { queue }: Flags,
    work: (fleet: Fleet, control: Control) => Promise<T>,
  ): Promise<T> => {
    const fleet = await connect(queue, terminal);
    try {
      return await work(fleet, await import('../../../fleet/queue/control.ts'));
    } finally {
      await fleet.close();
    }
  };

  inner('status', 'Show queues, batches, workers and the dead-letter list')
    .alias('list')
    .option('--json', 'print JSON')
    .action((flags: Flags) =>
      using(flags, async (fleet, { fleetStatus, givenUp }) => {
        const status = await fleetStatus(fleet);
        const dead = await givenUp(fleet, status);
        for (const text of await hiddenTexts(fleet)) terminal.stderr.write(`${text}\n`);
        stdout.write(flags.json ? `${JSON.stringify({ ...status, dead })}\n` : statusText(status, dead));
      }),
    );
  inner('logs', 'Show how often a task was started, where, and how it ended')
    .argument('<batch>')
    .argument('<task>')
    .option('--json', 'print JSON')
    .action((batch: string, task: string, flags: Flags) =>
      using(flags, async (fleet, { taskLog }) => {
        const log = await taskLog(fleet, batch, task);
        if (flags.json) return void stdout.write(`${JSON.stringify(log)}\n`);
        stdout.write(logText(log));
      }),
    );
  inner('cancel', 'Cancel a batch, or some of its tasks; running ones are stopped')
    .argument('<batch>')
    .argument('[tasks...]')
    .option('--remove', 'also remove the batch and its results from the queue')
    .action((batch: string, tasks: string[], flags: Flags) =>
      using(flags, async (fleet, { cancel, remove }) => {
        await cancel(fleet, batch, tasks);
        if (flags.remove) await remove(fleet, batch);
        const what =
          tasks.length === 0 ? `Batch ${batch}` : `${counted(tasks.length, 'task')} of batch ${batch}`;
        stdout.write(`${what} ${flags.remove ? 'removed' : 'cancelled'}.\n`);
      }),
    );
  inner('retry', 'Run tasks of the dead-letter list again')
    .argument('<batch>')
    .argument('[tasks...]')
    .action((batch: string, tasks: string[], flags: Flags) =>
      using(flags, async (fleet, { retry }) => {
        const again = await retry(fleet, batch, tasks);
        if (again.length === 0)
          throw new UserError(
            `Nothing to retry: ${tasks.length === 0 ? 'no task of the batch' : 'none of these tasks'} is in the dead-letter list.`,
            'Run `aca fleet status` to see the list.',
          );
        stdout.write(`Queued again: ${again.join(', ')}\n`);
      }),
    );
  inner('drain', 'Let workers finish what they do, and stop; without names, all of them')
    .argument('[workers...]')
    .action((workers: string[], flags: Flags) =>
      using(flags, async (fleet, { drain }) => {
        const { length } = await drain(fleet, workers);
        stdout.write(length === 0 ? 'No workers are running.\n' : `Draining ${counted(length, 'worker')}.\n`);
      }),
    );
  return command;
}

type Control = typeof import('../../../fleet/queue/control.ts');

/** What another key or version hides. */
async function hiddenTexts(fleet: Fleet): Promise<string[]> {
  const [{ countUnreadable }, { countStrangers }] = await Promise.all([
    import('../../../fleet/queue/messages.ts'),
    import('../../../fleet/queue/heartbeat.ts'),
  ]);
  const [batches, workers] = [await countUnreadable(fleet), await countStrangers(fleet)];
  return [
    ...(batches === 0
      ? []
      : [
          `${counted(batches, 'batch')} with another key or version cannot be shown. Check AI_ASSISTANT_REDIS_KEY.`,
        ]),
    ...(workers === 0
      ? []
      : [
          `${counted(workers, 'worker')} with another key or version cannot do these tasks. Check AI_ASSISTANT_REDIS_KEY there.`,
        ]),
  ];
}

function logText({ attempts, worker, result }: Awaited<ReturnType<Control['taskLog']>>): string {
  const rows = attempts.map(({ at, worker, fence, end }) => [at, `#${fence}`, worker, visible(end)]);
  return [
    ...(rows.length === 0 ? [] : [table(rows)]),
    ...(worker === null ? [] : [`Running on ${worker.id} (${visible(worker.host)}).\n`]),
    ...(worker === null && rows.length === 0 ? ['No delivery has ended yet, and none is running.\n'] : []),
    ...(result?.session ? [`Session: ${result.session}\n`] : []),
    ...(result?.answer ? [`${visible(result.answer)}\n`] : []),
  ].join('');
}

function statusText({ queues, batches, workers }: FleetStatus, dead: readonly GivenUp[]): string {
  const list = (title: string, rows: string[][], none: string) =>
    rows.length === 1 ? `${none}\n` : `${title}\n${table(rows.map((row) => ['', ...row]))}`;
  return [
    list(
      'Queues',
      [
        ['labels', 'waiting', 'running', 'delayed', 'given up'],
        ...queues.map(({ labels, waiting, active, delayed, failed }) => [
          labels.join(',') || '-',
          ...[waiting, active, delayed, failed].map(String),
        ]),
      ],
      'No queues.',
    ),
    list(
      'Batches',
      [
        ['id', 'ended', 'of', ''],
        ...batches.map(({ batch, ended, total, isCancelled }) => [
          batch.id,
          String(ended),
          String(total),
          isCancelled ? 'cancelled' : '',
        ]),
      ],
      'No batches.',
    ),
    list(
      'Workers',
      [
        ['id', 'host', 'running', 'of', 'labels', 'since', ''],
        ...workers.map(({ id, host, running, concurrency, labels, startedAt, isDraining, trouble }) => [
          id,
          visible(host),
          String(running.length),
          String(concurrency),
          labels.join(',') || '-',
          ago(startedAt),
          isDraining ? 'draining' : trouble === null ? '' : `paused: ${visible(trouble)}`,
        ]),
      ],
      'No workers. Start one with `aca worker --queue URL`.',
    ),
    ...(dead.length === 0
      ? []
      : [
          list(
            'Given up (dead-letter list)',
            [
              ['batch', 'task', 'reason'],
              ...dead.map(({ batch, task, reason }) => [batch, task, visible(reason)]),
            ],
            '',
          ),
        ]),
  ].join('\n');
}
