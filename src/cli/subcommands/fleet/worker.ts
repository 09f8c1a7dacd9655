import { Command } from 'commander';
import type { Terminal } from '../../../frontends/shared/terminal.ts';
import { portNumber, positiveInteger } from '../../args.ts';
import { durationFlag, SECOND_MS } from '../../flags/duration-flag.ts';
import { QUEUE_FLAG } from '../../fleet/connect.ts';
import type { WorkerFlags } from '../../fleet/run-worker.ts';
import { withContext } from '../context.ts';

const LEASE_SECONDS = 30;

/** `aca worker`: runs tasks that `aca batch --queue` queued, on this machine. */
export function workerCommand(terminal: Terminal): Command {
  return withContext(new Command('worker'), terminal)
    .description('Run queued tasks of batches on this machine, until it gets SIGTERM')
    .option(...QUEUE_FLAG)
    .option(
      '--concurrency <n>',
      'tasks at a time (default: 4, or the number of cores if lower)',
      positiveInteger,
    )
    .option('--labels <list>', 'also take tasks with these labels, separated by commas', listOf, [])
    .option(
      '--grace <time>',
      'after SIGTERM, hand running tasks back after this time, such as 90s (default: never)',
      durationFlag(SECOND_MS),
    )
    .option(
      '--lease <time>',
      'other workers take over tasks of a worker that is silent for so long, such as 60s',
      durationFlag(SECOND_MS),
      LEASE_SECONDS,
    )
    .option('--trees <folder>', 'where worktrees are created (default: beside the repository)')
    .option('--metrics-port <port>', 'serve Prometheus metrics on this port; 0 for any free port', portNumber)
    .option('--metrics-host <address>', 'the address for them (default: 127.0.0.1, for this machine only)')
    .action(async (flags: WorkerFlags) => {
      const { runWorker } = await import('../../fleet/run-worker.ts');
      await runWorker(flags, terminal);
    });
}

function listOf(value: string): string[] {
  return value
    .split(',')
    .map((label) => label.trim())
    .filter(Boolean);
}
