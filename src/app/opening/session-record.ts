import path from 'node:path';
import type { LogAccess, SessionFigures } from '../../contract/command.ts';
import type { Session } from '../../contract/session.ts';
import { lastWarnings } from '../../observability/log/last-warnings.ts';
import { createLog, type Log, logFileIn } from '../../observability/log/log.ts';
import { RunTally } from '../../observability/run-tally.ts';
import { Ledger } from '../../observability/spending/ledger.ts';
import { sessionFigures } from '../../observability/usage-stats.ts';
import type { Watcher } from '../../observability/watcher.ts';
import type { Settings } from '../settings.ts';

/** What is recorded about a session besides its messages: the log, and statistics of its runs. */
export type SessionRecord = {
  watch: Watcher;
  figures(): Promise<SessionFigures>;
  log: LogAccess;
  /** Saves what happened after the last run. */
  close(): void;
};

/** Files are created only when there is something to write. */
export function recordSession(
  { config, root }: Pick<Settings, 'config' | 'root'>,
  { id, startedAt }: Pick<Session, 'id' | 'startedAt'>,
  warn: (text: string) => void,
): SessionRecord {
  const ledger = new Ledger(path.join(root, 'ledger'));
  const tally = new RunTally(id);
  const { level, file = logFileIn(root) } = config.log;
  let log: Log | undefined;
  let troubled = false;

  function noteRun(...run: Parameters<Ledger['note']>): void {
    try {
      ledger.note(...run);
    } catch (error) {
      if (!troubled) warn(`Could not save the results of a run (${(error as Error).message}).`);
      troubled = true;
    }
  }

  return {
    watch(event, { ids, hide }) {
      log ??= createLog({ file, level, sessionId: id, redact: hide, onTrouble: warn });
      log.take(event, ids);
      const run = tally.take(event);
      if (run) noteRun(run);
    },
    async figures() {
      const { spent, runs } = ledger.since(new Date(startedAt));
      const { current } = tally;
      return sessionFigures({
        spent: spent.filter(({ session }) => session === id),
        runs: [...runs.filter(({ session }) => session === id), ...(current ? [current] : [])],
      });
    },
    log: { file, level, warnings: (count) => lastWarnings(root, count, file) },
    close() {
      if (tally.current) noteRun(tally.current);
    },
  };
}
