import { Command, Option } from 'commander';
import type { SessionOptions } from '../../app/options.ts';
import { modesByStrictness } from '../../config/schema/schema.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { type Ended, withContext } from './context.ts';

type AcpOptions = Pick<SessionOptions, 'model' | 'mode' | 'offline' | 'allow' | 'deny' | 'trust'> & {
  setup?: true;
};

const collect = (value: string, previous: string[]) => [...previous, value];

export function acpCommand(terminal: Terminal, ended: Ended): Command {
  return withContext(new Command('acp'), terminal)
    .description('Run as an agent for editors, over the Agent Client Protocol on standard input and output')
    .option('-m, --model <provider/model>', 'model to use (default: as in a terminal)')
    .addOption(new Option('--mode <mode>', 'what runs without asking').choices(modesByStrictness))
    .option('--offline', 'use only models on this machine, and no network')
    .option('--allow <rule>', 'allow calls that match, such as `Bash(npm test)`; repeatable', collect, [])
    .option('--deny <rule>', 'deny calls that match; repeatable', collect, [])
    .option('--trust', "trust the settings of the editor's folders")
    .option('--setup', 'choose a model in a terminal instead')
    .action(async ({ setup, ...options }: AcpOptions) => {
      if (setup) ended.code = await chooseModel(options, terminal);
      else
        await (await import('../../frontends/acp/run.ts')).runAcp(
          { ...options, budget: [], addDir: [] },
          terminal,
        );
    });
}

/** Starts a conversation, which begins with the choice of a model if there is none. */
async function chooseModel(options: Omit<AcpOptions, 'setup'>, terminal: Terminal): Promise<number> {
  const { runScreen } = await import('../../frontends/terminal/run.ts');
  const all = { ...options, budget: [], addDir: [], outputFormat: 'text', inputFormat: 'text' } as const;
  return runScreen('', { ...all, budget: [], addDir: [] }, terminal);
}
