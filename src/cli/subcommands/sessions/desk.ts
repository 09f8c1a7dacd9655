import type { housekeepingOptions } from '../../../app/housekeeping/housekeeping.ts';
import { UserError } from '../../../contract/errors.ts';
import type { Terminal } from '../../../frontends/shared/terminal.ts';

/** What the commands of `aca sessions` share. */
export type SessionsDesk = {
  terminal: Terminal;
  print(text: string): void;
  open(): ReturnType<typeof housekeepingOptions>;
};

export const sessionArgument = ['<session>', 'session id, id prefix or title'] as const;

export function missing(wanted: string): never {
  throw new UserError(`There is no session "${wanted}".`, 'Run `aca sessions` to list all sessions.');
}
