import { Command } from 'commander';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { withContext } from './context.ts';

/** `aca attach`: the terminal interface on a session of the server. */
export function attachCommand(terminal: Terminal): Command {
  return withContext(new Command('attach'), terminal)
    .description('Show a session of the server in this terminal; leaving it leaves the session running')
    .argument(
      '[session]',
      'id or start of the id (default: the session that waits or works, or the last one)',
    )
    .action(async (session: string | undefined) =>
      (await import('../../frontends/server/attach/run.ts')).runAttach(session, terminal),
    );
}
