import { Command } from 'commander';
import type { Terminal } from '../../../frontends/shared/terminal.ts';
import { type BatchFlags, withBatchFlags } from '../../batch/flags.ts';
import { type Ended, withContext } from '../context.ts';

/** `aca batch`: many tasks on this machine, each in a worktree of its own. */
export function batchCommand(terminal: Terminal, ended: Ended): Command {
  const command = withContext(new Command('batch'), terminal)
    .description('Run many tasks, each headless in a git worktree of its own')
    .argument('[file]', 'tasks: a file with one task per line (JSON), or a .csv; - for standard input')
    .addHelpText(
      'after',
      [
        '\nExit codes:',
        '  0      all tasks are done',
        '  11-110 10 + the number of tasks that are not done, at most 100',
        '  1, 2   the batch could not run: an error, wrong usage or wrong tasks',
        '  130    interrupted; continue with --resume',
        '\nExamples:',
        "  $ aca batch --each 'src/**/*.js' --prompt 'Convert {{file}} to TypeScript' --check 'npm test' -j 4",
        "  $ aca batch tasks.jsonl --budget '$20' > results.jsonl",
        '  $ aca batch --resume',
      ].join('\n'),
    )
    .action(async (file: string | undefined, flags: BatchFlags) => {
      const { runBatchCommand } = await import('../../batch/run.ts');
      ended.code = await runBatchCommand(file, flags, terminal);
    });
  return withBatchFlags(command);
}
