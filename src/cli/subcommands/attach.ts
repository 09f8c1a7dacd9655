import { Command } from 'commander';
import { UserError } from '../../contract/errors.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { confirm } from './confirm.ts';
import { withContext } from './context.ts';

type AttachFlags = { session?: string; fingerprint?: string };

/** `aca attach`: the terminal interface on a session of the server, or of one elsewhere by an invitation. */
export function attachCommand(terminal: Terminal): Command {
  return withContext(new Command('attach'), terminal)
    .description('Show a session of the server in this terminal; leaving it leaves the session running')
    .argument(
      '[session]',
      'id or start of the id (default: the session that waits or works, or the last one), or an invitation link',
    )
    .option('--session <id>', 'open this session (with an invitation link)')
    .option('--fingerprint <sha256>', 'with an invitation link: accept only this certificate, without asking')
    .action(async (written: string | undefined, { session, fingerprint }: AttachFlags) => {
      const { runAttach, runAttachLink } = await import('../../frontends/server/attach/run.ts');
      if (written !== undefined && /^https?:/i.test(written)) {
        const ask = (about: string) => {
          terminal.stdout.write(`${about}\n`);
          return confirm('Connect?', terminal);
        };
        return runAttachLink({ link: written, session, fingerprint, ask }, terminal);
      }
      if (session !== undefined || fingerprint !== undefined)
        throw new UserError('--session and --fingerprint need an invitation link.', 'Pass the link, too.');
      return runAttach(written, terminal);
    });
}
