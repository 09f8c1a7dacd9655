import { Command } from 'commander';
import { healthLines } from '../../commands/doctor.ts';
import { exitCodes } from '../../frontends/shared/exit-codes.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { visible } from '../../lib/text/printable.ts';
import { version } from '../../lib/version.ts';
import { examine } from '../doctor/examine.ts';
import type { Ended } from './context.ts';
import { withContext } from './context.ts';

/** `aca doctor`: exit code 1 when something is broken; warnings do not count. */
export function doctorCommand(terminal: Terminal, ended: Ended): Command {
  return withContext(new Command('doctor'), terminal)
    .description('Check your setup and suggest fixes')
    .option('--json', 'print JSON')
    .option('--probe', 'send each key to its provider to check that it is accepted')
    .action(async ({ json, probe = false }: { json?: boolean; probe?: boolean }) => {
      const checks = await examine(terminal, { probe });
      const broken = checks.filter(({ state }) => state === 'bad').length;
      ended.code = broken > 0 ? exitCodes.error.code : exitCodes.done.code;
      if (json) {
        terminal.stdout.write(`${JSON.stringify({ type: 'doctor', version, ok: broken === 0, checks })}\n`);
        return;
      }
      const verdict =
        broken === 0 ? 'No problems found.' : broken === 1 ? '1 problem found.' : `${broken} problems found.`;
      terminal.stdout.write(`${healthLines(checks).map(visible).join('\n')}\n\n${verdict}\n`);
    });
}
